//! What the suites of recorded answers do not reach: controllers, advice, older releases, roles, configuration files.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_json::{Value, parse};
use engine_podsecurity::admission::{Config, Source};
use engine_podsecurity::defaults::{Holder, defaulted};
use engine_podsecurity::psp::{self, Everyone, Policies, Rbac, Release, Request, User};
use engine_podsecurity::{Level, PodView, Version, advise, evaluate, exclude, pod_of};

fn read(text: &str) -> Value {
    parse(text).unwrap()
}

#[test]
fn paths_of_findings_lead_into_the_object_that_holds_the_pod() {
    let cron = read(
        r#"{"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{
        "metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/a":"job"}},
        "spec":{"template":{
            "metadata":{"annotations":{"container.apparmor.security.beta.kubernetes.io/a":"pod"}},
            "spec":{"hostPID":true}}}}}}"#,
    );
    let resolved = |pod: &engine_podsecurity::PodView<'_>| {
        let results = evaluate(Level::Baseline, Version::Latest, pod);
        let violations = results.iter().flat_map(|result| &result.violations);
        violations
            .map(|violation| cron.at_path(pod.resolve(&violation.path).iter()).cloned().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(resolved(&pod_of(&cron).unwrap()), [Value::from("pod"), Value::from(true)]);
    // Kyverno reads the annotations of the job template.
    assert_eq!(resolved(&exclude::pod_of(&cron).unwrap()), [Value::from("job"), Value::from(true)]);
    assert!(pod_of(&read(r#"{"apiVersion":"batch.volcano.sh/v1alpha1","kind":"Job"}"#)).is_none());
    assert!(pod_of(&read(r#"{"apiVersion":"v1","kind":"ReplicationController","spec":{}}"#)).is_none());
}

#[test]
fn advice_is_the_strictest_level_that_all_reach_and_what_keeps_each_down() {
    let objects = [
        read(r#"{"apiVersion":"v1","kind":"Service"}"#),
        read(r#"{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"a"}]}}"#),
        read(
            r#"{"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{
            "securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},
            "containers":[{"name":"a","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]}}}}"#,
        ),
    ];
    let advice = advise::advise(&objects, Version::Latest);
    assert_eq!(advice.level, Level::Baseline);
    let levels: Vec<_> = advice.workloads.iter().map(|workload| (workload.at, workload.level)).collect();
    assert_eq!(levels, [(1, Level::Baseline), (2, Level::Restricted)]);
    let reasons: Vec<_> = advice.workloads[0].obstacles.iter().map(|result| result.check.id).collect();
    let expected =
        ["allowPrivilegeEscalation", "capabilities_restricted", "runAsNonRoot", "seccompProfile_restricted"];
    assert_eq!(reasons, expected);
    assert_eq!(advise::advise(&objects[..1], Version::Latest).level, Level::Restricted);
}

#[test]
fn what_one_container_sets_is_set_right_there_where_the_others_need_no_change() {
    let own = |context: &str| {
        format!(
            r#"{{"name":"c","securityContext":{{"allowPrivilegeEscalation":false,"capabilities":{{"drop":["ALL"]}},{context}}}}}"#
        )
    };
    let changes = |contexts: &[&str]| {
        let containers: Vec<String> = contexts.iter().map(|context| own(context)).collect();
        let pod = format!(
            r#"{{"apiVersion":"v1","kind":"Pod","spec":{{"containers":[{}]}}}}"#,
            containers.join(",")
        );
        let found = advise::repair(&read(&pod), Level::Restricted, Version::Latest, &Value::clone).unwrap();
        let described = |change: &advise::Change| {
            let value = change.value.as_ref().map_or_else(String::new, engine_json::to_json);
            format!("{}={value}", change.path)
        };
        found.iter().map(described).collect::<Vec<_>>()
    };
    let good = r#""runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}"#;
    let root = good.replace("true", "false");
    assert_eq!(changes(&[good, &root]), ["spec.containers[1].securityContext.runAsNonRoot=true"]);
    let unconfined = good.replace("RuntimeDefault", "Unconfined");
    let profile = "spec.containers[1].securityContext.seccompProfile.type=\"RuntimeDefault\"";
    assert_eq!(changes(&[good, &unconfined]), [profile]);
    // A profile that holds more goes as a whole, and the Pod gets one.
    let local = good.replace(r#""RuntimeDefault""#, r#""Unconfined","localhostProfile":"p""#);
    let whole = [
        "spec.containers[1].securityContext.seccompProfile=",
        "spec.securityContext.seccompProfile.type=\"RuntimeDefault\"",
    ];
    assert_eq!(changes(&[good, &local]), whole);
    // What several lack is set once, for the Pod.
    let lacking = r#""seccompProfile":{"type":"RuntimeDefault"}"#;
    let both =
        ["spec.containers[2].securityContext.runAsNonRoot=true", "spec.securityContext.runAsNonRoot=true"];
    assert_eq!(changes(&[lacking, lacking, &root]), both);
}

#[test]
fn with_the_defaults_of_a_cluster_a_volume_without_source_is_no_longer_unknown() {
    let spec = read(
        r#"{"hostNetwork":true,"volumes":[{"name":"v"},{"name":"w","secret":{}}],
        "containers":[{"name":"a","ports":[{"containerPort":80}]}]}"#,
    );
    let failed = |spec: &Value| {
        let pod = Value::object([("spec", spec.clone())].into_iter().collect());
        let results = evaluate(Level::Restricted, Version::Minor(0), &PodView::whole(&pod));
        results.iter().filter(|result| !result.allowed).map(|result| result.check.id).collect::<Vec<_>>()
    };
    assert_eq!(failed(&spec), ["hostNamespaces", "restrictedVolumes", "runAsNonRoot"]);
    assert_eq!(failed(&defaulted(&spec, Holder::Pod)), ["hostNamespaces", "hostPorts", "runAsNonRoot"]);
    assert_eq!(failed(&defaulted(&spec, Holder::Template)), ["hostNamespaces", "runAsNonRoot"]);
}

fn cni_policy() -> Value {
    read(
        r#"{"metadata":{"name":"default-restrictive"},"spec":{"runAsUser":{"rule":"RunAsAny"},"seLinux":{"rule":"RunAsAny"},
        "fsGroup":{"rule":"RunAsAny"},"supplementalGroups":{"rule":"RunAsAny"},"volumes":["hostPath"],
        "allowedHostPaths":[{"pathPrefix":"/var/log"}]}}"#,
    )
}

#[test]
fn before_1_19_the_message_names_no_plugin() {
    let pod = read(
        r#"{"metadata":{"generateName":"istio-cni-node-"},"spec":{"hostNetwork":true,"volumes":[
        {"name":"b","hostPath":{"path":"/opt/cni/bin"}},{"name":"n","hostPath":{"path":"/etc/cni/net.d"}}]}}"#,
    );
    let message = |release| {
        let policies = Policies::new(&[cni_policy()], release);
        let decision =
            psp::review(&Request::create(&pod, "kube-system", User::named("alice")), &policies, &Everyone);
        decision.message.unwrap()
    };
    let errors = "[spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used \
        spec.volumes[0].hostPath.pathPrefix: Invalid value: \"/opt/cni/bin\": is not allowed to be used \
        spec.volumes[1].hostPath.pathPrefix: Invalid value: \"/etc/cni/net.d\": is not allowed to be used]";
    let old = format!(
        "pods \"istio-cni-node-\" is forbidden: unable to validate against any pod security policy: {errors}"
    );
    assert_eq!(message(Release::parse("1.18").unwrap()), old);
    assert_eq!(old.len(), 374);
    let new =
        format!("pods \"istio-cni-node-\" is forbidden: PodSecurityPolicy: unable to admit pod: {errors}");
    assert_eq!(message(Release::default()), new);
    assert_eq!(message(Release::parse("v1.19.16").unwrap()), new);
}

#[test]
fn findings_of_a_policy_lead_to_the_fields_of_the_pod() {
    let pod = read(
        r#"{"metadata":{"name":"p"},"spec":{"hostIPC":true,"volumes":[{"name":"b","hostPath":{"path":"/opt"}}],
        "containers":[{"name":"c","ports":[{"containerPort":1},{"hostPort":7}]}]}}"#,
    );
    let policies = Policies::new(&[cni_policy()], Release::default());
    let decision = psp::review(&Request::create(&pod, "ns", User::named("alice")), &policies, &Everyone);
    let found = decision.refusals.iter().map(|refusal| pod.at_path(refusal.path.iter()).cloned().unwrap());
    assert_eq!(found.collect::<Vec<_>>(), [Value::from(true), Value::from("/opt"), Value::from(7)]);
}

#[test]
fn roles_decide_who_may_use_a_policy() {
    let pod = read(r#"{"metadata":{"name":"p"},"spec":{"serviceAccountName":"sa"}}"#);
    let role = |kind: &str, verbs: &str| {
        read(&format!(
            r#"{{"kind":"{kind}","metadata":{{"name":"r","namespace":"ns"}},"rules":[{{"apiGroups":["extensions"],
            "resources":["podsecuritypolicies"],"verbs":["{verbs}"]}}]}}"#
        ))
    };
    let bind = |kind: &str, role: &str, subject: &str| {
        read(&format!(
            r#"{{"kind":"{kind}","metadata":{{"name":"b","namespace":"ns"}},"roleRef":{{"kind":"{role}","name":"r"}},
            "subjects":[{subject}]}}"#
        ))
    };
    let allowed = |objects: &[Value], user: User| {
        let policies = Policies::new(&[cni_policy()], Release::default());
        psp::review(&Request::create(&pod, "ns", user), &policies, &Rbac(objects)).allowed
    };
    let account = r#"{"kind":"ServiceAccount","name":"sa"}"#;
    let group = r#"{"kind":"Group","name":"system:authenticated"}"#;
    let (alice, dev) =
        (User::named("alice"), || User { name: "d".into(), groups: vec!["system:authenticated".into()] });
    assert!(allowed(&[role("Role", "use"), bind("RoleBinding", "Role", account)], alice.clone()));
    assert!(allowed(&[role("ClusterRole", "*"), bind("RoleBinding", "ClusterRole", account)], alice.clone()));
    assert!(!allowed(&[role("Role", "get"), bind("RoleBinding", "Role", account)], alice.clone()));
    // A cluster-wide binding binds no Role, and its subjects need a namespace of their own.
    assert!(!allowed(&[role("Role", "use"), bind("ClusterRoleBinding", "Role", group)], dev()));
    assert!(!allowed(
        &[role("ClusterRole", "use"), bind("ClusterRoleBinding", "ClusterRole", account)],
        alice.clone()
    ));
    assert!(allowed(&[role("ClusterRole", "use"), bind("ClusterRoleBinding", "ClusterRole", group)], dev()));
    // The account of a Pod is not `system:authenticated`, so the group helps its author only.
    assert!(!allowed(&[role("ClusterRole", "use"), bind("ClusterRoleBinding", "ClusterRole", group)], alice));
    assert!(allowed(&[], User { name: "root".into(), groups: vec!["system:masters".into()] }));
}

