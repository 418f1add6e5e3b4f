//! JSON patches whose operations differ in what they test, where they copy from, or what they do.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn grade(old: &str, new: &str) -> Grade {
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true).grade
}

fn of_cel(operations: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: MutatingPolicy, metadata: {{name: p}}, spec: {{\
         autogen: {{podControllers: {{controllers: []}}}}, matchConstraints: {{resourceRules: [{{apiGroups: [''], \
         apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}}]}}, mutations: [{{patchType: JSONPatch, \
         jsonPatch: {{expression: \"[{operations}]\"}}}}]}}}}"
    )
}

fn of_cluster(operations: &str) -> String {
    format!(
        "{{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
         failurePolicy: Fail, reinvocationPolicy: Never, matchConstraints: {{resourceRules: [{{apiGroups: [''], \
         apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}}]}}, mutations: [{{patchType: JSONPatch, \
         jsonPatch: {{expression: \"[{operations}]\"}}}}]}}}}\n---\n\
         {{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {{name: p}}, \
         spec: {{policyName: p}}}}"
    )
}

fn classic(operations: &str) -> String {
    // What begins with a bracket is read as JSON.
    let operations = operations.replace("}, {op", "}\\n- {op");
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p, annotations: \
         {{pod-policies.kyverno.io/autogen-controllers: none}}}}, spec: {{rules: [{{name: r, match: {{any: [{{resources: \
         {{kinds: [Pod]}}}}]}}, mutate: {{patchesJson6902: \"- {operations}\"}}}}]}}}}"
    )
}

/// Operations that differ: the words of both, in the form of a classic patch.
const PAIRS: [(&str, &str); 7] = [
    (
        "{op: test, path: /metadata/labels/app, value: x}, {op: add, path: /metadata/labels/a, value: b}",
        "{op: test, path: /metadata/labels/app, value: y}, {op: add, path: /metadata/labels/a, value: b}",
    ),
    (
        "{op: test, path: /spec/hostPID, value: true}, {op: add, path: /spec/hostIPC, value: true}",
        "{op: test, path: /spec/hostPID, value: false}, {op: add, path: /spec/hostIPC, value: true}",
    ),
    (
        "{op: test, path: /spec/nodeName, value: a}, {op: add, path: /spec/hostPID, value: true}",
        "{op: test, path: /spec/nodeName, value: b}, {op: add, path: /spec/hostPID, value: true}",
    ),
    (
        "{op: test, path: /spec/priority, value: 5}, {op: add, path: /metadata/labels, value: {a: b}}",
        "{op: test, path: /spec/priority, value: 6}, {op: add, path: /metadata/labels, value: {a: b}}",
    ),
    (
        "{op: move, from: /metadata/labels/x, path: /metadata/labels/y}",
        "{op: copy, from: /metadata/labels/x, path: /metadata/labels/y}",
    ),
    (
        "{op: copy, from: /spec/nodeName, path: /metadata/annotations/n}",
        "{op: copy, from: /spec/hostname, path: /metadata/annotations/n}",
    ),
    ("{op: remove, path: /metadata/labels/x}", "{op: remove, path: /metadata/labels/y}"),
];

/// The same operations in an expression.
fn in_cel(operations: &str) -> String {
    let mut text = operations.replace("{op", "JSONPatch{op");
    for word in ["test", "add", "copy", "move", "remove", "replace"] {
        text = text.replace(&format!("op: {word},"), &format!("op: '{word}',"));
    }
    let quoted = |part: &str| {
        let (key, value) = part.split_once(": ").unwrap_or((part, ""));
        let bare = value.trim_end_matches('}');
        let is_plain = bare.starts_with(['\'', '{']) || matches!(bare, "true" | "false" | "5" | "6");
        let value = if is_plain { value.to_owned() } else { value.replacen(bare, &format!("'{bare}'"), 1) };
        format!("{key}: {value}")
    };
    let parts: Vec<String> = text.split(", ").map(quoted).collect();
    parts.join(", ").replace("{a: b}", "{'a': 'b'}")
}

#[test]
fn what_operations_of_a_patch_test_copy_and_need_is_varied() {
    for (old, new) in PAIRS {
        assert_eq!(grade(&classic(old), &classic(new)), Grade::Different, "{old} {new}");
        let [old, new] = [old, new].map(in_cel);
        assert_eq!(grade(&of_cel(&old), &of_cel(&new)), Grade::Different, "{old} {new}");
        assert_eq!(grade(&of_cluster(&old), &of_cluster(&new)), Grade::Different, "{old} {new}");
    }
}

#[test]
fn mistakes_in_patches_are_noticed() {
    let world = engine::world::StaticWorld::default();
    for (operations, _) in PAIRS {
        for text in [classic(operations), of_cel(&in_cel(operations))] {
            let side = vec![Text { name: "policy.yaml".into(), text }];
            // Another text, so that the search is made.
            let other =
                vec![Text { name: "policy.yaml".into(), text: side[0].text.replace("name: p", "name: q") }];
            let options = Options { max_requests: 2_000, ..Options::default() };
            let answer = compare(&side, &other, &options, &world, &mut |_| true);
            assert!(answer.counts.mutants > 0, "{operations}");
            assert_eq!(answer.counts.noticed, answer.counts.mutants, "{operations}: {:?}", answer.missed);
        }
    }
}
