//! Parameters of policies: objects that the search makes, and such as are given.

use engine_compare::{Comparison, Direction, Grade, Options, compare};
use engine_lenses::wire::Text;

fn policy(expression: &str, reference: &str, beside: &str) -> String {
    format!(
        "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
         matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}}]}}, \
         paramKind: {{apiVersion: v1, kind: ConfigMap}}, validations: [{{expression: \"{expression}\"}}]}}}}\n---\n\
         {{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {{name: b}}, spec: {{\
         policyName: p, validationActions: [Deny], paramRef: {reference}}}}}\n{beside}"
    )
}

fn compared_with(old: &str, new: &str, options: &Options) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    compare(&text(old), &text(new), options, &world, &mut |_| true)
}

fn compared(old: &str, new: &str) -> Comparison {
    compared_with(old, new, &Options::default())
}

fn directions(answer: &Comparison) -> Vec<Direction> {
    answer.findings.iter().map(|finding| finding.direction).collect()
}

const NAMED: &str = "{name: cfg, namespace: default, parameterNotFoundAction: Deny}";

#[test]
fn values_of_parameters_are_tried() {
    let at_most = policy("object.spec.containers.size() <= int(params.data.max)", NAMED, "");
    let fewer = policy("object.spec.containers.size() < int(params.data.max)", NAMED, "");
    let answer = compared(&at_most, &fewer);
    assert_eq!(directions(&answer), [Direction::Stricter]);
    let cluster = answer.findings[0].request.attributes.cluster.clone().expect("a cluster");
    assert_eq!(cluster.iter().map(|object| object.find_str(&["kind"])).collect::<Vec<_>>(), ["ConfigMap"]);
    let line = answer.assumptions.iter().find(|line| line.starts_with("parameters: "));
    assert!(line.is_some_and(|line| line.contains("v1 ConfigMap default/cfg, made")), "{line:?}");
}

#[test]
fn a_parameter_that_is_absent_is_tried() {
    let old = policy("object.metadata.name != params.data.x", NAMED, "");
    let new = policy("object.metadata.name != params.data.x", &NAMED.replace("Deny", "Allow"), "");
    let answer = compared(&old, &new);
    assert_eq!(directions(&answer), [Direction::Wider]);
    assert_eq!(answer.findings[0].request.attributes.cluster.as_ref().map(|all| all.len()), Some(0));
}

#[test]
fn selected_parameters_are_made_with_their_labels() {
    let reference = "{selector: {matchLabels: {of: limits}}, parameterNotFoundAction: Allow}";
    let old = policy("object.metadata.?labels.?team.orValue('') in params.data", reference, "");
    let new = policy("object.metadata.?labels.?team.orValue('') == 'a'", reference, "");
    assert_eq!(compared(&old, &new).grade, Grade::Different);
}

#[test]
fn those_that_are_given_are_the_only_ones() {
    let cfg = |max: &str| {
        format!(
            "---\n{{apiVersion: v1, kind: ConfigMap, metadata: {{name: cfg, namespace: default}}, data: {{max: '{max}'}}}}"
        )
    };
    let limit = "object.spec.containers.size() <= int(params.data.max)";
    // A limit of two containers in words, and as a parameter.
    let written = policy("object.spec.containers.size() <= 2", NAMED, "");
    let answer = compared(&policy(limit, NAMED, &cfg("2")), &written);
    assert_eq!(answer.grade, Grade::NoDifference, "{:?}", answer.reasons);
    assert!(answer.assumptions.contains(&"parameters: v1 ConfigMap default/cfg, as given".to_owned()));
    let given = |max: &str| Options {
        resources: vec![Text { name: "cfg.yaml".into(), text: cfg(max) }],
        ..Options::default()
    };
    let old = policy(limit, NAMED, "");
    assert_eq!(compared_with(&old, &written, &given("2")).grade, Grade::NoDifference);
    assert_eq!(compared_with(&old, &written, &given("3")).grade, Grade::Different);
    // Each side has its own.
    let (two, three) = (policy(limit, NAMED, &cfg("2")), policy(limit, NAMED, &cfg("3")));
    assert_eq!(directions(&compared(&two, &three)), [Direction::Wider]);
}

#[test]
fn a_rule_for_one_operation_is_tried_with_it_and_the_names_that_it_is_for() {
    let excluded = |rules: &str| {
        format!(
            "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {{name: p}}, spec: {{\
             matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], \
             resources: [pods]}}], excludeResourceRules: {rules}}}, \
             validations: [{{expression: \"!object.spec.?hostNetwork.orValue(false)\"}}]}}}}"
        )
    };
    let special = "[{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [UPDATE], resourceNames: [special]}]";
    let answer = compared(&excluded("[]"), &excluded(special));
    assert_eq!(directions(&answer), [Direction::Wider]);
    assert_eq!(answer.findings[0].request.object.find_str(&["metadata", "name"]), "special");
}

#[test]
fn parameters_of_the_namespace_are_not_those_of_one_namespace() {
    let rule = "object.metadata.name != params.data.?n.orValue('')";
    let own = policy(rule, "{name: cm, parameterNotFoundAction: Deny}", "");
    let of_one = policy(rule, "{name: cm, namespace: default, parameterNotFoundAction: Deny}", "");
    assert_eq!(compared(&own, &of_one).grade, Grade::Different);
    assert_eq!(compared(&of_one, &own).grade, Grade::Different);
}
