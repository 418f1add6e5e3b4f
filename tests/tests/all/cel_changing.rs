//! Policies in CEL that change things, as the terminal runs them.
//!
//! In: the built `podsieve`, policies, resources and test folders. Out: a failure where output or exit code differ.

use tests::program;
use tests::terminal::run;

const DELETING: &str = "\
apiVersion: policies.kyverno.io/v1
kind: DeletingPolicy
metadata: {name: old}
spec:
  schedule: '0 2 * * *'
  deletionPropagationPolicy: Orphan
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}
  conditions:
  - {name: is-job, expression: \"object.metadata.name.startsWith('job-') || object.spec.x == 1\"}
";
const OBJECTS: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: job-1, namespace: a}
spec: {x: 0}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: b}
spec: {x: 0}
---
apiVersion: v1
kind: Pod
metadata: {name: odd, namespace: a}
spec: {}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: job-2, namespace: a}
";

#[test]
fn cleanup_tells_of_a_deleting_policy_what_goes_when_and_why() {
    let Some(program) = program::find_or_skip() else { return };
    let at = &["cleanup", "p.yaml", "-r", "r.yaml", "--at", "2026-12-31T03:00:00Z"];
    let all = run(&program, &[("p.yaml", DELETING), ("r.yaml", OBJECTS)], at, "");
    assert_eq!(
        all.out,
        "DeletingPolicy old (`0 2 * * *`, Orphan): due 2027-01-01T02:00:00Z, 2027-01-02T02:00:00Z, \
         2027-01-03T02:00:00Z\n  delete  a/Pod/job-1: it matches, and the conditions hold\n  keep    b/Pod/web: a \
         condition does not hold\n  error   a/Pod/odd: no such key: x; it is not decided, so nothing is deleted\n  keep    \
         a/ConfigMap/job-2: it does not match\n"
    );
    assert_eq!(all.code, 1, "what cannot be decided is no success");
    let of_namespace = DELETING
        .replace("kind: DeletingPolicy", "kind: NamespacedDeletingPolicy")
        .replace("{name: old}", "{name: old, namespace: b}");
    let one = run(&program, &[("p.yaml", &of_namespace), ("r.yaml", OBJECTS)], at, "");
    let elsewhere = "the policy is for namespace `b`, the resource is in `a`";
    assert!(one.out.starts_with("NamespacedDeletingPolicy b/old (`0 2 * * *`, Orphan): due "), "{}", one.out);
    assert!(one.out.contains(&format!("\n  keep    a/Pod/job-1: {elsewhere}\n")), "{}", one.out);
    assert!(one.out.contains("\n  keep    b/Pod/web: a condition does not hold\n"), "{}", one.out);
    assert_eq!(one.code, 0, "{}", one.err);
}

const TEST: &str = "\
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: {name: t}
policies: [p.yaml]
resources: [r.yaml]
";

#[test]
fn a_test_folder_asks_deleting_policies_too() {
    let Some(program) = program::find_or_skip() else { return };
    let entry = |name: &str, result: &str| {
        format!(
            "- {{policy: old, isDeletingPolicy: true, kind: Pod, resources: [{name}], result: {result}}}\n"
        )
    };
    let results = [entry("job-1", "pass"), entry("web", "fail"), entry("odd", "error")].concat();
    let file = format!("{TEST}results:\n{results}");
    let files = [("p.yaml", DELETING), ("r.yaml", OBJECTS), ("kyverno-test.yaml", &file)];
    let all = run(&program, &files, &["test", "."], "");
    assert!(all.out.contains("\nfailed to apply policy odd on resource: no such key: x\n"), "{}", all.out);
    assert!(
        all.out.ends_with("\nTest Summary: 3 tests passed and 0 tests failed\n\n"),
        "{}{}",
        all.out,
        all.err
    );
    assert_eq!(all.code, 0);
    let wrong = file.replace("result: error", "operation: DELETE, result: error");
    let files = [("p.yaml", DELETING), ("r.yaml", OBJECTS), ("kyverno-test.yaml", &wrong)];
    let refused = run(&program, &files, &["test", "."], "");
    let words = "invalid test result for policy old: operation is not supported for deleting policies";
    assert!(refused.err.contains(words), "{}", refused.err);
    assert_eq!(refused.code, 1);
}

const MUTATING: &str = "\
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: count}
spec:
  evaluation: {mutateExisting: {enabled: true}}
  autogen: {podControllers: {controllers: []}}
  matchConstraints:
    resourceRules:
    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  targetMatchConstraints: TARGETS
  targetMatchConditions:
  - {name: open, expression: '!has(object.immutable)'}
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: \"add\", path: \"/data\", value: {\"by\": request.name}}]'}
";
const RULES: &str =
    "{resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]}";
const EXPRESSION: &str =
    "{expression: \"resource.Get('v1', 'configmaps', object.metadata.namespace, object.metadata.name)\"}";
const TARGETS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: job-1, namespace: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: shut, namespace: a}
immutable: true
";
const EXPECTED: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: job-1, namespace: a}
data: {by: job-1}
";

#[test]
fn a_test_folder_sees_the_objects_that_a_policy_changes_for_another() {
    let Some(program) = program::find_or_skip() else { return };
    let pod = OBJECTS.split("---\n").next().unwrap_or("");
    let entry = "- {policy: count, isMutatingPolicy: true, kind: ConfigMap, patchedResources: e.yaml, resources: [a/job-1], result: pass}\n";
    let file = format!("{TEST}targetResources: [t.yaml]\nresults:\n{entry}").replace("a/job-1", "a/NAME");
    for (targets, wanted) in [(RULES, "1 tests passed and 0"), (EXPRESSION, "1 tests passed and 0")] {
        let policy = MUTATING.replace("TARGETS", targets);
        let file = file.replace("NAME", "job-1");
        let files = [
            ("p.yaml", policy.as_str()),
            ("r.yaml", pod),
            ("t.yaml", TARGETS),
            ("e.yaml", EXPECTED),
            ("kyverno-test.yaml", &file),
        ];
        let all = run(&program, &files, &["test", "."], "");
        assert!(all.out.contains(wanted), "{}{}", all.out, all.err);
        assert!(all.out.contains("v1/ConfigMap/a/job-1"), "{}", all.out);
    }
    let broken = MUTATING.replace("TARGETS", &EXPRESSION.replace("object.metadata.name", "object.spec.nope"));
    let file = format!(
        "{TEST}targetResources: [t.yaml]\nresults:\n- {{policy: count, kind: Pod, resources: [job-1], result: error}}\n"
    );
    let files =
        [("p.yaml", broken.as_str()), ("r.yaml", pod), ("t.yaml", TARGETS), ("kyverno-test.yaml", &file)];
    let all = run(&program, &files, &["test", ".", "--detailed-results"], "");
    assert!(all.out.contains("no such key: nope"), "{}{}", all.out, all.err);
}