#[test]
fn policies_that_cannot_be_used_are_named() {
    let policy =
        read(r#"{"metadata":{"name":"p"},"spec":{"runAsUser":{"rule":"MustRunAs"},"hostPID":"yes"}}"#);
    let policies = Policies::new(&[policy], Release::default());
    let reasons = &policies.unusable[0].reasons;
    assert_eq!(reasons[0], "MustRunAs requires at least one range");
    assert!(
        reasons.contains(&"spec.hostPID: Invalid value: \"string\": must be of type boolean".to_owned()),
        "{reasons:?}"
    );
}

#[test]
fn the_configuration_is_found_inside_that_of_all_plugins() {
    let text = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n\
        - name: Other\n- name: PodSecurity\n  configuration:\n    apiVersion: pod-security.admission.config.k8s.io/v1beta1\n\
        \x20   kind: PodSecurityConfiguration\n    defaults:\n      enforce: baseline\n";
    let Ok(Source::Config(config)) = Config::read_admission(text) else { panic!("{text}") };
    assert_eq!(config.defaults.enforce.level, Level::Baseline);
    let elsewhere = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n\
        - name: PodSecurity\n  path: psa.yaml\n";
    assert_eq!(Config::read_admission(elsewhere), Ok(Source::Path("psa.yaml".into())));
    assert!(Config::read_admission("kind: Pod\napiVersion: v1\n").is_err());
}

#[test]
fn kyverno_finds_the_containers_in_the_words_of_a_detail() {
    let names = exclude::named_containers;
    let two = "pod or containers \"a\", \"b\" must set securityContext.runAsNonRoot=true";
    assert_eq!(names(two), Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(names("hostNetwork=true"), None);
    assert_eq!(names("container \"a\" uses hostPort 80"), None);
}
