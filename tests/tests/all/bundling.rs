//! `podsieve bundle`, as far as it needs no module: manifests, and what cannot be bundled. `tests/npm/kubewarden.test.mjs` makes modules.

use std::path::Path;
use std::process::{Command, Output};
use tests::program::{Scratch, find_or_skip};

const POLICY: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, message: The label team is required., pattern: {metadata: {labels: {team: '?*'}}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: annotates}
spec:
  rules:
  - name: owner
    match: {any: [{resources: {kinds: [networking.k8s.io/v1/Ingress], operations: [CREATE]}}]}
    context: [{name: settings, configMap: {name: settings, namespace: policies}}]
    mutate: {patchStrategicMerge: {metadata: {annotations: {owner: '{{settings.data.owner}}'}}}}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [services]}]}
  validations: [{expression: \"namespaceObject.metadata.name != 'prod'\", message: kept}]
";

fn run(program: &Path, folder: &Path, arguments: &[&str]) -> std::io::Result<Output> {
    Command::new(program).arg("bundle").args(arguments).current_dir(folder).output()
}

#[test]
fn a_manifest_matches_the_kinds_and_operations_of_the_policies() {
    let Some(program) = find_or_skip() else { return };
    let scratch = Scratch::new().unwrap();
    scratch.write("policies/all.yaml", POLICY).unwrap();
    let output = run(&program, scratch.path(), &["policies", "--manifest", "-o", "labels.wasm"]).unwrap();
    let manifest = engine::yaml::parse_one(&String::from_utf8_lossy(&output.stdout)).unwrap();
    let json =
        |path: &[&str]| engine::json::to_json(manifest.find(path).unwrap_or(&engine::json::Value::Null));
    assert_eq!(json(&["kind"]), "\"ClusterAdmissionPolicy\"");
    assert_eq!(json(&["metadata", "name"]), "\"labels\"");
    assert_eq!(json(&["spec", "mutating"]), "true");
    let read = r#"[{"apiVersion":"v1","kind":"ConfigMap"},{"apiVersion":"v1","kind":"Namespace"}]"#;
    assert_eq!(json(&["spec", "contextAwareResources"]), read);
    let rules = json(&["spec", "rules"]);
    let rule = |groups: &str, operations: &str, resources: &str| {
        let versions = if resources.contains("pods") { "[\"*\"]" } else { "[\"v1\"]" };
        format!(
            r#"{{"apiGroups":{groups},"apiVersions":{versions},"operations":{operations},"resources":{resources}}}"#
        )
    };
    let every = r#"["CONNECT","CREATE","DELETE","UPDATE"]"#;
    assert!(rules.contains(&rule(r#"[""]"#, r#"["DELETE"]"#, r#"["services"]"#)), "{rules}");
    assert!(
        rules.contains(&rule(r#"["networking.k8s.io"]"#, r#"["CREATE"]"#, r#"["ingresses"]"#)),
        "{rules}"
    );
    assert!(
        rules.contains(&rule(
            r#"[""]"#,
            every,
            r#"["pods","pods/ephemeralcontainers","replicationcontrollers"]"#
        )),
        "{rules}"
    );
    let apps = r#"["daemonsets","deployments","replicasets","statefulsets"]"#;
    assert!(rules.contains(&rule(r#"["apps"]"#, every, apps)), "{rules}");
    assert!(!rules.contains("\"secrets\"") && !rules.contains("\"resources\":[\"*\"]"), "{rules}");
}

#[test]
fn a_manifest_asks_for_subresources_beside_everything_and_ignores_where_all_policies_do() {
    let Some(program) = find_or_skip() else { return };
    let scratch = Scratch::new().unwrap();
    let policies = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: all}
spec:
  failurePolicy: Ignore
  background: false
  rules:
  - name: all
    match: {any: [{resources: {kinds: ['*']}}]}
    validate: {failureAction: Enforce, message: refused, deny: {}}
  - name: parts
    match: {any: [{resources: {kinds: [Pod/exec, Pod/status, '*/scale', 'Deployment/scale']}}]}
    validate: {failureAction: Enforce, message: refused, deny: {}}
";
    let manifest = |policies: &str, output: &str| {
        scratch.write("all.yaml", policies).unwrap();
        let output = run(&program, scratch.path(), &["all.yaml", "--manifest", "-o", output]).unwrap();
        engine::yaml::parse_one(&String::from_utf8_lossy(&output.stdout)).unwrap()
    };
    let ignoring = manifest(policies, "_All.wasm");
    assert_eq!(ignoring.find_str(&["metadata", "name"]), "all");
    assert_eq!(ignoring.find_str(&["spec", "failurePolicy"]), "Ignore");
    let rules = engine::json::to_json(ignoring.find(&["spec", "rules"]).unwrap());
    assert!(rules.contains(r#""resources":["*","*/scale"]"#), "{rules}");
    assert!(rules.contains(r#""resources":["pods/exec","pods/status"]"#), "{rules}");
    let wrong = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: x}, spec: {rules: []}}";
    scratch.write("all.yaml", wrong).unwrap();
    let output = run(&program, scratch.path(), &["all.yaml", "--manifest"]).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("policies[0]:1:71: policy `x` has no rules"), "{said}");
    let failing = manifest(&policies.replace("Ignore", "Fail"), "__.wasm");
    assert_eq!(failing.find_str(&["metadata", "name"]), "policy");
    assert_eq!(failing.find_str(&["spec", "failurePolicy"]), "Fail");
}

#[test]
fn what_is_missing_is_named() {
    let Some(program) = find_or_skip() else { return };
    let scratch = Scratch::new().unwrap();
    scratch.write("policy.yaml", POLICY).unwrap();
    let refused = |arguments: &[&str]| {
        let output = run(&program, scratch.path(), arguments).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(&[]).contains("require policy"));
    assert!(refused(&["gone.yaml"]).contains("gone.yaml"));
    let missing = refused(&["policy.yaml", "--module", "none.wasm"]);
    assert!(missing.contains("cargo xtask policy") && missing.contains("none.wasm"), "{missing}");
    scratch.write("none.wasm", "text").unwrap();
    assert!(refused(&["policy.yaml", "--module", "none.wasm"]).contains("this is not a module"));
    assert!(refused(&["--check", "none.wasm", "policy.yaml"]).contains("this is not a module"));
    assert!(!scratch.path().join("policy.wasm").exists());
}
