//! The forms of report over one input; what the terminal prints byte for byte is held by the recorded runs.

use super::run;
use crate::wire::{Input, ReportInput, Text};
use engine::world::StaticWorld;

const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod, Namespace]}}]}
    validate: {message: a team is missing, pattern: {metadata: {labels: {team: '?*'}}}}
";
const RESOURCES: &str = "\
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: []}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}
";

fn asked(form: &str) -> Result<String, String> {
    let text = |text: &str| vec![Text { name: String::new(), text: text.to_owned() }];
    let input = Input { policies: text(POLICY), resources: text(RESOURCES), ..Input::default() };
    let world = StaticWorld::at(1_700_000_000_000_000_000);
    run(&ReportInput { input, form: form.to_owned() }, &world).map(|output| output.text)
}

#[test]
fn a_cluster_has_a_report_for_each_resource() {
    let text = asked("").unwrap();
    let reports: Vec<&str> = text.split("---\n").collect();
    assert_eq!(reports.len(), 2, "{text}");
    assert!(reports[0].contains("kind: PolicyReport\n") && reports[0].contains("namespace: shop"), "{text}");
    assert!(reports[0].contains("  fail: 1\n") && reports[0].contains("seconds: 1700000000"), "{text}");
    assert!(
        reports[1].contains("kind: ClusterPolicyReport\n") && reports[1].contains("  pass: 1\n"),
        "{text}"
    );
    assert_eq!(asked("wgpolicy").unwrap(), text);
}

#[test]
fn the_terminal_has_one_report_for_all() {
    let text = asked("openreports").unwrap();
    assert!(text.contains("kind: ClusterReport\n") && text.contains("name: merged"), "{text}");
    assert_eq!(text.matches("rule: team").count(), 2, "{text}");
}

#[test]
fn another_form_is_refused() {
    assert!(asked("sarif").unwrap_err().contains("`sarif` is not a form of report"));
}

const PROPERTIES: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: told}
spec:
  rules:
  - name: resolved
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: team, variable: {value: shop}}]
    reportProperties: {failMessage: 'ask {{team}}', pod: '{{request.object.metadata.name}}'}
    validate: {message: m, deny: {}}
  - name: skipped
    match: {any: [{resources: {kinds: [Pod]}}]}
    reportProperties: {skipMessage: '{{request.object.metadata.name}}'}
    preconditions: {all: [{key: 1, operator: Equals, value: 2}]}
    validate: {message: m, deny: {}}
  - name: no-text
    match: {any: [{resources: {kinds: [Pod]}}]}
    reportProperties: {all: '{{request.object.metadata}}', pod: '{{request.object.metadata.name}}'}
    validate: {message: m, deny: {}}
";

/// As `kyverno apply --policy-report` 1.19 prints them.
#[test]
fn report_properties_are_resolved_once_the_preconditions_hold() {
    let text = |text: &str| vec![Text { name: String::new(), text: text.to_owned() }];
    let input = Input { policies: text(PROPERTIES), resources: text(RESOURCES), ..Input::default() };
    let asked = ReportInput { input, form: "openreports".to_owned() };
    let text = run(&asked, &StaticWorld::at(0)).unwrap().text;
    let described = |message: &str, properties: &str| {
        let whole = format!(
            "- message: {message}\n  policy: told\n  properties:\n{properties}    process: background scan\n"
        );
        assert!(text.contains(&whole), "{whole}\nin\n{text}");
    };
    described("ask shop", "    failMessage: ask shop\n    pod: web\n");
    described("m", "    all: '{{request.object.metadata}}'\n    pod: '{{request.object.metadata.name}}'\n");
    assert!(text.contains("- message: '{{request.object.metadata.name}}'\n"), "{text}");
}
