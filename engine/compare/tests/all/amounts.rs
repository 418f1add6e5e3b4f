//! What Kyverno reads as an amount, `Equals` and `NotEquals` compare as one: no text with wildcards equals it. `AnyIn` knows wildcards alone.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn denied(condition: &str) -> Vec<Text> {
    let text = format!(
        "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, match: {{any: [{{resources: \
         {{kinds: [ConfigMap]}}}}]}}, validate: {{failureAction: Enforce, message: m, deny: {{conditions: {{all: [{{key: '{{{{ \
         request.object.data.a || `\"\"` }}}}', {condition}}}]}}}}}}}}]}}}}"
    );
    vec![Text { name: "policy.yaml".into(), text }]
}

#[test]
fn texts_with_wildcards_are_tried_with_amounts() {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_000, ..Options::default() };
    let grade = |old: &str, new: &str| {
        let [old, new] = [old, new].map(denied);
        compare(&old, &new, &options, &world, &mut |_| true).grade
    };
    for wildcard in ["?*", "*", "?", "??", "1?", "1*", "*m", "?Gi"] {
        for [one, other] in [["Equals", "AnyIn"], ["NotEquals", "AnyNotIn"]] {
            let [one, other] =
                [one, other].map(|operator| format!("operator: {operator}, value: '{wildcard}'"));
            assert_eq!(grade(&one, &other), Grade::Different, "{one} {other}");
        }
    }
    // No amount begins so.
    for wildcard in ["a*", "*:latest"] {
        let [one, other] =
            ["Equals", "AnyIn"].map(|operator| format!("operator: {operator}, value: '{wildcard}'"));
        assert_eq!(grade(&one, &other), Grade::NoDifference, "{one} {other}");
    }
}

#[test]
fn two_fields_are_the_same_amount_in_other_words() {
    let world =
        engine::world::StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..Default::default() };
    let options = Options { mutants: 0, max_requests: 4_000, ..Options::default() };
    let text = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.into() }];
    let classic = text(
        "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: [{resources: {kinds: \
         [ConfigMap], operations: [CREATE]}}]}, validate: {failureAction: Enforce, message: m, pattern: {data: {project: \
         '{{request.object.metadata.name}}'}}}}]}}",
    );
    let in_cel = text(
        "{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {name: p}, spec: {matchConstraints: {resourceRules: \
         [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}, validations: [{message: m, expression: \
         \"object.?data['project'].orValue('') == object.metadata.name\"}]}}",
    );
    let answer = compare(&classic, &in_cel, &options, &world, &mut |_| true);
    // The original: the pattern `1` takes `1000m`, CEL compares texts.
    let object = answer.findings.first().map(|finding| engine::json::to_json(&finding.request.object));
    assert_eq!(answer.grade, Grade::Different);
    assert!(object.is_some_and(|object| object.contains("1000m")), "another difference");
}

#[test]
fn a_number_without_a_unit_is_seconds_to_operators_of_durations_alone() {
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 3_000, ..Options::default() };
    let [old, new] = ["DurationGreaterThan", "GreaterThan"]
        .map(|operator| denied(&format!("operator: {operator}, value: 24h")));
    assert_eq!(compare(&old, &new, &options, &world, &mut |_| true).grade, Grade::Different);
}
