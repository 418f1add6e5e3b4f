//! `noMatch` says why policies stay silent, word for word as `trace` does, and says no step of rules that match.

use engine::world::StaticWorld;
use engine_lenses::wire::{Input, Output, Text};

const POLICIES: &str = "apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: for-pods
spec:
  rules:
    - name: labelled
      match:
        any:
          - resources: {kinds: [Pod]}
      validate:
        message: a team is wanted
        pattern:
          metadata:
            labels:
              team: '?*'
    - name: in-prod
      match:
        any:
          - resources: {kinds: [Pod], namespaces: [prod]}
      validate:
        deny: {}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: for-services
spec:
  rules:
    - name: typed
      match:
        any:
          - resources: {kinds: [Service]}
      validate:
        deny: {}
";

const POD: &str = "apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
spec:
  containers:
    - {name: web, image: nginx}
";

fn described(trace: bool, no_match: bool) -> Output {
    let text = |name: &str, text: &str| vec![Text { name: name.to_owned(), text: text.to_owned() }];
    let input = Input {
        policies: text("policies.yaml", POLICIES),
        resources: text("pod.yaml", POD),
        trace,
        no_match,
        ..Input::default()
    };
    engine_lenses::run(&input, &StaticWorld::default())
}

#[test]
fn silence_is_explained_without_the_steps_of_rules_that_match() {
    let (nothing, silence, all) = (described(false, false), described(false, true), described(true, false));
    let words = |output: &Output| -> Vec<Option<String>> {
        output.results.iter().map(|result| result.no_match.clone()).collect()
    };
    assert_eq!(words(&silence), words(&all));
    let why = words(&silence).into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(why.len(), 1, "{why:?}");
    assert_eq!(words(&nothing), [None, None]);

    let [spoke, silent] = silence.results.as_slice() else { panic!("two results are expected") };
    assert!(spoke.steps.is_empty() && spoke.rules.iter().all(|rule| rule.steps.is_empty()));
    assert!(silent.steps.iter().any(|step| step.outcome == "no" && step.policy_range.is_some()));
    assert!(all.results.iter().flat_map(|result| &result.rules).all(|rule| !rule.steps.is_empty()));

    let verdicts = |output: &Output| -> Vec<(String, String, String)> {
        let rules = output.results.iter().flat_map(|result| &result.rules);
        rules.map(|rule| (rule.rule.to_string(), rule.status.to_string(), rule.message.clone())).collect()
    };
    assert_eq!(verdicts(&silence), verdicts(&all));
    assert_eq!(verdicts(&silence), verdicts(&nothing));
    assert_eq!(verdicts(&silence).len(), 1);
}
