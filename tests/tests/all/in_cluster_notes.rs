//! Page and npm package say beside a verdict of a policy in CEL that it would be another in a cluster, and why.
//!
//! In: policies and resources as wire input. Out: a failure where the line is missing, or where it is said for nothing.

use engine::world::StaticWorld;
use engine_lenses::wire::{Counts, Input, Output, PolicyResult, Text};

const DEPLOYMENT: &str =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3}}";

/// A policy of one validation: of Kyverno's or Kubernetes' kind, or a rule; one of Kubernetes has no binding.
fn policy(kind: &str, expression: &str) -> String {
    let validation = format!("[{{expression: \"{expression}\"}}]");
    let deployments =
        "{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}";
    let validating =
        format!("matchConstraints: {{resourceRules: [{deployments}]}}, validations: {validation}");
    let matching = "match: {any: [{resources: {kinds: [Deployment]}}]}";
    let (group, spec) = match kind {
        "ClusterPolicy" => (
            "kyverno.io/v1",
            format!("rules: [{{name: r, {matching}, validate: {{cel: {{expressions: {validation}}}}}}}]"),
        ),
        "ValidatingAdmissionPolicy" => ("admissionregistration.k8s.io/v1", validating),
        _ => ("policies.kyverno.io/v1", validating),
    };
    format!("{{apiVersion: {group}, kind: {kind}, metadata: {{name: p}}, spec: {{{spec}}}}}")
}

fn answer(host: &str, policy: &str) -> Output {
    evaluated(host, policy, &[])
}

fn evaluated(host: &str, policy: &str, old: &[&str]) -> Output {
    let texts = |texts: &[&str]| {
        let text = |text: &&str| Text { name: "text.yaml".to_owned(), text: (*text).to_owned() };
        texts.iter().map(text).collect()
    };
    let input = Input {
        host: Some(host.to_owned()),
        policies: texts(&[policy]),
        resources: texts(&[DEPLOYMENT]),
        old_resources: texts(old),
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITHOUT_STEPS), ..StaticWorld::default() };
    engine_lenses::run(&input, &world)
}

/// The note of the only row.
fn note(output: &Output) -> Option<&str> {
    let rows: Vec<_> = output.results.iter().flat_map(|result| &result.rules).collect();
    assert_eq!(rows.len(), 1, "{output:?}");
    rows.first().and_then(|row| row.note.as_deref())
}

#[test]
fn a_verdict_that_is_another_in_a_cluster_says_so() {
    let numbers = "object.spec.replicas % 2 == 1";
    let said = answer("cli", &policy("ValidatingPolicy", numbers));
    let why = "every whole number is read as a double here";
    let line = format!("in a cluster the policy says pass, and error here: {why}");
    assert_eq!(note(&said), Some(line.as_str()));
    assert!(said.complete && said.diagnostics.is_empty(), "{:?}", said.diagnostics);
    let said = answer("cli", &policy("ClusterPolicy", numbers));
    let why = "whole numbers are integers and the request is filled there";
    assert_eq!(note(&said), Some(format!("in a cluster the verdict is pass, not fail: {why}").as_str()));
    for host in ["cli", "playground"] {
        let said = answer(host, &policy("ValidatingAdmissionPolicy", "object.spec.replicas == 4"));
        let why = "no binding of the policy is given, and without one it decides nothing";
        let line = format!("in a cluster the policy says nothing, and fail here: {why}");
        assert_eq!(note(&said), Some(line.as_str()), "{host}");
    }
}

#[test]
fn nothing_is_said_where_a_cluster_agrees_or_is_asked() {
    for kind in ["ValidatingPolicy", "ClusterPolicy"] {
        assert_eq!(note(&answer("playground", &policy(kind, "object.spec.replicas == 3"))), None, "{kind}");
        // The Playground reads whole numbers as a cluster does.
        for host in ["playground", "cluster"] {
            assert_eq!(
                note(&answer(host, &policy(kind, "object.spec.replicas % 2 == 1"))),
                None,
                "{kind} {host}"
            );
        }
    }
}

#[test]
fn a_policy_that_speaks_in_a_cluster_alone_says_so_where_no_rule_spoke() {
    let of_updates = policy("ValidatingPolicy", "object.spec.replicas == 4").replace("[CREATE]", "[UPDATE]");
    let said = evaluated("cli", &of_updates, &[DEPLOYMENT]);
    let [PolicyResult { rules, no_match, .. }] = said.results.as_slice() else { panic!("{said:?}") };
    assert!(rules.is_empty() && said.counts == Counts::default(), "{said:?}");
    let why = "the request and its namespace are filled by the API server there";
    assert_eq!(
        no_match.as_deref(),
        Some(format!("in a cluster the policy says fail, and nothing here: {why}").as_str())
    );
}
