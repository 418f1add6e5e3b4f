//! Policies in Lists, as `kubectl get -o yaml` writes them: what they hold is read as if each stood in a document of its own.

use engine_compare::{Comparison, Grade, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let text = |text: &str| vec![Text { name: "policies.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { max_requests: 2_000, mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true)
}

/// Documents as the items of a List.
fn list(documents: &[&str]) -> String {
    let mut text = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
    for document in documents {
        for (at, line) in document.lines().enumerate() {
            text.push_str(if at == 0 { "- " } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
    }
    text + "metadata: {resourceVersion: ''}\n"
}

fn documents(documents: &[&str]) -> String {
    documents.join("---\n")
}

fn classic(name: &str, pattern: &str) -> String {
    format!(
        "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {{name: {name}}}
spec:
  rules:
  - name: r
    match: {{any: [{{resources: {{kinds: [ConfigMap]}}}}]}}
    validate:
      failureAction: Enforce
      message: refused
      pattern: {pattern}
"
    )
}

const CONFIG_MAPS: &str = "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]}";

fn in_cel(kind: &str, expression: &str) -> String {
    let (version, actions) = match kind {
        "ValidatingPolicy" => ("policies.kyverno.io/v1", "\n  validationActions: [Deny]"),
        _ => ("admissionregistration.k8s.io/v1", ""),
    };
    format!(
        "apiVersion: {version}
kind: {kind}
metadata: {{name: p}}
spec:{actions}
  {CONFIG_MAPS}
  validations: [{{message: refused, expression: \"{expression}\"}}]
"
    )
}

const BINDING: &str = "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {env: prod}}}}
";

/// Both forms of these documents against both forms of those.
fn all_forms(old: &[&str], new: &[&str], expected: Grade) {
    for (old, new) in [
        (list(old), list(new)),
        (list(old), documents(new)),
        (documents(old), list(new)),
        (documents(old), documents(new)),
    ] {
        let answer = compared(&old, &new);
        assert_eq!(answer.grade, expected, "{old}\n→\n{new}\n{:?}", answer.reasons);
    }
}

#[test]
fn kinds_places_and_constants_of_items_are_read() {
    let (blue, red) = (classic("p", "{data: {a: blue}}"), classic("p", "{data: {a: red}}"));
    let other = classic("o", "{metadata: {labels: {team: '?*'}}}");
    all_forms(&[&other, &blue], &[&other, &red], Grade::Different);
    all_forms(&[&other, &blue], &[&blue, &other], Grade::Same);

    let expression = |value: &str| format!("object.?data.?a.orValue('') == '{value}'");
    let [blue, red] = ["blue", "red"].map(|value| in_cel("ValidatingPolicy", &expression(value)));
    all_forms(&[&blue], &[&red], Grade::Different);

    let [blue, red] = ["blue", "red"].map(|value| in_cel("ValidatingAdmissionPolicy", &expression(value)));
    all_forms(&[&blue, BINDING], &[&red, BINDING], Grade::Different);
    let elsewhere = BINDING.replace("prod", "dev");
    all_forms(&[&blue, BINDING], &[&blue, &elsewhere], Grade::Different);
}

#[test]
fn exceptions_and_cleanup_policies_in_lists_count() {
    let policy = classic("p", "{data: {a: blue}}");
    let exception = "apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: kyverno}
spec:
  exceptions: [{policyName: p, ruleNames: [r]}]
  match: {any: [{resources: {kinds: [ConfigMap], names: [a]}}]}
";
    all_forms(&[&policy], &[&policy, exception], Grade::Different);
    let policy = in_cel("ValidatingPolicy", "object.?data.?a.orValue('') == 'blue'");
    let exception = "apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: kyverno}
spec:
  policyRefs: [{name: p, kind: ValidatingPolicy}]
  matchConditions: [{name: c, expression: \"object.metadata.name == 'a'\"}]
";
    all_forms(&[&policy], &[&policy, exception], Grade::Different);
    let cleanup = |label: &str| {
        format!(
            "apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {{name: c}}
spec:
  schedule: '* * * * *'
  match: {{any: [{{resources: {{kinds: [ConfigMap], selector: {{matchLabels: {{a: {label}}}}}}}}}]}}
"
        )
    };
    all_forms(&[&cleanup("blue")], &[&cleanup("red")], Grade::Different);
}

#[test]
fn lines_are_those_of_the_list() {
    let old =
        list(&[&classic("o", "{metadata: {labels: {team: '?*'}}}"), &classic("p", "{data: {a: blue}}")]);
    let answer = compared(&old, &list(&[&classic("o", "{metadata: {labels: {team: '?*'}}}")]));
    let ranges = answer.findings.iter().flat_map(|finding| &finding.verdicts[0]);
    let lines: Vec<&str> = ranges
        .filter_map(|verdict| verdict.range.as_ref())
        .filter_map(|range| old.lines().nth(usize::try_from(range.line).ok()? - 1))
        .collect();
    assert!(lines.iter().any(|line| line.contains("pattern: {data: {a: blue}}")), "{lines:?}");

    // What is refused is refused with its line.
    let new = list(&[&classic("p", "{data: {a: red}}"), &classic("o", "{data: {a: '{{ unknown }}'}}")]);
    let answer = compared(&old, &new);
    assert_eq!(answer.grade, Grade::NotCompared);
    let range = answer.reasons[0].range.as_ref().expect("a line");
    assert!(range.line > 16, "{:?}", answer.reasons);
}

#[test]
fn a_list_that_holds_something_else_is_not_passed_over() {
    let policy = classic("p", "{data: {a: blue}}");
    for text in [
        "apiVersion: v1\nkind: List\nitems:\n- text\n",
        "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  a: [\n",
        "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  kind: E\n",
    ] {
        let answer = compared(&policy, &documents(&[&policy, text]));
        assert_eq!(answer.grade, Grade::NotCompared, "{text}");
    }
}
