//! The examples in the documentation of this crate, as they are written there.

/// src/lib.rs
#[test]
fn a_wider_pattern_is_found() {
    use engine_compare::{Grade, Options, compare};
    use engine_lenses::wire::Text;
    let policy = |pattern: &str| {
        let text = format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, \
            match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, validate: {{failureAction: Enforce, message: refused, \
            pattern: {{metadata: {{labels: {{team: '{pattern}'}}}}}}}}}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let answer = compare(&policy("?*"), &policy("*"), &Options::default(), &world, &mut |_| true);
    assert_eq!(answer.grade, Grade::Different);
    assert_eq!(answer.findings[0].direction.as_str(), "wider");
}
