//! Lists that are put together, what templates of Pods need not have, and variables of patterns that are null or missing.
//!
//! In: rules. Out: a failure where a comparison finds a difference, or where another text is made.

use crate::shared::{converted_of, denied, holds_within, policy, why_refused};

fn holds(rule: &str) -> String {
    let conversion = converted_of(policy("", "Pod", rule));
    holds_within(&conversion, rule, 1_500);
    conversion.text()
}

fn refused(rule: &str) -> String {
    why_refused(&converted_of(policy("", "Pod", rule)))
}

#[test]
fn single_values_stand_in_a_list_that_is_put_together() {
    let users = "request.object.spec.securityContext.[runAsUser, runAsGroup][]";
    let text = holds(&denied(users, "AnyIn", "[0]"));
    assert!(
        text.contains(
            "[?object.spec.?securityContext.?runAsUser, ?object.spec.?securityContext.?runAsGroup]"
        ),
        "{text}"
    );
    // Where nothing stands above them there is no list, and of null no operator holds.
    let text = holds(&denied(users, "AllNotIn", "[1000]"));
    assert!(text.contains("!has(object.spec.securityContext)"), "{text}");
    holds(&denied("length(request.object.spec.[schedulerName, priorityClassName][])", "Equals", "2"));
    holds(
        "validate: {message: m, foreach: [{list: request.object.spec.containers, deny: {conditions: {any: [{key: '{{ \
         element.securityContext.[runAsUser, runAsGroup][] }}', operator: AnyIn, value: [0]}]}}}]}",
    );
}

#[test]
fn parts_of_elements_stand_beside_single_values() {
    let users = "request.object.spec.[securityContext.runAsUser, containers[].securityContext.runAsUser][]";
    let text = holds(&denied(users, "AnyIn", "[0]"));
    assert!(text.contains("[?object.spec.?securityContext.?runAsUser] +"), "{text}");
    let mixed = "request.object.spec.[schedulerName, terminationGracePeriodSeconds][]";
    let said = refused(&denied(mixed, "AnyIn", "[a]"));
    assert!(said.contains("values of several types"), "{said}");
}

#[test]
fn names_and_namespaces_of_pods_are_read_of_templates_as_in_the_source() {
    let text = holds("validate: {message: m, pattern: {metadata: {(name): 'a*', labels: {x: 'yes'}}}}");
    assert!(text.contains("object.spec.template.metadata.?name.orValue("), "{text}");
    let text = holds(
        "validate: {message: m, pattern: {metadata: {<(namespace): 'a*'}, spec: {hostNetwork: false}}}",
    );
    assert!(
        text.contains("object.metadata[?'namespace']") || text.contains("'namespace' in object.metadata"),
        "{text}"
    );
    holds("validate: {message: m, pattern: {metadata: {=(namespace): 'a*'}, spec: {=(hostNetwork): false}}}");
    holds("validate: {message: m, pattern: {metadata: {X(name): 'null'}}}");
}

#[test]
fn a_config_map_without_data_makes_a_pattern_of_null() {
    let context = "context: [{name: cm, configMap: {name: c, namespace: default}}]\n";
    let of = |pattern: &str| format!("{context}validate: {{message: m, pattern: {pattern}}}");
    // Of labels and annotations the source takes null out of the pattern.
    let text = holds(&of("{metadata: {annotations: {a: '{{ cm.data.x }}'}}}"));
    assert!(
        text.contains("has(object.metadata.annotations) &&\n        (!has(variables.cm.data) ||"),
        "{text}"
    );
    holds(&of("{metadata: {=(annotations): {=(a): '{{ cm.data.x }}'}}}"));
    let text = holds(&of("{spec: {schedulerName: '{{ cm.data.x }}'}}"));
    assert!(
        text.contains("object.spec.?schedulerName.orValue('') == ''") || text.contains("schedulerName == ''"),
        "{text}"
    );
}

#[test]
fn a_variable_that_is_missing_is_an_error_of_the_whole_pattern() {
    let text = holds(
        "validate: {message: m, pattern: {spec: {nodeSelector: {(a): '{{ request.object.metadata.labels.x }}', b: c}}}}",
    );
    assert!(text.contains("variables.metadata.?labels.?x.hasValue() &&"), "{text}");
    // Where the pattern asks for it in any case, nothing is said twice.
    let text = holds(
        "validate: {message: m, pattern: {spec: {schedulerName: '{{ request.object.metadata.labels.x }}'}}}",
    );
    assert!(!text.contains("labels.?x.hasValue()"), "{text}");
}
