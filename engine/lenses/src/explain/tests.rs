//! The sentence, the fields and the edits of each kind of verdict.

use super::run;
use crate::wire::{ExplainInput, Explanation, Input, ObjectRef, Text};
use engine::world::StaticWorld;

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  hostNetwork: true
  containers:
  - name: web
    image: nginx:latest
  - name: two
    image: nginx
";

/// The explanations of a rule with this body over [`POD`].
fn explained(body: &str) -> Vec<Explanation> {
    over(body, POD, "")
}

fn over(body: &str, resource: &str, exception: &str) -> Vec<Explanation> {
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    {}\n",
        body.trim().replace('\n', "\n    ")
    );
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let input = Input {
        policies: text("policy.yaml", &policy),
        resources: text("pod.yaml", resource),
        exceptions: if exception.is_empty() { Vec::new() } else { text("exception.yaml", exception) },
        ..Input::default()
    };
    run(&ExplainInput { input, ..ExplainInput::default() }, &StaticWorld::default()).explanations
}

const PODS: &str = "match: {any: [{resources: {kinds: [Pod]}}]}\n";

/// The only explanation of a rule for Pods.
fn of(body: &str) -> Explanation {
    let found = explained(&format!("{PODS}{body}"));
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().unwrap_or_default()
}

fn edits(explanation: &Explanation) -> Vec<(&str, Option<&str>)> {
    explanation.edits.iter().map(|edit| (edit.path.as_str(), edit.after.as_deref())).collect()
}

#[test]
fn a_pattern_is_told_by_the_field_at_which_it_stopped() {
    let said = of("validate: {message: m, pattern: {spec: {containers: [{image: '!*:latest'}]}}}");
    assert_eq!(
        said.sentence,
        "fails because spec.containers[0].image is `nginx:latest`, the pattern wants `!*:latest`"
    );
    assert_eq!(edits(&said), [("spec.containers[0].image", Some("\"nginx:1.0.0\""))]);
    assert_eq!(said.edits[0].yaml, "spec:\n  containers:\n  - name: web\n    image: nginx:1.0.0\n");
    assert_eq!(said.edits[0].range.as_ref().map(|range| range.line), Some(8));
    assert!(said.steps.iter().any(|step| step.kind == "field" && step.outcome == "no"));
}

