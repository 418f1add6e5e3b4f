//! Differences that show only at some place: an element by its number, or by that of a `foreach`.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    compare(&text(old), &text(new), &Options::default(), &world, &mut |_| true)
}

#[test]
fn places_below_the_number_of_an_element_are_read() {
    let removing = |field: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, mutate: {{foreach: [{{list: request.object.spec.containers, \
             patchesJson6902: '[{{\"op\": \"remove\", \"path\": \"/spec/containers/{{{{elementIndex}}}}/{field}\"}}]'}}]}}}}]}}}}"
        )
    };
    assert_eq!(compared(&removing("command"), &removing("args")).grade, Grade::Different);
}

#[test]
fn elements_are_tried_in_another_order() {
    let validating = |expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: [networking.k8s.io], apiVersions: [v1], operations: [CREATE], \
             resources: [networkpolicies]}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
        )
    };
    // They differ where `Egress` stands first of two alone.
    let both = "object.spec.?policyTypes.orValue([]).size() != 2";
    let first = "object.spec.?policyTypes.orValue([]).size() != 2 || (object.spec.policyTypes[0] == 'Egress' && object.spec.policyTypes[1] == 'Ingress')";
    let answer = compared(&validating(both), &validating(first));
    let request = &answer.findings.first().expect("a difference").request;
    let types = request.object.find(&["spec", "policyTypes"]).and_then(|types| types.as_array());
    let types: Vec<&str> = types.unwrap_or_default().iter().filter_map(|text| text.as_str()).collect();
    assert_eq!(types, ["Egress", "Ingress"]);
}

#[test]
fn rules_of_roles_are_for_resources_and_for_addresses() {
    let validating = |expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: [rbac.authorization.k8s.io], apiVersions: [v1], operations: [CREATE], \
             resources: [clusterroles]}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
        )
    };
    let of_secrets = "object.?rules.orValue([]).all(rule, !('secrets' in rule.?resources.orValue([])))";
    let needing = format!("object.?rules.orValue([]).all(rule, has(rule.resources)) && {of_secrets}");
    let answer = compared(&validating(of_secrets), &validating(&needing));
    let request = &answer.findings.first().expect("a difference").request;
    let rules = request.object.find(&["rules"]).and_then(|rules| rules.as_array()).unwrap_or_default();
    let rule = rules.iter().find(|rule| rule.get("resources").is_none()).expect("a rule for addresses");
    assert!(rule.get("nonResourceURLs").is_some() && rule.get("apiGroups").is_none(), "{rule:?}");
}

#[test]
fn a_role_without_rules_arrives_with_null() {
    let validating = |expression: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{resourceRules: [{{apiGroups: [rbac.authorization.k8s.io], apiVersions: [v1], operations: [CREATE], \
             resources: [roles]}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
        )
    };
    let compared = |new: &str| {
        compared(
            &validating("!has(object.rules) || object.rules == null || size(object.rules) < 2"),
            &validating(new),
        )
    };
    // What errs on a role that is written without rules errs on none that arrives.
    let answer = compared("object.rules == null || size(object.rules) < 2");
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", (&answer.findings, &answer.reasons));
    let answer = compared("object.rules != null && size(object.rules) < 2");
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.reasons);
}

#[test]
fn a_namespace_is_selected_by_its_own_labels() {
    let generating = |label: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: GeneratingPolicy, metadata: {{name: p}}, spec: {{matchConstraints: \
             {{namespaceSelector: {{matchLabels: {{team: {label}}}}}, resourceRules: [{{apiGroups: [''], apiVersions: [v1], \
             operations: [CREATE], resources: [namespaces]}}]}}, generate: [{{expression: \"generator.apply(object.metadata.name, \
             [{{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({{'name': 'made'}})}}])\"}}]}}}}"
        )
    };
    let answer = compared(&generating("a"), &generating("b"));
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.reasons);
    let validating = |names: &str| {
        format!(
            "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
             matchConstraints: {{namespaceSelector: {{matchExpressions: [{{key: kubernetes.io/metadata.name, operator: NotIn, \
             values: {names}}}]}}, resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: \
             [namespaces]}}]}}, validations: [{{expression: 'false'}}]}}}}"
        )
    };
    let answer = compared(&validating("[a, b]"), &validating("[a]"));
    assert_eq!(answer.grade, Grade::Different, "{:?}", answer.reasons);
}

#[test]
fn the_namespace_of_a_namespace_is_its_name() {
    let validating = |names: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: \
             [{{resources: {{kinds: [Namespace]}}}}]}}, exclude: {{any: [{{resources: {{namespaces: {names}}}}}]}}, validate: \
             {{failureAction: Enforce, deny: {{}}}}}}]}}}}"
        )
    };
    let answer = compared(&validating("[kube-system, kube-public]"), &validating("[kube-system]"));
    let found = &answer.findings.first().expect("a difference").request.object;
    assert_eq!(found.find_str(&["metadata", "name"]), "kube-public");
}
