//! A level of Pod Security beside policies that also change objects: the decisions are compared, and it is said that the rest is not.

use engine_compare::{Comparison, Direction, Options, compare};
use engine_lenses::wire::Text;

fn compared(old: &str, new: &str) -> Comparison {
    let side = |text: &str| vec![Text { name: "policy.yaml".into(), text: text.to_owned() }];
    let world = engine::world::StaticWorld::default();
    let options = Options { mutants: 0, max_requests: 1_500, ..Options::default() };
    compare(&side(old), &side(new), &options, &world, &mut |_| true)
}

const LABELLED: &str = "{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}, spec: {rules: [{name: r, match: {any: \
     [{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {metadata: {labels: {team: a}}}}}]}}";

#[test]
fn what_a_policy_changes_is_not_held_against_a_level() {
    for level in ["privileged", "baseline"] {
        let found = compared(&format!("level: {level}"), LABELLED);
        let otherwise = found.findings.iter().any(|finding| finding.direction == Direction::Otherwise);
        assert!(!otherwise, "{level}");
        assert_eq!(found.findings.is_empty(), level == "privileged", "{level}");
        assert_eq!(
            found.but_for,
            ["what the new side changes and generates (the other one only allows and refuses)"]
        );
    }
}
