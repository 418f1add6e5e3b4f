//! The examples in the documentation of this crate, as they are written there.

/// src/lib.rs
#[test]
fn a_pattern_becomes_an_expression() {
    use engine_lenses::wire::Text;
    let text = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: [{resources: \
        {kinds: [Pod]}}]}, validate: {message: team, pattern: {metadata: {labels: {team: '?*'}}}}}]}}";
    let all = engine_convert::convert(&Text { name: "policy.yaml".into(), text: text.into() });
    assert!(all[0].text().contains("expression: object.metadata.?labels.?team.orValue('') != ''"));
}
