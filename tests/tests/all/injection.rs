//! Pods as they arrive: the data is what the records make of it, `docs/mesh.md` is what the data makes of it, Pods and
//! namespaces switch injection on and off, and the terminal client reports all of it.
//!
//! In: the data, the recorded answers, the built `podsieve`. Out: a failure where something differs; with `UPDATE=1` the page is
//! written instead.
#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use engine::json::Value;
use engine::yaml::parse_one;
use engine_lenses::injection::{Arrival, Data, Outcome, RECORDED, Setup, arrive};
use std::path::Path;
use tests::recorded::Recorded;
use tests::terminal::{self, Run};
use tests::{mesh, program};

fn data() -> Data {
    Data::read(RECORDED).unwrap()
}

#[test]
fn the_data_is_what_the_records_make_of_it() {
    let made = mesh::generate::text_of(&mesh::records(&Recorded::all()).unwrap()).unwrap();
    assert!(made == RECORDED, "write it anew: cargo run -p tests --bin mesh");
}

#[test]
fn every_record_is_made_anew() {
    let (tally, differences) = mesh::check::run(&mesh::records(&Recorded::all()).unwrap()).unwrap();
    assert!(differences.is_empty(), "{:?}", differences.iter().take(5).collect::<Vec<_>>());
    assert_eq!((tally.cases, tally.agree), (350, 350));
}

#[test]
fn the_page_is_what_the_data_makes_of_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(mesh::page::PAGE);
    let made = mesh::page::page(&data()).unwrap();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(std::fs::read_to_string(&path).unwrap_or_default() == made, "run it again with UPDATE=1");
}

/// A Pod in the namespace `shop` with labels and annotations, as YAML in flow style, and more of its spec.
fn pod(labels: &str, annotations: &str, more: &str) -> Value {
    let text = format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: web, namespace: shop, labels: {{{labels}}}, annotations: {{{annotations}}}}}, \
         spec: {{containers: [{{name: web, image: web}}], {more}}}}}"
    );
    parse_one(&text).unwrap()
}

fn namespace(labels: &str, annotations: &str) -> Value {
    let text = format!(
        "{{apiVersion: v1, kind: Namespace, metadata: {{name: shop, labels: {{{labels}}}, annotations: {{{annotations}}}}}}}"
    );
    parse_one(&text).unwrap()
}

fn arrival(asked: &str, pod: &Value, namespace: Option<&Value>) -> Arrival {
    let data = data();
    arrive(&data, &Setup::read(&data, asked).unwrap(), pod, namespace).unwrap()
}

#[test]
fn labels_and_annotations_switch_injection_on_and_off() {
    let asks = |labels| Some(namespace(labels, ""));
    let of = |annotations| Some(namespace("", annotations));
    let label = |value: &str| pod(&format!("sidecar.istio.io/inject: '{value}'"), "", "");
    let annotation = |value: &str| pod("", &format!("sidecar.istio.io/inject: '{value}'"), "");
    let inject = |value: &str| pod("", &format!("linkerd.io/inject: {value}"), "");
    let plain = || pod("", "", "");
    let cases = [
        ("istio", plain(), None, true, "nothing is known of the namespace `shop`"),
        ("istio", plain(), asks("istio-injection: enabled"), true, "label istio-injection: enabled"),
        ("istio", plain(), asks("istio-injection: disabled"), false, "istio-injection: disabled"),
        ("istio", plain(), asks(""), false, "neither the namespace `shop` nor a label of the Pod asks"),
        ("istio", plain(), asks("istio.io/rev: canary"), true, "istio.io/rev: canary"),
        ("istio", label("true"), asks(""), true, "the Pod's label sidecar.istio.io/inject"),
        ("istio", label("true"), asks("istio-injection: disabled"), false, "istio-injection: disabled"),
        ("istio", label("false"), asks("istio-injection: enabled"), false, "switches it off"),
        (
            "istio",
            annotation("false"),
            asks("istio-injection: enabled"),
            false,
            "annotation sidecar.istio.io/inject",
        ),
        // An annotation cannot switch on what no webhook sees, and of 1.6 the label says nothing.
        ("istio", annotation("true"), asks(""), false, "neither"),
        ("istio@1.6", label("false"), asks("istio-injection: enabled"), true, "istio-injection: enabled"),
        ("istio", pod("", "", "hostNetwork: true"), None, false, "the host's network"),
        ("linkerd", plain(), of("linkerd.io/inject: enabled"), true, "the namespace's annotation"),
        ("linkerd", plain(), of(""), false, "neither the Pod nor the namespace `shop`"),
        ("linkerd", inject("enabled"), of("linkerd.io/inject: disabled"), true, "the Pod's annotation"),
        (
            "linkerd",
            inject("disabled"),
            of("linkerd.io/inject: enabled"),
            false,
            "linkerd.io/inject: disabled",
        ),
        ("linkerd", inject("'yes'"), None, false, "linkerd.io/inject: yes"),
        ("linkerd", pod("", "", "initContainers: [{name: istio-init}]"), None, false, "istio-init already"),
        ("linkerd@2.10", pod("", "", "automountServiceAccountToken: false"), None, false, "automountService"),
    ];
    for (asked, pod, namespace, is_injected, why) in cases {
        let found = arrival(asked, &pod, namespace.as_ref());
        assert_eq!(found.outcome == Outcome::Injected, is_injected, "{asked} {why}: {}", found.reason);
        assert!(found.reason.contains(why), "{why}: {}", found.reason);
        assert_eq!(found.added.is_empty(), !is_injected);
    }
}

