//! What was not read or not evaluated is never silence: answers that are not complete say so.

use super::*;
use engine::world::StaticWorld;

const POLICY: &str = "
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: needed, pattern: {metadata: {labels: {team: '?*'}}}}
";
const POD: &str =
    "{apiVersion: v1, kind: Pod, metadata: {name: web, labels: {team: a}}, spec: {containers: []}}";

fn output(policy: &str, resource: &str) -> wire::Output {
    let texts = |text: &str| vec![wire::Text { name: "text.yaml".into(), text: text.into() }];
    let input = wire::Input { policies: texts(policy), resources: texts(resource), ..Default::default() };
    run(&input, &StaticWorld::default())
}

fn described(policy: &str, resource: &str) -> (bool, u32, u32, u32) {
    let output = output(policy, resource);
    (output.complete, output.counts.pass, output.counts.error, output.counts.undecided)
}

#[test]
fn what_was_not_evaluated_makes_an_answer_incomplete() {
    let not_yet =
        "\n---\napiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: signed}\n";
    assert_eq!(described(POLICY, POD), (true, 1, 0, 0));
    // A kind that is not evaluated gives no result at all.
    assert_eq!(described(not_yet, POD), (false, 0, 0, 1));
    assert_eq!(described(&format!("{POLICY}{not_yet}"), POD), (false, 1, 0, 1));
    // What is not a policy decides nothing either.
    assert_eq!(described(POD, POD), (false, 0, 0, 1));
}

#[test]
fn what_could_not_be_read_makes_an_answer_incomplete() {
    let broken = format!("{POD}\n---\na: [\n---\n{{apiVersion: v1, kind: Pod, metadata: {{name: two}}");
    assert_eq!(described(POLICY, &broken), (false, 1, 0, 2));
    // Two mistakes in one document leave one document undecided.
    assert_eq!(described(&POLICY.replace("rules:", "rulez: 5\n  ruler:"), POD), (false, 0, 0, 1));
    let twice = POLICY.replace("kind: ClusterPolicy", "kind: ClusterPolicy\nkind: Policy");
    assert!(!described(&twice, POD).0);
}

#[test]
fn a_refused_policy_counts_as_an_error_and_nothing_is_undecided() {
    let refused = POLICY.replace("message: needed", "message: '{{ request.object.nope( }}'");
    let (complete, pass, error, undecided) = described(&refused, POD);
    assert_eq!((complete, pass, error + undecided), (false, 0, 1));
}
