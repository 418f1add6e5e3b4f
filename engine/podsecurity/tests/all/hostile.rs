//! Pods with anything anywhere: no panic, and nothing that Kubernetes cannot read is let pass by a check that reads it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail as the test does"
)]

use engine_json::{Map, Value, parse, to_json};
use engine_podsecurity::admission::{self, Config, Objects};
use engine_podsecurity::exclude::{self, Exclusion, Wildcard};
use engine_podsecurity::psp::{self, Everyone, Policies, Release, User};
use engine_podsecurity::{Level, PodView, Version, advise, evaluate, pod_of};
use k8s_openapi::api::core::v1::Pod;

/// A Pod with every field that anything here reads.
const POD: &str = r#"{
  "apiVersion":"v1","kind":"Pod",
  "metadata":{"name":"p","namespace":"team","generateName":"p-","annotations":{
    "container.apparmor.security.beta.kubernetes.io/a":"unconfined","seccomp.security.alpha.kubernetes.io/pod":"unconfined",
    "container.seccomp.security.alpha.kubernetes.io/a":"x","kubernetes.io/psp":"any"},
    "ownerReferences":[{"controller":true,"uid":"u"}]},
  "spec":{"hostNetwork":true,"hostPID":false,"hostIPC":true,"hostUsers":true,"os":{"name":"linux"},"runtimeClassName":"kata",
    "serviceAccountName":"sa",
    "securityContext":{"runAsUser":0,"runAsGroup":5,"fsGroup":7,"supplementalGroups":[1,2],"runAsNonRoot":false,
      "seLinuxOptions":{"type":"spc_t","user":"u","role":"r","level":"s0:c1,c2"},"seccompProfile":{"type":"Localhost","localhostProfile":"x"},
      "appArmorProfile":{"type":"Unconfined"},"windowsOptions":{"hostProcess":true},"sysctls":[{"name":"kernel.sem","value":"1"}]},
    "volumes":[{"name":"h","hostPath":{"path":"/var"}},{"name":"f","flexVolume":{"driver":"d"}},{"name":"c","csi":{"driver":"d"}},
      {"name":"t","projected":{"sources":[{"serviceAccountToken":{"path":"token"}},{"downwardAPI":{"items":[
        {"path":"namespace","fieldRef":{"fieldPath":"metadata.namespace"}}]}}]}},{"name":"n"}],
    "initContainers":[{"name":"i","image":"i:1","securityContext":{"capabilities":{"add":["NET_RAW"],"drop":["ALL"]}}}],
    "containers":[{"name":"a","image":"a:1","ports":[{"containerPort":80,"hostPort":80}],"volumeMounts":[{"name":"h","mountPath":"/h"}],
      "livenessProbe":{"httpGet":{"host":"h","port":80}},"lifecycle":{"preStop":{"tcpSocket":{"host":"t","port":1}}},
      "securityContext":{"privileged":true,"procMount":"Unmasked","allowPrivilegeEscalation":true,"readOnlyRootFilesystem":false,
        "runAsUser":0,"runAsGroup":1,"runAsNonRoot":true,"capabilities":{"add":["SYS_ADMIN"],"drop":["KILL"]},
        "seLinuxOptions":{"type":"x"},"seccompProfile":{"type":"Unconfined"},"appArmorProfile":{"type":"Unconfined"},
        "windowsOptions":{"hostProcess":true}}}],
    "ephemeralContainers":[{"name":"e","image":"e:1","securityContext":{}}]}}"#;

const POLICY: &str = r#"{"metadata":{"name":"must","annotations":{
    "seccomp.security.alpha.kubernetes.io/allowedProfileNames":"runtime/default","apparmor.security.beta.kubernetes.io/defaultProfileName":"runtime/default"}},
  "spec":{"runAsUser":{"rule":"MustRunAs","ranges":[{"min":1,"max":9}]},"runAsGroup":{"rule":"MayRunAs","ranges":[{"min":1,"max":9}]},
    "fsGroup":{"rule":"MustRunAs","ranges":[{"min":1,"max":9}]},"supplementalGroups":{"rule":"MustRunAs","ranges":[{"min":1,"max":9}]},
    "seLinux":{"rule":"MustRunAs","seLinuxOptions":{"level":"s0:c2,c1"}},"volumes":["hostPath","secret","csi","flexVolume"],
    "allowedHostPaths":[{"pathPrefix":"/var","readOnly":true}],"allowedCSIDrivers":[{"name":"e"}],"allowedFlexVolumes":[{"driver":"e"}],
    "defaultAddCapabilities":["CHOWN"],"requiredDropCapabilities":["KILL"],"hostPorts":[{"min":1,"max":9}],"readOnlyRootFilesystem":true,
    "allowPrivilegeEscalation":false,"runtimeClass":{"allowedRuntimeClassNames":["b"],"defaultRuntimeClassName":"b"},
    "allowedUnsafeSysctls":["a.*"],"forbiddenSysctls":["kernel.*"]}}"#;

/// Numbers that are random enough and the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Anything at all, small.
fn anything(dice: &mut Dice) -> Value {
    let scraps = [
        "null",
        "true",
        "false",
        "0",
        "-1",
        "80",
        "1.5",
        "1e300",
        "9223372036854775807",
        "18446744073709551615",
        r#""""#,
        r#""x""#,
        r#""ALL""#,
        r#""/""#,
        r#""s0:c1""#,
        r#""\u200b\"""#,
        "[]",
        "[null]",
        "[[]]",
        "{}",
        r#"{"name":null}"#,
        r#"{"type":7}"#,
        r#"[{"name":"a"}]"#,
        r#"{"rule":"MustRunAs"}"#,
    ];
    parse(scraps[dice.below(scraps.len())]).unwrap()
}