/// The names of the containers of a list, in order.
fn names(pod: &Value, list: &str) -> Vec<String> {
    let all = pod.find(&["spec", list]).and_then(Value::as_array).unwrap_or_default();
    all.iter().map(|one| one.find_str(&["name"]).to_owned()).collect()
}

fn container<'v>(pod: &'v Value, name: &str) -> &'v Value {
    let lists = ["containers", "initContainers"].into_iter();
    let mut all = lists.filter_map(|list| pod.find(&["spec", list])).filter_map(Value::as_array).flatten();
    all.find(|one| one.find_str(&["name"]) == name).unwrap()
}

#[test]
fn the_author_of_a_pod_changes_what_is_injected() {
    let user = |found: &Arrival, name: &str| {
        container(&found.pod, name).find(&["securityContext", "runAsUser"]).cloned()
    };
    let native = arrival("istio@1.28", &pod("", "", ""), None);
    assert_eq!(names(&native.pod, "initContainers"), ["istio-init", "istio-proxy"]);
    let classic = arrival("istio@1.28", &pod("", "sidecar.istio.io/nativeSidecar: 'false'", ""), None);
    assert_eq!(names(&classic.pod, "containers"), ["web", "istio-proxy"]);
    let tproxy =
        arrival("istio@1.24,cni", &pod("", "proxy.istio.io/config: 'interceptionMode: TPROXY'", ""), None);
    assert_eq!(user(&tproxy, "istio-proxy"), Some(Value::from(0_i64)));
    assert_eq!(
        tproxy.pod.find_str(&["metadata", "annotations", "sidecar.istio.io/interceptionMode"]),
        "TPROXY"
    );
    let both = "sidecar.istio.io/interceptionMode: TPROXY, sidecar.istio.io/capNetBindService: 'true'";
    let both = arrival("istio@1.24,cni", &pod("", both, ""), None);
    let added =
        container(&both.pod, "istio-proxy").find(&["securityContext", "capabilities", "add"]).unwrap();
    assert_eq!(added.as_array().unwrap().len(), 2);
    let volume = arrival(
        "istio@1.24",
        &pod("", "sidecar.istio.io/userVolume: '{\"host\":{\"hostPath\":{\"path\":\"/\"}}}'", ""),
        None,
    );
    let volumes = volume.pod.find(&["spec", "volumes"]).and_then(Value::as_array).unwrap();
    assert!(volumes.iter().any(|one| one.find_str(&["hostPath", "path"]) == "/"));
    let root = arrival("linkerd@2.14,cni", &pod("", "config.linkerd.io/proxy-uid: '0'", ""), None);
    assert_eq!(user(&root, "linkerd-proxy"), Some(Value::from(0_i64)));
    let namespace =
        namespace("", "linkerd.io/inject: enabled, config.linkerd.io/enable-debug-sidecar: 'true'");
    let debug = arrival("linkerd@2.14", &pod("", "", ""), Some(&namespace));
    assert_eq!(names(&debug.pod, "containers"), ["linkerd-proxy", "web", "linkerd-debug"]);
    let wait = pod("", "config.linkerd.io/close-wait-timeout: 3600s", "");
    assert_eq!(arrival("linkerd@2.18", &wait, None).outcome, Outcome::Refused);
    assert_eq!(arrival("linkerd@2.16", &wait, None).outcome, Outcome::Injected);
}

