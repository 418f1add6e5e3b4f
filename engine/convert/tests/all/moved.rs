//! Rules for Pods that mutate, and what autogen of MutatingPolicies moves into templates.
//!
//! In: rules with a configuration. Out: a failure where a policy is left to autogen that does not move what it reads, or where one that it moves
//! becomes several.

use engine_convert::convert;
use engine_lenses::wire::Text;

/// The names of the policies that a rule for Pods becomes, and their texts.
fn made(rule: &str) -> (Vec<String>, String) {
    let text = format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: [{{resources: \
         {{kinds: [Pod]}}}}]}}, {rule}}}]}}}}"
    );
    let all = convert(&Text { name: "policy.yaml".into(), text });
    let text: String = all.iter().map(engine_convert::Conversion::text).collect();
    let names = text.lines().filter_map(|line| line.strip_prefix("  name: ").map(str::to_owned));
    (names.collect(), text)
}

const OF_EACH: [&str; 3] = ["p", "p-controllers", "p-cronjobs"];

#[test]
fn what_autogen_does_not_move_is_written_for_each_way_to_a_template() {
    let of_condition = "preconditions: {all: [{key: \"{{ request.object.metadata.labels.env || '' }}\", operator: Equals, value: prod}]}, \
         mutate: {patchStrategicMerge: {spec: {dnsPolicy: Default}}}";
    let (names, text) = made(of_condition);
    assert_eq!(names, OF_EACH, "{text}");
    let of_patch = "mutate: {patchStrategicMerge: {spec: {serviceAccountName: \"{{ request.object.metadata.labels.env || 'a' }}\"}}}";
    let (names, text) = made(of_patch);
    assert_eq!(names, OF_EACH, "{text}");
    // A Pod itself always has metadata.
    assert!(text.contains("(object.metadata.?labels.?env.orValue('')"), "{text}");
    assert!(text.contains("(object.spec.template.?metadata.?labels.?env.orValue('')"), "{text}");
    assert!(
        text.contains("(object.spec.jobTemplate.spec.template.?metadata.?labels.?env.orValue('')"),
        "{text}"
    );
}

#[test]
fn what_autogen_moves_stays_one_policy() {
    let (names, text) = made(
        "preconditions: {all: [{key: \"{{ request.object.spec.hostNetwork || `false` }}\", operator: Equals, value: true}]}, \
         mutate: {patchStrategicMerge: {spec: {dnsPolicy: ClusterFirstWithHostNet}}}",
    );
    assert_eq!(names, ["p", "p-replicationcontrollers"], "{text}");
}

#[test]
fn a_patch_reads_what_it_is_moved_beside() {
    let (names, text) = made(
        "mutate: {patchStrategicMerge: {spec: {priorityClassName: \"{{ request.object.spec.schedulerName || 'a' }}\"}}}",
    );
    assert_eq!(names, ["p", "p-replicationcontrollers"], "{text}");
    let replication = text.split("p-replicationcontrollers").nth(1).unwrap_or_default();
    assert!(replication.contains("object.spec.template.spec.?schedulerName"), "{text}");
    assert!(!replication.contains("(object.spec.?schedulerName"), "{text}");
}