/// The value with one of its parts replaced, doubled or gone.
fn mutated(value: &Value, dice: &mut Dice) -> Value {
    let deeper = dice.below(12) > 0;
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let at = dice.below(map.len());
            let changed =
                map.iter().enumerate().filter_map(|(i, (key, value))| match (i == at, dice.below(30)) {
                    (true, 0) => None,
                    (true, _) => Some((key.clone(), mutated(value, dice))),
                    (false, _) => Some((key.clone(), value.clone())),
                });
            Value::object(changed.collect::<Map>())
        }
        Value::Array(list) if deeper && !list.is_empty() => {
            let at = dice.below(list.len());
            let mut list = list.to_vec();
            list[at] = mutated(&list[at], dice);
            if dice.below(20) == 0 {
                list.push(list[at].clone());
            }
            Value::array(list)
        }
        _ => anything(dice),
    }
}

fn all_readable(pod: &Value, policies: &Policies, exclusions: &[Exclusion]) -> bool {
    let view = PodView::whole(pod);
    let mut readable = true;
    for version in [0, 18, 22, 24, 34, 37] {
        for result in evaluate(Level::Restricted, Version::Minor(version), &view) {
            assert_eq!(result.allowed, result.violations.is_empty());
            assert_eq!(result.allowed, result.detail.is_empty() && result.reason.is_empty(), "{result:?}");
            readable &= result.violations.iter().all(engine_podsecurity::Violation::is_readable);
        }
    }
    let policy = (Level::Restricted, Version::Latest);
    let failed = exclude::evaluate(policy, &view);
    let unread = |results: &[engine_podsecurity::CheckResult]| {
        results.iter().flat_map(|result| &result.violations).filter(|v| !v.is_readable()).count()
    };
    let before = unread(&failed);
    let left = exclude::apply(
        policy,
        exclusions,
        failed,
        &view,
        &Wildcard(|pattern, text| pattern == "*" || pattern == text),
    );
    assert_eq!(unread(&left), before, "nothing unread can be excluded: {}", to_json(pod));
    let _ = exclude::failure_text(&left, &str::to_owned);
    let decision = psp::review(&psp::Request::create(pod, "team", User::named("alice")), policies, &Everyone);
    assert_eq!(decision.allowed, decision.message.is_none());
    let _ = (pod_of(pod), exclude::pod_of(pod));
    readable
}

#[test]
fn mutated_pods_are_judged_without_a_panic() {
    // `PODS=1000000` makes it the long run.
    let rounds = std::env::var("PODS").ok().and_then(|pods| pods.parse().ok()).unwrap_or(10_000_usize);
    let (base, mut dice) = (parse(POD).unwrap(), Dice(7));
    let policies = Policies::new(&[parse(POLICY).unwrap()], Release::default());
    assert!(policies.unusable.is_empty(), "{:?}", policies.unusable);
    let exclusion = |control: &str, images: &[&str]| Exclusion {
        control: control.into(),
        images: images.iter().map(|image| (*image).into()).collect(),
        ..Exclusion::default()
    };
    let exclusions: Vec<Exclusion> = exclude::CONTROLS
        .iter()
        .flat_map(|control| [exclusion(control.name, &[]), exclusion(control.name, &["*"])])
        .collect();
    let mut unread = 0;
    let mut pod = base.clone();
    for round in 0..rounds {
        // Every few rounds from the start again, so that Pods get strange but do not wither away.
        pod = mutated(if round % 4 == 0 { &base } else { &pod }, &mut dice);
        // A few of the exclusions each time: every one evaluates a whole Pod of its own.
        let from = round % (exclusions.len() - 2);
        if !all_readable(&pod, &policies, &exclusions[from..from + 3]) {
            unread += 1;
            // Whole floats are whole numbers to us, as they are after kubectl; the Pods here hold none.
            assert!(serde_json::from_str::<Pod>(&to_json(&pod)).is_err(), "{}", to_json(&pod));
        }
    }
    assert!(unread > rounds / 5, "{unread}");
}

#[test]
fn mutated_policies_requests_and_configurations_do_not_panic_either() {
    let (pod, policy, mut dice) = (parse(POD).unwrap(), parse(POLICY).unwrap(), Dice(11));
    let namespace = parse(
        r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team","labels":{
        "pod-security.kubernetes.io/enforce":"baseline","pod-security.kubernetes.io/warn-version":"v1.9"}}}"#,
    )
    .unwrap();
    let config = parse(
        r#"{"apiVersion":"pod-security.admission.config.k8s.io/v1","kind":"PodSecurityConfiguration",
        "defaults":{"enforce":"baseline"},"exemptions":{"namespaces":["a"],"usernames":["b"]}}"#,
    )
    .unwrap();
    for _ in 0..2_000 {
        let policy = mutated(&policy, &mut dice);
        let _ = psp::validity(&policy);
        let policies = Policies::new(&[policy], Release(18));
        let _ = psp::review(&psp::Request::create(&pod, "team", User::named("alice")), &policies, &Everyone);
        let objects = [mutated(&namespace, &mut dice), mutated(&pod, &mut dice)];
        let _ = advise::advise(&objects, Version::Latest);
        for (resource, object) in
            [("pods", &objects[1]), ("namespaces", &objects[0]), ("podtemplates", &objects[1])]
        {
            let mut request = admission::Request::new(resource, "p", "team", admission::Operation::Update);
            request.object = Ok(Some(object.clone()));
            request.old_object = Ok(Some(if resource == "pods" { pod.clone() } else { namespace.clone() }));
            let response = admission::review(&request, &Config::default(), &Objects(&objects));
            assert_eq!(response.allowed, response.status.is_none());
        }
        let _ = Config::read(&to_json(&mutated(&config, &mut dice)));
    }
}
