//! Requests of subresources: each is made as an API server sends it, wherever a policy names the subresource.

use engine_compare::{Comparison, Direction, Grade, KindGap, Operation, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    compare(&text(old), &text(new), &Options::default(), &world, &mut |_| true)
}

fn in_cel(group: &str, resources: &str, operations: &str, expression: &str) -> String {
    format!(
        "{{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {{name: p}}, spec: {{validationActions: [Deny], \
         matchConstraints: {{resourceRules: [{{apiGroups: ['{group}'], apiVersions: [v1], operations: [{operations}], \
         resources: ['{resources}']}}]}}, validations: [{{message: refused, expression: \"{expression}\"}}]}}}}"
    )
}

fn classic(kinds: &str, key: &str, operator: &str, value: &str) -> String {
    format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{background: false, rules: [{{name: r, \
         match: {{any: [{{resources: {{kinds: [{kinds}]}}}}]}}, validate: {{failureAction: Enforce, allowExistingViolations: false, message: refused, \
         deny: {{conditions: {{all: [{{key: '{key}', operator: {operator}, value: {value}}}]}}}}}}}}]}}}}"
    )
}

#[test]
fn what_is_connected_by_is_tried() {
    let exec = |name: &str| in_cel("", "pods/exec", "CONNECT", &format!("object.container == '{name}'"));
    let answer = compared(&exec("a"), &exec("b"));
    let first = answer.findings.first().expect("a difference");
    assert_eq!(first.request.attributes.operation, Operation::Connect);
    assert_eq!(first.request.object.find_str(&["kind"]), "PodExecOptions");
    assert_eq!(first.request.subresource(), Some("exec"));
    assert!(answer.assumptions.contains(&"subresources: pods/exec (CONNECT PodExecOptions)".to_owned()));
}

#[test]
fn classic_policies_and_those_in_cel_meet_the_same_requests() {
    let old = classic("Pod/exec", "{{ request.object.command || `[]` }}", "AnyIn", "[sh, bash]");
    let new = in_cel("", "pods/exec", "CONNECT", "object.?command.orValue([]).all(c, c != 'sh')");
    let answer = compared(&old, &new);
    assert_eq!(answer.findings.first().map(|first| first.direction), Some(Direction::Wider), "{answer:?}");
    let old = classic("Deployment/scale", "{{ request.object.spec.replicas }}", "GreaterThan", "5");
    let new = in_cel("apps", "deployments/scale", "UPDATE", "object.spec.replicas < 5");
    let answer = compared(&old, &new);
    let first = answer.findings.first().expect("a difference");
    assert_eq!(first.direction, Direction::Stricter);
    assert_eq!(
        first.request.object.find(&["spec", "replicas"]).and_then(engine_json::Value::as_i64),
        Some(5)
    );
    let alike = in_cel("apps", "deployments/scale", "UPDATE", "object.spec.replicas <= 5");
    assert_eq!(compared(&old, &alike).grade, Grade::NoDifference);
}

#[test]
fn a_resource_with_all_its_subresources_is_more_than_the_resource() {
    let of = |resources: &str| in_cel("", resources, "CREATE", "false");
    let answer = compared(&of("pods/*"), &of("pods"));
    let named: Vec<_> = answer.findings.iter().map(|finding| finding.request.subresource()).collect();
    // The other is one of a controller: a policy that names a subresource has no autogen.
    assert!(named.contains(&Some("eviction")), "{named:?}");
}

#[test]
fn one_of_which_no_request_is_made_is_named() {
    let of = |expression: &str| in_cel("", "pods/status", "UPDATE", expression);
    let answer = compared(&of("true"), &of("false"));
    assert_eq!(answer.grade, Grade::NotCompared);
    assert!(answer.reasons[0].text.contains("subresources (`pods/status`)"), "{:?}", answer.reasons);
}

#[test]
fn what_asks_the_operation_is_tried_with_ephemeral_containers() {
    let old = classic("Pod", "{{ request.operation }}", "Equals", "UPDATE");
    let new = |resources: &str| {
        in_cel("", resources, "CREATE, UPDATE", "request.operation != 'UPDATE'")
            .replace("validationActions", "autogen: {podControllers: {controllers: []}}, validationActions")
    };
    let old = old
        .replace("{name: p}", "{name: p, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}");
    let answer = compared(&old, &new("pods"));
    let first = answer.findings.first().expect("a difference");
    assert_eq!((first.direction, first.gap), (Direction::Wider, Some(KindGap::EphemeralContainers)));
    assert_eq!(first.request.subresource(), Some("ephemeralcontainers"));

    // Between policies in CEL it is no gap, and who names the subresource is asked about it.
    let named = new("pods', 'pods/ephemeralcontainers");
    let answer = compared(&named, &new("pods"));
    assert_eq!(
        answer.findings.first().map(|first| (first.direction, first.gap)),
        Some((Direction::Wider, None))
    );
    assert_eq!(compared(&old, &named).grade, Grade::NoDifference);
}

#[test]
fn a_scale_is_found_by_name_namespace_and_replicas_at_once() {
    let scaling = |replicas: &str| {
        format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{background: false, rules: [{{name: r, \
             match: {{any: [{{resources: {{kinds: [Deployment/scale], names: [web], namespaces: [shop]}}}}]}}, validate: \
             {{failureAction: Enforce, pattern: {{spec: {{replicas: {replicas}}}}}}}}}]}}}}"
        )
    };
    let answer = compared(&scaling("2"), &scaling("3"));
    let found = &answer.findings.first().expect("a difference").request.object;
    assert_eq!(
        [found.find_str(&["metadata", "namespace"]), found.find_str(&["metadata", "name"])],
        ["shop", "web"]
    );
}
