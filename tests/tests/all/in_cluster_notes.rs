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

/// What is said of a cluster beside the only row, or in its note.
fn note(output: &Output) -> Option<&str> {
    let result = output.results.first()?;
    assert_eq!((output.results.len(), result.rules.len()), (1, 1), "{output:?}");
    let row = result.rules.first()?;
    result.in_cluster.as_deref().or(row.note.as_deref())
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
    let [PolicyResult { rules, in_cluster, .. }] = said.results.as_slice() else { panic!("{said:?}") };
    assert!(rules.is_empty() && said.counts == Counts::default(), "{said:?}");
    let why = "the request and its namespace are filled by the API server there";
    assert_eq!(
        in_cluster.as_deref(),
        Some(format!("in a cluster the policy says fail, and nothing here: {why}").as_str())
    );
}

const BOUND: &str = "
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: 'object.spec.replicas <= int(params.data.most)'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec:
  policyName: p
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {env: prod}}}
  paramRef: {name: limits, namespace: shop, parameterNotFoundAction: Deny}
";
const AROUND: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {env: prod}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: shop}, data: {most: '2'}}
";

/// What is said of the Deployment, and of all else: statuses, why nothing was said, and what is said of a cluster.
fn bound(host: &str, resources: &[&str], cluster: &[&str]) -> Vec<(String, String, String, String)> {
    let texts = |texts: &[&str]| {
        let text = |text: &&str| Text { name: "text.yaml".to_owned(), text: (*text).to_owned() };
        texts.iter().map(text).collect()
    };
    let input = Input {
        host: Some(host.to_owned()),
        policies: texts(&[BOUND]),
        resources: texts(resources),
        cluster_resources: texts(cluster),
        no_match: true,
        ..Input::default()
    };
    let world = StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..StaticWorld::default() };
    let described = |result: PolicyResult| {
        let statuses: Vec<&str> = result.rules.iter().map(|row| row.status.as_str()).collect();
        let [no_match, in_cluster] = [result.no_match, result.in_cluster].map(Option::unwrap_or_default);
        (result.resource.kind, statuses.join(" "), no_match, in_cluster)
    };
    engine_lenses::run(&input, &world).results.into_iter().map(described).collect()
}

fn row(kind: &str, said: &str, no_match: &str, in_cluster: &str) -> (String, String, String, String) {
    (kind.to_owned(), said.to_owned(), no_match.to_owned(), in_cluster.to_owned())
}

#[test]
fn a_binding_that_selects_namespaces_has_one_reason() {
    for host in ["cli", "playground"] {
        let selector =
            "binding `b`: `namespaceSelector` does not select namespace `shop`, which has no labels";
        let why = "labels of a Namespace are those that it has there, and those of a values file alone here";
        let there = format!("in a cluster the policy says fail, and nothing here: {why}");
        let wanted = [row("Deployment", "", selector, &there)];
        assert_eq!(bound(host, &[DEPLOYMENT], &[AROUND]), wanted, "{host}");
    }
    let wanted = [row("Deployment", "fail", "", "")];
    assert_eq!(bound("cluster", &[DEPLOYMENT], &[AROUND]), wanted);
}

#[test]
fn what_stands_among_the_resources_is_not_judged() {
    let said = bound("cluster", &[AROUND, DEPLOYMENT], &[]);
    let of = |kind: &str| said.iter().find(|(of, ..)| of == kind).unwrap().clone();
    let wanted = "the resource is `namespaces`, the policy wants `deployments`";
    assert_eq!(of("Namespace"), row("Namespace", "", wanted, ""));
    assert_eq!(of("Deployment"), row("Deployment", "fail", "", ""));
    let other = AROUND.replace("env: prod", "env: test");
    let labels = "the labels `env=test`, `kubernetes.io/metadata.name=shop`";
    let wanted =
        format!("binding `b`: `namespaceSelector` does not select namespace `shop`, which has {labels}");
    assert_eq!(bound("cluster", &[DEPLOYMENT], &[&other]), [row("Deployment", "", &wanted, "")]);
}

#[test]
fn a_host_that_is_none_is_an_error() {
    let read = serde_json::from_str::<Input>(r#"{"host": "Cluster"}"#);
    let words = "host `Cluster` is not known: write `cli`, `playground` or `cluster`";
    assert!(read.unwrap_err().to_string().starts_with(words));
}