#[test]
fn what_a_pod_says_of_the_proxy_is_laid_over_it() {
    let own = "initContainers: [{name: istio-proxy, image: auto, securityContext: {privileged: true}}]";
    let found = arrival("istio@1.28,cni", &pod("", "", own), None);
    assert_eq!(names(&found.pod, "initContainers"), ["istio-validation", "istio-proxy"]);
    let proxy = container(&found.pod, "istio-proxy");
    assert_eq!(proxy.find(&["securityContext", "privileged"]), Some(&Value::Bool(true)));
    assert_eq!(proxy.find_str(&["image"]), "docker.io/istio/proxyv2:1.28.10");
    assert_eq!(proxy.find(&["securityContext", "runAsUser"]), Some(&Value::from(1337_i64)));
}

#[test]
fn istio_turns_probes_to_its_agent_and_loses_the_host_of_a_socket() {
    let text = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web, image: web, \
                livenessProbe: {tcpSocket: {host: 10.0.0.1, port: 80}}, readinessProbe: {httpGet: {host: 10.0.0.1, port: 80}}}]}}";
    let written = parse_one(text).unwrap();
    let found = arrival("istio@1.30,cni", &written, None);
    let web = container(&found.pod, "web");
    assert_eq!(web.find_str(&["livenessProbe", "httpGet", "path"]), "/app-health/web/livez");
    assert_eq!(web.find(&["livenessProbe", "tcpSocket"]), None);
    assert_eq!(web.find(&["livenessProbe", "httpGet", "host"]), None);
    assert_eq!(web.find_str(&["readinessProbe", "httpGet", "host"]), "10.0.0.1");
    let left = arrival("linkerd@2.14,cni", &written, None);
    assert_eq!(container(&left.pod, "web"), container(&written, "web"));
}

#[test]
fn what_was_injected_before_is_recognised_and_stays_as_it_is() {
    for mesh in
        ["istio@1.24", "istio@1.28", "istio@1.28,cni", "istio@1.6", "linkerd@2.14", "linkerd@2.20,native"]
    {
        let once = arrival(mesh, &pod("", "", ""), None);
        let twice = arrival(mesh, &once.pod, None);
        assert_eq!(
            (twice.outcome, &twice.pod, twice.added.len()),
            (Outcome::Already, &once.pod, 0),
            "{mesh}"
        );
        assert!(twice.reason.starts_with("it holds "), "{}", twice.reason);
    }
    // One mesh on top of the other: Istio does not mind, Linkerd does.
    let istio = arrival("istio@1.24", &pod("", "", ""), None).pod;
    assert_eq!(arrival("linkerd@2.14", &istio, None).outcome, Outcome::Left);
    let linkerd = arrival("linkerd@2.14", &pod("", "", ""), None).pod;
    assert_eq!(arrival("istio@1.24", &linkerd, None).outcome, Outcome::Injected);
    // A container that its author gives the proxy's name, to change it, is none that was injected.
    let own = injected_with_own_proxy();
    assert_eq!(arrival("istio@1.24", &own, None).outcome, Outcome::Injected);
}

fn injected_with_own_proxy() -> Value {
    let text = "kind: Pod\napiVersion: v1\nmetadata: {name: web, namespace: shop}\nspec:\n  containers:\n  \
                - {name: web, image: web}\n  - {name: istio-proxy, image: auto}\n";
    parse_one(text).unwrap()
}