#[test]
fn what_is_missing_is_added_as_a_whole() {
    let said = of(
        "validate: {message: m, pattern: {spec: {securityContext: {runAsNonRoot: true, runAsUser: '>0'}}}}",
    );
    assert_eq!(edits(&said), [("spec.securityContext", Some(r#"{"runAsNonRoot":true,"runAsUser":1}"#))]);
}

#[test]
fn each_container_gets_an_edit_and_none_that_is_not_needed() {
    let said = of("validate: {message: m, pattern: {spec: {containers: [{imagePullPolicy: Always}]}}}");
    let wanted = Some("\"Always\"");
    assert_eq!(
        edits(&said),
        [("spec.containers[0].imagePullPolicy", wanted), ("spec.containers[1].imagePullPolicy", wanted)]
    );
}

#[test]
fn a_condition_of_deny_names_the_field_that_it_reads() {
    let said = of(
        "validate:
  message: m
  deny: {conditions: {any: [{key: '{{ request.object.spec.hostNetwork }}', operator: Equals, value: true}]}}",
    );
    assert_eq!(
        said.sentence,
        "fails because spec.hostNetwork is `true`: the condition of deny holds, `true` Equals `true`"
    );
    assert_eq!(edits(&said), [("spec.hostNetwork", Some("false"))]);
    assert!(
        said.steps.iter().any(|step| step.kind == "variable" && step.text.ends_with("from the resource"))
    );
}

#[test]
fn of_long_lists_the_element_that_offends_is_named() {
    let said = of(
        "validate:
  message: m
  deny:
    conditions:
      any:
      - {key: '{{ request.object.spec.containers[].name }}', operator: AnyNotIn, value: [web, proxy, cache]}",
    );
    let sentence =
        "fails because spec.containers[1].name is `two`: this makes the condition of deny hold (AnyNotIn)";
    assert_eq!(said.sentence, sentence);
}

#[test]
fn an_element_of_a_loop_is_named_by_its_place() {
    let said = of(
        "validate:
  message: m
  foreach:
  - list: request.object.spec.containers
    deny:
      conditions:
        all:
        - {key: ALL, operator: AnyNotIn, value: '{{ element.securityContext.capabilities.drop[] || `[]` }}'}",
    );
    let path = "spec.containers[0].securityContext.capabilities.drop";
    assert!(said.sentence.starts_with(&format!("fails because {path} is absent")), "{}", said.sentence);
    let drop = |at: usize| format!("spec.containers[{at}].securityContext.capabilities.drop");
    assert_eq!(edits(&said), [(drop(0).as_str(), Some("[\"ALL\"]")), (drop(1).as_str(), Some("[\"ALL\"]"))]);
}

#[test]
fn the_standards_ask_for_what_they_allow() {
    let said = of("validate: {podSecurity: {level: baseline, version: latest}}");
    assert!(said.sentence.starts_with("fails because host namespaces (hostNamespaces): hostNetwork=true"));
    assert_eq!(edits(&said), [("spec.hostNetwork", None)]);
}

#[test]
fn a_rule_that_is_not_for_the_resource_says_which_attribute_decided() {
    let said = explained(
        "match: {any: [{resources: {kinds: [Pod], namespaces: ['prod-*']}}]}\nvalidate: {deny: {}}",
    );
    let [said] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(said.verdict, "noMatch");
    assert_eq!(said.sentence, "does not match: namespace is `default`, the rule wants `prod-*`");
    let said = explained(&format!(
        "{PODS}exclude: {{any: [{{resources: {{names: ['w*']}}}}]}}\nvalidate: {{deny: {{}}}}"
    ));
    assert_eq!(said[0].sentence, "does not apply: the resource is excluded: names w*");
}

#[test]
fn a_controller_is_told_by_what_autogen_made_for_it() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {hostPID: true}}}\n";
    let found = over(
        &format!("{PODS}validate: {{message: m, pattern: {{spec: {{=(hostPID): false}}}}}}"),
        deployment,
        "",
    );
    let [said] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((said.rule.as_str(), said.autogen.as_deref()), ("autogen-r", Some("r")));
    assert_eq!(edits(said), [("spec.template.spec.hostPID", Some("false"))]);
}

#[test]
fn an_exception_is_told_whether_it_applies_or_not() {
    let exception = |name: &str| {
        format!(
            "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {{name: e, namespace: ns}}\nspec:\n  match: {{any: [{{resources: {{names: [{name}]}}}}]}}\n  exceptions: [{{policyName: p, ruleNames: [r]}}]\n"
        )
    };
    let body = format!("{PODS}validate: {{message: m, deny: {{}}}}");
    let lifted = over(&body, POD, &exception("web"));
    assert_eq!(lifted[0].sentence, "is skipped because exception `ns/e` exempts it from the rule");
    let refused = over(&body, POD, &exception("other"));
    let step =
        |text: &str| refused[0].steps.iter().any(|step| step.kind == "exception" && step.text.contains(text));
    assert!(
        step("name is `web`, the rule wants `other`")
            && step("exception `ns/e` does not exempt it from the rule")
    );
    assert!(refused[0].edits.is_empty(), "nothing lets a rule pass that denies always");
}

#[test]
fn a_rule_that_passes_names_a_field_that_fits() {
    let said = of("validate: {message: m, pattern: {spec: {containers: [{image: 'nginx*'}]}}}");
    assert_eq!(
        said.sentence,
        "passes because spec.containers[0].image is `nginx:latest`, the pattern wants `nginx*`"
    );
}

/// What the steps of a rule with this body read of [`POD`]: kind of the step and path, with `!` where it is absent.
fn read(body: &str) -> Vec<String> {
    let policy = format!(
        "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {{name: p}}\nspec:\n  rules:\n  - name: r\n    {}\n",
        format!("{PODS}{body}").trim().replace('\n', "\n    ")
    );
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let input = Input {
        policies: text("policy.yaml", &policy),
        resources: text("pod.yaml", POD),
        ..Input::default()
    };
    let input = ExplainInput { input, reads: true, no_edits: true, ..ExplainInput::default() };
    let explanations = run(&input, &StaticWorld::default()).explanations;
    let described = |explanation: &Explanation| {
        let kind =
            |step: Option<u32>| step.map_or("-", |at| &*explanation.steps[at as usize].kind).to_owned();
        let lines = explanation.reads.iter();
        lines
            .map(|one| format!("{} {}{}", kind(one.step), one.path, if one.absent { "!" } else { "" }))
            .collect()
    };
    explanations.iter().flat_map(|one| -> Vec<String> { described(one) }).collect()
}

#[test]
fn every_step_tells_which_fields_it_looked_at() {
    let of_match = ["match kind", "match apiVersion"];
    let is = |body: &str, wanted: &[&str]| assert_eq!(read(body), [&of_match, wanted].concat(), "{body}");
    is(
        "validate: {message: m, pattern: {metadata: {labels: {a: '?*'}}, spec: {hostNetwork: false}}}",
        &["pattern metadata.labels!"],
    );
    is(
        "validate: {message: m, deny: {conditions: {any: [{key: '{{ length(request.object.spec.containers[].name) }}', \
         operator: Equals, value: 3}, {key: '{{ request.object.spec.hostNetwork }}', operator: Equals, value: true}]}}}",
        &[
            "condition spec.containers[0].name",
            "condition spec.containers[1].name",
            "condition spec.hostNetwork",
        ],
    );
    is("validate: {podSecurity: {level: baseline, version: latest}}", &["check spec.hostNetwork"]);
    // Checks that pass beside one that does not are not steps.
    let restricted = read("validate: {podSecurity: {level: restricted, version: v1.24}}");
    assert!(restricted.contains(&"check spec.hostNetwork".to_owned()), "{restricted:?}");
}

#[test]
fn one_resource_alone_is_explained() {
    let pods = format!("{POD}---\n{}", POD.replace("name: web", "name: other"));
    let other = ObjectRef { kind: "Pod".to_owned(), name: "other".to_owned(), ..ObjectRef::default() };
    let text = |text: &str| vec![Text { name: "t.yaml".to_owned(), text: text.to_owned() }];
    let policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {rules: [{name: r, match: {any: \
                  [{resources: {kinds: [Pod]}}]}, validate: {message: m, pattern: {spec: {hostNetwork: false}}}}]}\n";
    let host = Some("playground".to_owned());
    let input = Input { host, policies: text(policy), resources: text(&pods), ..Input::default() };
    let input = ExplainInput { input, resource: Some(other), ..ExplainInput::default() };
    let alone = run(&input, &StaticWorld::default()).explanations;
    let names: Vec<&str> = alone.iter().map(|one| one.resource.name.as_str()).collect();
    // Its places are those of the whole text.
    let lines: Vec<Option<u32>> =
        alone[0].fields.iter().map(|field| field.range.as_ref().map(|r| r.line)).collect();
    assert_eq!((names, lines), (vec!["other"], vec![Some(16)]));
}
