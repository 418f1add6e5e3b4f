//! Rules of the forms in which public policies have them, converted and compared with what they were.
//!
//! In: rules. Out: a failure where a comparison finds a difference, or where another text is made.

use crate::shared::{converted_of, denied, holds_within, policy, why_refused};
use engine_convert::Conversion;

fn converted(kind: &str, rule: &str) -> Conversion {
    converted_of(policy("a: b", kind, rule))
}

fn holds_for(kind: &str, rule: &str) -> Conversion {
    let conversion = converted(kind, rule);
    holds_within(&conversion, rule, 2_500);
    conversion
}

#[test]
fn wildcards_stand_for_line_breaks_too() {
    let pattern = "validate: {message: m, pattern: {spec: {url: 'https://a.io/x/?* | ssh://a.io:x/?*'}}}";
    let text = holds_for("example.io/v1/Repository", pattern).text();
    assert!(text.contains(r"matches('(?s)^https://a\\.io/x/..*$')"), "{text}");
}

#[test]
fn a_field_of_a_custom_kind_is_not_taken_for_one_of_kubernetes() {
    let conversion = holds_for(
        "example.io/v1/Scaler",
        "validate: {message: m, pattern: {spec: {targetRef: {kind: 'Deployment | StatefulSet'}}}}",
    );
    let is_said =
        |note: &String| note.contains("`spec.targetRef.kind` not the text `Deployment | StatefulSet` itself");
    assert!(conversion.notes.iter().any(is_said), "{:?}", conversion.notes);
}

#[test]
fn several_keys_are_looked_for_in_a_string_where_the_field_is_one() {
    let pattern = "validate: {message: m, pattern: {spec: {targetRef: {kind: 'Deployment | StatefulSet'}}}}";
    let condition = "{key: [Deployment, StatefulSet], operator: AnyIn, value: '{{ request.object.spec.targetRef.kind }}'}";
    let rules = format!(
        "{pattern}\n  - name: s\n    match: {{any: [{{resources: {{kinds: [example.io/v1/Scaler]}}}}]}}\n    preconditions: {{all: \
         [{condition}]}}\n    validate: {{message: m, pattern: {{spec: {{limit: 'a*'}}}}}}"
    );
    let text = policy("a: b", "example.io/v1/Scaler", "").replace("\n    \n", "\n");
    let conversion = converted_of(format!("{text}    {rules}\n"));
    holds_within(&conversion, &rules, 2_500);
    let text = conversion.text();
    assert!(text.contains("kind.orValue('Deployment') in ['Deployment', 'StatefulSet']"), "{text}");
    assert!(!text.contains("'Deployment' in object"), "{text}");
    // By itself the field is taken for a list.
    let alone = format!(
        "preconditions: {{all: [{condition}]}}\nvalidate: {{message: m, pattern: {{spec: {{limit: 'a*'}}}}}}"
    );
    let conversion = holds_for("example.io/v1/Scaler", &alone);
    assert!(conversion.text().contains("'Deployment' in object"), "{}", conversion.text());
    // The old operators read no list in a string that is none.
    let old = denied("request.object.spec.nodeName", "In", "x").replace(
        "key: \"{{ request.object.spec.nodeName }}\", operator: In, value: x",
        "key: [a, b], operator: In, value: \"{{ request.object.spec.nodeName }}\"",
    );
    let said = why_refused(&converted("Pod", &old));
    assert!(said.contains("several keys held by `In`"), "{said}");
}

#[test]
fn amounts_of_two_fields_are_taken_as_they_are_written() {
    let conversion = holds_for(
        "Node",
        &denied(
            "request.object.metadata.labels.foo || ''",
            "NotEquals",
            "\"{{ request.oldObject.metadata.labels.foo || '' }}\"",
        ),
    );
    let is_said = |note: &String| note.contains("compares amounts by what they are");
    assert!(conversion.notes.iter().any(is_said), "{:?}", conversion.notes);
}

#[test]
fn a_selector_of_namespaces_is_for_nothing_that_is_in_none() {
    let text = policy("a: b", "'*'", "validate: {message: m, deny: {}}").replace("rules:", "background: false\n  rules:").replace(
        "kinds: ['*']",
        "kinds: ['*'], namespaceSelector: {matchExpressions: [{key: freeze, operator: In, values: ['true']}]}",
    );
    let conversion = converted_of(text);
    holds_within(&conversion, "deny", 2_500);
    let made = conversion.text();
    assert!(!made.contains("namespaceSelector") && made.contains("!= 'Namespace'"), "{made}");
    // What is in a namespace is selected as before.
    let of_pods = policy("a: b", "Pod", "validate: {message: m, deny: {}}")
        .replace("kinds: [Pod]", "kinds: [Pod], namespaceSelector: {matchLabels: {freeze: 'true'}}");
    let conversion = converted_of(of_pods);
    holds_within(&conversion, "deny", 1_000);
    assert!(conversion.text().contains("namespaceSelector"), "{}", conversion.text());
}

#[test]
fn labels_to_match_are_a_map() {
    let conversion = holds_for(
        "Service",
        "context: [{name: count, apiCall: {urlPath: '/apis/example.io/v1/namespaces/{{request.namespace}}/servers', jmesPath: \
         'items[?label_match(spec.podSelector.matchLabels, `{{request.object.spec.selector}}`)] | length(@)'}}]\nvalidate: {message: m, \
         deny: {conditions: {any: [{key: '{{count}}', operator: LessThan, value: 1}]}}}",
    );
    assert!(conversion.text().contains("== map"), "{}", conversion.text());
}

#[test]
fn names_in_a_cluster_are_those_of_dns() {
    holds_for(
        "example.io/v1/Guard",
        "context: [{name: servers, apiCall: {urlPath: '/apis/example.io/v1/namespaces/{{request.namespace}}/servers', jmesPath: \
         'items[].metadata.name || `[]`'}}]\nvalidate: {message: m, deny: {conditions: {all: [{key: \
         '{{request.object.spec.targetRef.name}}', operator: AnyNotIn, value: '{{servers}}'}]}}}",
    );
}

#[test]
fn a_loop_of_patches_is_over_a_list() {
    let conversion = holds_for(
        "example.io/v1/Store",
        "mutate: {foreach: [{list: request.object.spec.data, patchesJson6902: \"- {path: '/spec/data/{{elementIndex}}/ref', op: add, value: \
         {key: 'x-{{element.ref.key}}'}}\"}]}",
    );
    let is_said = |note: &String| note.contains("spec.data is a list");
    assert!(conversion.notes.iter().any(is_said), "{:?}", conversion.notes);
}

#[test]
fn no_two_constraints_of_spreading_are_alike() {
    holds_for(
        "Deployment",
        "mutate: {patchStrategicMerge: {spec: {template: {spec: {+(topologySpreadConstraints): [{maxSkew: 1, topologyKey: zone, \
         whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}]}}}}}",
    );
}
