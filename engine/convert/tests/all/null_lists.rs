//! Lists for which an API server writes null: what is made decides on null as its source does.
//!
//! In: rules, and objects with null, an empty list and a list. Out: a failure where one side alone refuses an object.

use crate::shared::objects::{converted, holds};

/// Roles with null, no rules, one that reads and one that does all.
fn roles() -> Vec<String> {
    let rules = [
        "null",
        "[]",
        "[{apiGroups: [''], resources: [pods], verbs: [get]}]",
        "[{apiGroups: ['*'], resources: [secrets, '*'], verbs: ['*']}]",
    ];
    let role = |rules: &&str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: a, namespace: b}}, rules: {rules}}}"
        )
    };
    rules.iter().map(role).collect()
}

fn denied(key: &str, operator: &str, value: &str) -> String {
    format!(
        "validate: {{message: m, deny: {{conditions: {{any: [{{key: \"{key}\", operator: {operator}, value: {value}}}]}}}}}}"
    )
}

#[test]
fn conditions_on_rules_that_are_null_hold_as_in_the_source() {
    for (key, operator, value) in [
        ("{{ contains(to_array(request.object.rules[].verbs[]), '*') }}", "Equals", "true"),
        ("{{ contains(request.object.rules[].verbs[], '*') }}", "Equals", "true"),
        ("{{ request.object.rules[].verbs[] }}", "AnyIn", "['*']"),
        ("{{ request.object.rules[].verbs[] }}", "AllNotIn", "['*']"),
        ("{{ request.object.rules[?resources.contains(@, 'secrets')].verbs[] }}", "AnyIn", "['*']"),
        ("{{ request.object.rules }}", "Equals", "[]"),
        ("{{ request.object.rules[] }}", "NotEquals", "[]"),
        ("{{ length(request.object.rules) }}", "Equals", "0"),
        ("{{ length(request.object.rules || `[]`) }}", "Equals", "0"),
        ("{{ length(request.object.rules[].verbs[]) }}", "GreaterThan", "0"),
        ("{{ request.object.rules[0].verbs[0] || '' }}", "Equals", "get"),
    ] {
        for kinds in ["Role", "ClusterRole, Role", "RoleBinding, Role"] {
            // Of the rules of a binding nothing is known.
            if !(kinds.starts_with("RoleBinding") && key.contains("(@")) {
                holds(kinds, &denied(key, operator, value), &roles());
            }
        }
    }
    // Null is not absent, as some conditions are fulfilled by an empty list alone.
    let written = denied("nodes", "AnyIn", "\"{{ request.object.rules[].resources[] }}\"");
    holds("Role", &written, &roles());
}

#[test]
fn patterns_and_loops_on_rules_that_are_null_hold_as_in_the_source() {
    for pattern in [
        "rules: [{verbs: ['!get']}]",
        "=(rules): [{verbs: ['get*']}]",
        "^(rules): [{verbs: ['get']}]",
        "X(rules): 'null'",
        "rules: '*'",
        "(rules): [{verbs: ['get']}], metadata: {labels: {a: b}}",
        "<(rules): [{verbs: ['get']}], metadata: {labels: {a: b}}",
    ] {
        holds("Role", &format!("validate: {{message: m, pattern: {{{pattern}}}}}"), &roles());
    }
    let conditions = "{any: [{key: \"{{ element.verbs }}\", operator: AnyIn, value: ['*']}]}";
    let made = holds(
        "Role",
        &format!(
            "validate: {{message: m, foreach: [{{list: 'request.object.rules', deny: {{conditions: {conditions}}}}}]}}"
        ),
        &roles(),
    );
    assert!(
        made.contains("expression: 'has(object.rules) && object.rules != null ? object.rules : []'"),
        "{made}"
    );
    assert!(made.contains("variables.rules.all(rule, "), "{made}");
}

#[test]
fn a_variable_for_a_list_stands_only_where_it_is_read() {
    let (_, made) = converted("Role", "validate: {message: m, pattern: {rules: [{verbs: ['get']}]}}");
    assert!(!made.contains("variables"), "{made}");
    // Preconditions do not see variables.
    let made = holds(
        "Role",
        "preconditions: {all: [{key: \"{{ request.object.rules[].verbs[] }}\", operator: AnyNotIn, value: [get]}]}\n\
         validate: {message: m, pattern: {metadata: {name: 'b*'}}}",
        &roles(),
    );
    assert!(!made.contains("variables"), "{made}");
}

#[test]
fn other_lists_that_are_null_hold_as_in_the_source() {
    let slices = ["null", "[]", "[{addresses: [10.0.0.1]}]"].map(|endpoints| {
        format!("{{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {{name: a, namespace: b}}, addressType: IPv4, endpoints: {endpoints}, ports: null}}")
    });
    for key in ["request.object.endpoints[].addresses[]", "request.object.ports[].name"] {
        let rule = denied(&format!("{{{{ {key} }}}}"), "AnyIn", "['10.0.0.1']");
        holds("discovery.k8s.io/v1/EndpointSlice", &rule, &slices);
    }
    let pods = ["null", "[]", "[{configMap: {name: a}}]"].map(|sources| {
        format!("{{apiVersion: v1, kind: Pod, metadata: {{name: a, namespace: b}}, spec: {{volumes: [{{name: v, projected: {{sources: {sources}}}}}, {{name: w, emptyDir: {{}}}}], containers: [{{name: c, image: i}}]}}}}")
    });
    let pattern = "{spec: {=(volumes): [{=(projected): {sources: [{X(configMap): 'null'}]}}]}}";
    holds("Pod", &format!("validate: {{message: m, pattern: {pattern}}}"), &pods);
    let rule =
        denied("{{ request.object.spec.volumes[].projected.sources[].configMap.name }}", "AnyIn", "[a]");
    holds("Pod", &rule, &pods);
}