#[test]
fn a_version_is_answered_by_the_nearest_release_before_it() {
    let data = data();
    let read = |asked: &str| Setup::read(&data, asked);
    assert_eq!(read("istio@1.25.3").unwrap().release, "1.24.6");
    assert!(read("istio@1.25.3").unwrap().note.unwrap().contains("1.25.3 was not read"));
    assert_eq!((read("istio").unwrap().release.as_str(), read("istio").unwrap().note), ("1.30.3", None));
    // Candidates and edge releases are not the default where there is a release.
    assert_eq!(read("linkerd@latest").unwrap().release, "version-2.20");
    assert_eq!(read("istio@1.31").unwrap().release, "1.31.0-rc.0");
    assert_eq!(read("linkerd@edge-24.9.1").unwrap().release, "version-2.16");
    assert_eq!(read("linkerd@2.19").unwrap().release, "version-2.18");
    for (wrong, words) in [
        ("istio@1.5", "older than 1.6.14"),
        ("consul", "`consul` is not a known mesh: write `istio` or `linkerd`"),
        ("istio@newest", "`newest` is not a version"),
        ("istio@1.6,native", "`native` is not an option of istio 1.6.14: cni, "),
    ] {
        let error = read(wrong).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
    let pod = arrival("istio@1.25.3", &pod("", "", ""), None).pod;
    assert_eq!(container(&pod, "istio-init").find_str(&["image"]), "docker.io/istio/proxyv2:1.25.3");
}

const DEPLOYMENT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
      - name: web
        image: web:1
        securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
";
const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: baseline}
spec:
  validationFailureAction: Enforce
  rules:
  - name: level
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {podSecurity: {level: baseline, version: latest}}
";

fn run(arguments: &[&str]) -> Option<Run> {
    let pod =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: bare}\nspec: {containers: [{name: a, image: a}]}\n---\n";
    let both = [pod, DEPLOYMENT].concat();
    let files = [("web.yaml", DEPLOYMENT), ("policy.yaml", POLICY), ("both.yaml", both.as_str())];
    Some(terminal::run(&program::find_or_skip()?, &files, arguments, ""))
}

#[test]
fn the_client_prints_pods_and_marks_the_lines_of_the_mesh() {
    let arguments =
        ["mesh", "inject", "-f", "web.yaml", "--mesh", "istio", "--mesh-version", "1.24", "--cni"];
    let Some(Run { code, out: plain, err: said, .. }) = run(&arguments) else { return };
    assert_eq!(code, 0);
    assert!(said.starts_with("web.yaml:1  Deployment shop/web: injected: nothing is known"), "{said}");
    let Run { out: marked, .. } = run(&[&arguments[..], &["--mark"]].concat()).unwrap();
    assert_eq!(parse_one(&plain).unwrap(), parse_one(&marked).unwrap());
    let theirs = |text: &str| marked.lines().any(|line| line.contains(text) && line.ends_with("  # istio"));
    assert!(
        theirs("name: istio-validation") && theirs("mountPath: /etc/istio/pod") && !theirs("image: web:1")
    );
    let Run { out: list, .. } = run(&["mesh", "list"]).unwrap();
    assert_eq!(list.lines().count(), data().releases().len() + 1);
    let Run { code, err: said, .. } =
        run(&["mesh", "inject", "-f", "web.yaml", "--mesh", "istio,none-such"]).unwrap();
    assert!(code != 0 && said.contains("`none-such` is not an option of istio"), "{said}");
}

#[test]
fn the_client_says_where_a_controller_passes_and_its_pods_will_not() {
    let Some(Run { code, out, err: said, .. }) =
        run(&["psa", "check", "-f", "web.yaml", "--level", "baseline", "--mesh", "istio@1.24"])
    else {
        return;
    };
    assert_eq!(code, 1);
    assert!(out.contains("web.yaml:1  Deployment shop/web: satisfies baseline"), "{out}");
    assert!(out.contains("Pod shop/web-pod: violates baseline"), "{out}");
    assert!(said.contains("takes the Deployment and refuses its Pods"), "{said}");
    let Run { code, err: said, .. } =
        run(&["apply", "policy.yaml", "-r", "web.yaml", "--mesh", "istio@1.24"]).unwrap();
    assert_eq!(code, 1);
    let words = "Deployment shop/web passes, and its Pods will be refused as they arrive with istio 1.24: baseline/level";
    assert!(said.contains(words), "{said}");
    let Run { code, err: said, .. } =
        run(&["apply", "policy.yaml", "-r", "web.yaml", "--mesh", "istio@1.24,cni"]).unwrap();
    assert_eq!((code, said.contains("passes, and")), (0, false), "{said}");
    // A Pod that is written itself is evaluated once: as it arrives.
    let Run { out, .. } = run(&["psa", "check", "-f", "both.yaml", "--mesh", "istio@1.24"]).unwrap();
    assert_eq!(out.matches("Pod default/bare:").count(), 1);
    assert!(out.contains("objects: 3,"), "{out}");
}
