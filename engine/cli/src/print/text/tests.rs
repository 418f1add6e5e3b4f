//! The layout of texts that the recorded runs hold, on small responses made by hand.

use super::*;
use engine::load::{Host, Role, load};
use engine::yaml::{Source, SourceId};

const POLICY: &str = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {pattern: {spec: {hostNetwork: false}}}\n";
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{image: i}]}\n";

fn bundle() -> Bundle {
    let source = |text: &str| Source { id: SourceId(0), name: "f.yaml".into(), text: text.into() };
    load(vec![(Role::Policies, source(POLICY)), (Role::Resources, source(POD))], Host::Cli).0
}

fn response(bundle: &Bundle, phase: Phase) -> Response<'_> {
    let (policy, resource) = (&bundle.policies[0], &bundle.resources[0]);
    Response {
        audits: false,
        policy,
        resource,
        phase,
        rules: Vec::new(),
        patched: None,
        targets: Vec::new(),
        generated: Vec::new(),
        undecided: Vec::new(),
        no_match: Vec::new(),
        only_warns: false,
    }
}

#[test]
fn a_mutated_object_stands_under_a_title_and_without_a_last_line_end() {
    let bundle = bundle();
    let text = blocks(&response(&bundle, Phase::Mutate), false);
    assert_eq!(
        text,
        "\npolicy p applied to default/Pod/a:\napiVersion: v1\nkind: Pod\nmetadata:\n    name: a\n    namespace: \
         default\nspec:\n    containers:\n        - image: i\n\n---\n\n\nMutation:\nMutation has been applied \
         successfully."
    );
    assert!(blocks(&response(&bundle, Phase::Mutate), true).starts_with("\napiVersion"));
}

#[test]
fn each_generated_object_is_told_and_written() {
    let bundle = bundle();
    let mut response = response(&bundle, Phase::Generate);
    assert_eq!(blocks(&response, false), "");
    response.generated = vec![engine::json::parse("{\"a\":[1]}").unwrap()];
    assert_eq!(
        blocks(&response, false),
        "\npolicy p applied to default/Pod/a:\na:\n    - 1\n\n---\n\n\nGenerate:\nGeneration completed successfully."
    );
    assert_eq!(documents(&response), [("p-generated".to_owned(), "a:\n    - 1\n\n---\n\n".to_owned())]);
}

#[test]
fn patched_targets_follow_the_trigger() {
    let bundle = bundle();
    let mut response = response(&bundle, Phase::Mutate);
    response.targets = vec![engine::json::parse("{\"b\":true}").unwrap()];
    assert!(
        blocks(&response, false).contains("\n---\npatched targets: \n\nb: true\n\n---\n\n\n\nMutation:\n")
    );
}

#[test]
fn whole_numbers_are_printed_as_integers() {
    assert_eq!(super::as_yaml(&Value::from(1_000_680_000.0)), "1000680000\n");
    assert_eq!(super::as_yaml(&Value::from(-0.0)), "0\n");
    assert_eq!(super::as_yaml(&Value::from(1.5)), "1.5\n");
}
