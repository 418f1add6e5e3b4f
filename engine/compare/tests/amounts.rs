//! What Kyverno reads as an amount, `Equals` and `NotEquals` compare as one: no text with wildcards equals it. `AnyIn` knows wildcards alone.

use engine::wire::Text;
use engine_compare::{Grade, Options, compare};

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
