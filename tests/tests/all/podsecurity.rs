//! `podsieve psa` and `podsieve psp` as programs: formats, exit codes, arguments. What they print for people is pinned by the
//! stories of `docs/stories`.
//!
//! In: the built `podsieve`, files in a folder of their own. Out: a failure where an answer differs.

use engine::json::{Value, parse};
use tests::program;
use tests::terminal::{self, Run};

const PODS: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: open, namespace: team}
  spec:
    hostNetwork: true
    volumes: [{name: cache}]
    containers: [{name: a, image: a, ports: [{containerPort: 80}]}]
- apiVersion: v1
  kind: Pod
  metadata: {name: shut, namespace: team}
  spec:
    securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
    containers:
    - name: a
      image: a
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
";

fn run(arguments: &[&str], input: &str) -> Option<Run> {
    Some(terminal::run(&program::find_or_skip()?, &[("pods.yaml", PODS)], arguments, input))
}

fn list<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    value.find(keys).and_then(Value::as_array).unwrap_or_default()
}

#[test]
fn json_is_the_answer_of_the_npm_module() {
    let arguments = ["psa", "check", "-f", "pods.yaml", "--level", "baseline", "--format", "json"];
    let Some(Run { code, out, .. }) = run(&arguments, "") else { return };
    let answer = parse(&out).unwrap();
    let objects = list(&answer, &["objects"]);
    assert_eq!((code, objects.len()), (1, 2));
    assert_eq!(
        (objects[0].find_str(&["reaches"]), objects[1].find_str(&["reaches"])),
        ("privileged", "restricted")
    );
    // An API server makes a port of the node of every port of a Pod on its network.
    let detail = list(&objects[0], &["levels"])[0].find_str(&["detail"]).to_owned();
    assert_eq!(detail, r#"host namespaces (hostNetwork=true), hostPort (container "a" uses hostPort 80)"#);
}

#[test]
fn what_is_written_can_be_judged_without_the_defaults() {
    let arguments = ["psa", "check", "-f", "-", "--level", "restricted", "--as-written"];
    let Some(Run { code, out, .. }) = run(&arguments, PODS) else { return };
    assert_eq!(code, 1);
    assert!(out.contains(r#"volume "cache" uses restricted volume type "unknown""#), "{out}");
    assert!(
        !out.contains("hostPort") && out.contains("evaluated as written: no defaults filled in"),
        "{out}"
    );
}

#[test]
fn sarif_names_a_check_and_a_line_for_each_finding() {
    let arguments = ["psa", "check", "-f", "pods.yaml", "--level", "baseline", "--format", "sarif"];
    let Some(Run { out, .. }) = run(&arguments, "") else { return };
    let document = parse(&out).unwrap();
    let results = list(&list(&document, &["runs"])[0], &["results"]);
    let ids: Vec<&str> = results.iter().map(|result| result.find_str(&["ruleId"])).collect();
    assert_eq!(ids, ["hostNamespaces", "hostPorts"]);
    let region =
        list(&results[0], &["locations"])[0].find(&["physicalLocation", "region", "startLine"]).cloned();
    assert_eq!(region.and_then(|line| line.as_i64()), Some(8));
}

#[test]
fn without_a_level_nothing_is_a_failure_and_wrong_arguments_are() {
    let Some(Run { code, .. }) = run(&["psa", "check", "-f", "pods.yaml"], "") else { return };
    assert_eq!(code, 0);
    let wrong = [
        (vec!["psa", "check", "-f", "pods.yaml", "--version", "1.24"], r#"must be "latest" or "v1.x""#),
        (vec!["psa", "check", "-f", "nowhere.yaml"], "no such file or directory"),
        (vec!["psa", "namespace", "-f", "pods.yaml", "--label", "enforce"], "enforce=baseline"),
        (vec!["psp", "check", "-f", "pods.yaml", "--kubernetes-version", "new"], "1.24"),
        (vec!["psp", "check", "-f", "pods.yaml", "--kubernetes-version", "1.25"], "podsieve psa check"),
    ];
    for (arguments, words) in wrong {
        let Run { code, err, .. } = run(&arguments, "").unwrap_or_default();
        assert!(code == 1 && err.contains(words), "{arguments:?}: {code} {err}");
    }
}

#[test]
fn a_text_that_cannot_be_read_is_never_a_pass() {
    let Some(Run { code, err, .. }) = run(&["psa", "check", "-f", "-"], "kind: Pod\n\tspec: {}\n") else {
        return;
    };
    assert!(code == 1 && err.contains("yaml-syntax"), "{code} {err}");
}

#[test]
fn without_policies_nobody_gets_in() {
    let Some(Run { code, out, .. }) = run(&["psp", "check", "-f", "pods.yaml"], "") else { return };
    let words =
        r#"pods "open" is forbidden: PodSecurityPolicy: no providers available to validate pod request"#;
    assert!(code == 1 && out.contains(words), "{out}");
}

const UNREAD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: open, namespace: team}
spec:
  containers: nginx
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: made, namespace: team}
spec:
  template:
    spec:
      hostPID: \"no\"
      containers: [{name: a, image: a}]
";

/// A namespace without labels enforces nothing, and yet no such Pod gets in: the API server reads it before it asks.
#[test]
fn what_no_api_server_reads_is_refused_in_every_namespace() {
    let Some(Run { code, out, .. }) = run(&["psa", "namespace", "-f", "-"], UNREAD) else { return };
    for words in [
        "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field \
         PodSpec.spec.containers of type []v1.Container\n",
        "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field \
         PodSpec.spec.template.spec.hostPID of type bool\n",
        "allowed: 0, allowed with a warning: 0, refused: 2\n",
    ] {
        assert!(code == 1 && out.contains(words), "{words}\n{out}");
    }
}

#[test]
fn a_field_that_cannot_be_read_is_told_once() {
    let arguments = ["psa", "check", "-f", "-", "--level", "baseline"];
    let Some(Run { code, out, .. }) = run(&arguments, UNREAD) else { return };
    let words = "spec.containers: Invalid value: \"string\": must be of type array";
    assert!(code == 1 && out.matches(words).count() == 1, "{out}");
    assert!(out.contains("  no API server can read it\n    -:5  "), "{out}");
    let Some(Run { out, .. }) = run(&[&arguments[..], &["--format", "sarif"]].concat(), UNREAD) else {
        return;
    };
    let results = list(&list(&parse(&out).unwrap(), &["runs"])[0], &["results"]).len();
    assert_eq!(results, 2, "{out}");
}

#[test]
fn what_is_wrong_with_a_policy_is_told_at_its_line() {
    let policy = "\
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata:
  name: p
  annotations:
    seccomp.security.alpha.kubernetes.io/defaultProfileName: nope
spec:
  fsGroup: {rule: RunAsAny}
  runAsUser:
    rule: Nope
  seLinux: {rule: RunAsAny}
  supplementalGroups: {rule: RunAsAny}
";
    let Some(Run { out, .. }) = run(&["psp", "check", "-f", "-"], policy) else { return };
    for words in [
        "-:10  Error: PodSecurityPolicy p: spec.runAsUser.rule: Unsupported value: \"Nope\"",
        "-:6  Error: PodSecurityPolicy p: metadata.annotations[seccomp.security.alpha.kubernetes.io/defaultProfileName]: ",
    ] {
        assert!(out.contains(words), "{words}\n{out}");
    }
}
