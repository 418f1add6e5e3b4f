//! Expressions in their places, and what they give.

use super::{parts, run};
use crate::wire::{EvaluateInput, Evaluated, Input, Text};
use engine::world::StaticWorld;

const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: first
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: team
      variable: {jmesPath: request.object.metadata.labels.team}
    preconditions:
      all:
      - {key: '{{ to_upper(team) }}', operator: Equals, value: SHOP}
    validate:
      message: '{{ nowhere(1) }}'
      foreach:
      - list: request.object.spec.containers
        foreach:
        - list: element.ports
          deny: {conditions: {all: [{key: '{{ element.number }}', operator: Equals, value: 1}]}}
  - name: second
    match: {any: [{resources: {kinds: [Service]}}]}
    validate: {message: '{{ request.object.spec.type }}', deny: {}}
";
const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ns, labels: {team: shop}}, spec: {containers: \
     [{name: c, image: i, ports: [{number: 80}]}]}}";

fn input(place: &str, expression: &str) -> EvaluateInput {
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let resources = text("r.yaml", POD);
    EvaluateInput {
        input: Input { policies: text("p.yaml", POLICY), resources, ..Input::default() },
        at: u32::try_from(POLICY.find(place).unwrap()).unwrap(),
        expression: expression.to_owned(),
        ..EvaluateInput::default()
    }
}

fn values(place: &str, expression: &str) -> Vec<(String, String)> {
    let output = run(&input(place, expression), &StaticWorld::default()).unwrap();
    let described = |found: Evaluated| (found.expression, found.value.or(found.error).unwrap_or_default());
    output.values.into_iter().map(described).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn context_entries_of_the_rule_are_there() {
    assert_eq!(values("to_upper", "{{ to_upper(team) }}"), pairs(&[("to_upper(team)", "\"SHOP\"")]));
    let expected = [
        ("request.object.metadata", POD_METADATA),
        ("request.object.metadata.labels", "{\"team\":\"shop\"}"),
        ("request.object.metadata.labels | keys(@)", "[\"team\"]"),
        ("request.object.metadata.labels | keys(@)[0]", "\"team\""),
    ];
    assert_eq!(values("to_upper", "request.object.metadata.labels | keys(@)[0]"), pairs(&expected));
}

const POD_METADATA: &str = "{\"labels\":{\"team\":\"shop\"},\"name\":\"web\",\"namespace\":\"ns\"}";

#[test]
fn in_a_loop_the_first_element_is_taken() {
    let output = run(&input("element.number", "element.number"), &StaticWorld::default()).unwrap();
    assert_eq!(output.loops, ["request.object.spec.containers", "element.ports"]);
    assert_eq!((output.rule.as_str(), output.resource.name.as_str()), ("first", "web"));
    let expected = pairs(&[("element", "{\"number\":80}"), ("element.number", "80")]);
    assert_eq!(values("element.number", "element.number"), expected);
    assert_eq!(
        values("element.ports", "element0.name"),
        pairs(&[("element0", &element()), ("element0.name", "\"c\"")])
    );
}

fn element() -> String {
    "{\"image\":\"i\",\"name\":\"c\",\"ports\":[{\"number\":80}]}".to_owned()
}

#[test]
fn what_has_no_value_says_why() {
    let error =
        |place: &str, expression: &str| run(&input(place, expression), &StaticWorld::default()).unwrap_err();
    assert!(error("nowhere", "nowhere(1)").contains("nowhere"), "{}", error("nowhere", "nowhere(1)"));
    assert_eq!(error("kind: Cluster", "a"), "there is no rule around this place");
    assert_eq!(error("spec.type", "a"), "the rule is for none of the resources");
    assert_eq!(error("nowhere", " {{ }} "), "this is not an expression that can be evaluated by itself");
}

#[test]
fn parts_end_where_an_expression_could() {
    assert_eq!(
        parts("a.b[?c == 'd.e'].f | [0]"),
        ["a", "a.b", "a.b[?c == 'd.e']", "a.b[?c == 'd.e'].f", "a.b[?c == 'd.e'].f | [0]"]
    );
    assert_eq!(parts("f(a.b, c)"), ["f(a.b, c)"]);
}

#[test]
fn a_condition_of_an_exception_is_asked_in_the_context_of_its_rule() {
    let of = |exceptions: &str, expression: &str| {
        let text = vec![Text { name: "e.yaml".to_owned(), text: exceptions.to_owned() }];
        let known = input("to_upper", expression);
        let at = u32::try_from(exceptions.find("key:").unwrap()).unwrap();
        let place = "exceptions".to_owned();
        let all = EvaluateInput { input: Input { exceptions: text, ..known.input }, at, place, ..known };
        run(&all, &StaticWorld::default())
            .map(|found| (found.rule, found.values.last().unwrap().value.clone().unwrap()))
    };
    let exception = "\
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: ns}
spec:
  exceptions: [{policyName: p, ruleNames: [autogen-first]}]
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions:
    any:
    - {key: '{{ team }}', operator: Equals, value: shop}
";
    assert_eq!(of(exception, "{{ team }}"), Ok(("first".to_owned(), "\"shop\"".to_owned())));
    // Its policy is not here: the object alone is known.
    let alone = exception.replace("policyName: p", "policyName: q");
    assert_eq!(
        of(&alone, "request.object.metadata.name"),
        Ok(("exception".to_owned(), "\"web\"".to_owned()))
    );
    let other = exception.replace("conditions:", "other:");
    assert_eq!(of(&other, "team"), Err("there is no condition of an exception around this place".to_owned()));
}

#[test]
fn the_object_of_a_cleanup_policy_is_its_target() {
    let policy = "\
apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: old}
spec:
  schedule: '* * * * *'
  match: {any: [{resources: {kinds: [Pod]}}]}
  context:
  - name: team
    variable: {jmesPath: target.metadata.labels.team}
  conditions:
    any:
    - {key: '{{ to_upper(team) }}', operator: Equals, value: SHOP}
";
    let known = input("to_upper", "");
    let at = u32::try_from(policy.find("to_upper").unwrap()).unwrap();
    let policies = vec![Text { name: "p.yaml".to_owned(), text: policy.to_owned() }];
    let all = |expression: &str| {
        let input = Input { policies: policies.clone(), ..known.input.clone() };
        let asked =
            EvaluateInput { input, at, expression: expression.to_owned(), ..EvaluateInput::default() };
        run(&asked, &StaticWorld::default()).map(|found| found.values.last().unwrap().value.clone().unwrap())
    };
    assert_eq!(all("{{ to_upper(team) }}"), Ok("\"SHOP\"".to_owned()));
    assert_eq!(all("target.metadata.name"), Ok("\"web\"".to_owned()));
}
