//! Keys of labels and annotations in which wildcards stand.

use engine_compare::{Grade, Options, compare};
use engine_lenses::wire::Text;

fn grade(old: &str, new: &str) -> Grade {
    let text = |rule: &str| {
        let text = format!(
            "{{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {{name: p}}, spec: {{rules: [{{name: r, {rule}}}]}}}}"
        );
        vec![Text { name: "policy.yaml".into(), text }]
    };
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, ..Options::default() };
    compare(&text(old), &text(new), &options, &world, &mut |_| true).grade
}

fn pattern(metadata: &str) -> String {
    format!(
        "match: {{any: [{{resources: {{kinds: [Pod]}}}}]}}, \
         validate: {{failureAction: Enforce, message: refused, pattern: {{metadata: {metadata}}}}}"
    )
}

fn selecting(resources: &str) -> String {
    format!(
        "match: {{any: [{{resources: {{kinds: [Pod], {resources}}}}}]}}, \
         validate: {{failureAction: Enforce, message: refused, deny: {{}}}}"
    )
}

#[test]
fn keys_that_meet_one_wildcard_and_miss_the_other_are_made() {
    let pairs = [
        ("a*", "a?"),
        ("a?", "a*"),
        ("a*", "ab*"),
        ("a*", "a"),
        ("a.b/*", "a.b/?"),
        ("*", "?"),
        ("a*b", "a?b"),
    ];
    for (one, other) in pairs {
        for map in ["labels: {'KEY': x}", "annotations: {'KEY': x}", "'=(annotations)': {'=(KEY)': x}"] {
            let [old, new] = [one, other].map(|key| pattern(&format!("{{{}}}", map.replace("KEY", key))));
            assert_eq!(grade(&old, &new), Grade::Different, "{old} {new}");
        }
        for resources in [
            "annotations: {'KEY': x}",
            "selector: {matchLabels: {'KEY': x}}",
            "namespaceSelector: {matchLabels: {'KEY': x}}",
        ] {
            let [old, new] = [one, other].map(|key| selecting(&resources.replace("KEY", key)));
            assert_eq!(grade(&old, &new), Grade::Different, "{old} {new}");
        }
    }
}
