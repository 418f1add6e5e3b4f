//! What API servers of several releases say of generated policies, held against what the engine says for the same release.
//!
//! In: a row: a policy or binding, an object with its Namespace, and for some releases together either the words with which they refuse
//! the policy or what they decide about the object. Out: how many of both agree, a case for each release.

use super::{decision, hold, items, object, texts};
use crate::compare::{ANY, Difference, Tally};
use engine::apply::{self, Effect, Locations, Options, Recording};
use engine::json::{Value, to_json};
use engine::load::{Followed, Host, Kubernetes, Role, load_with};
use engine::world::StaticWorld;
use engine::yaml::{Source, SourceId};

/// What binds the policy: a binding that warns says each decision.
const BINDING: &str = "ValidatingAdmissionPolicyBinding";

/// Holds a row.
pub fn check(row: &Value, tally: &mut Tally, differences: &mut Vec<Difference>) {
    for answer in items(row, "answers") {
        for release in texts(answer, "releases") {
            let Ok(kubernetes) = release.parse::<Kubernetes>() else { continue };
            let id = format!("{}@{release}", row.find_str(&["id"]));
            let case = object([("id", Value::from(id))]);
            hold(&case, vec![wanted(answer)], vec![decided(row, kubernetes)], tally, differences);
        }
    }
}

fn said(verdict: &str, words: Value) -> Value {
    decision("policy".to_owned(), verdict, words)
}

fn wanted(answer: &Value) -> Value {
    if answer.get("unread").is_some() {
        return said("not stored", Value::from(ANY));
    }
    match answer.find_str(&["refused"]) {
        "" => denials(texts(answer, "denied").map(str::to_owned).collect()),
        words => said("not stored", Value::from(words)),
    }
}

fn denials(messages: Vec<String>) -> Value {
    let verdict = if messages.is_empty() { "admitted" } else { "denied" };
    said(verdict, Value::array(messages.into_iter().map(Value::from).collect()))
}

fn decided(row: &Value, kubernetes: Kubernetes) -> Value {
    let policy = row.get("policy").cloned().unwrap_or_default();
    let spec = object([
        ("policyName", Value::from(policy.find_str(&["metadata", "name"]))),
        ("validationActions", Value::array(vec![Value::from("Warn")])),
    ]);
    let binding = object([
        ("apiVersion", Value::from("admissionregistration.k8s.io/v1")),
        ("kind", Value::from(BINDING)),
        ("metadata", object([("name", Value::from("everywhere"))])),
        ("spec", spec),
    ]);
    let user = object([
        ("apiVersion", Value::from("cli.kyverno.io/v1alpha1")),
        ("kind", Value::from("UserInfo")),
        ("userInfo", object([("username", Value::from("someone"))])),
    ]);
    let given = |name: &str| row.get(name).cloned().unwrap_or_default();
    let has_object = !given("object").is_null();
    let mut sources = vec![(Role::UserInfo, user), (Role::Policies, policy)];
    if has_object {
        sources.extend([
            (Role::Policies, binding),
            (Role::ClusterResources, given("namespace")),
            (Role::Resources, given("object")),
        ]);
    }
    let sources = sources.into_iter().map(|(role, value)| {
        (role, Source { id: SourceId(0), name: "text.yaml".into(), text: to_json(&value).into() })
    });
    let followed = Followed { host: Host::Cluster, kubernetes };
    let (bundle, _) = load_with(sources.collect(), followed, engine_celpolicy::AS_WRITTEN);
    // The binding may be refused for the name of the policy.
    let kind = format!("{}.", given("policy").find_str(&["kind"]));
    if let Some(refused) = bundle.refused.iter().find(|refused| refused.reason.starts_with(&kind)) {
        return said("not stored", Value::from(refused.reason.as_str()));
    }
    if bundle.policies.is_empty() && bundle.bindings.is_empty() {
        return said("not stored", Value::from(ANY));
    }
    let options = Options { host: Host::Cluster, trace: Recording::Off, places: Locations::Omit };
    let outcome = apply::apply(&bundle, &StaticWorld::at(1_795_132_800_000_000_000), &options);
    let mut messages = Vec::new();
    for result in &outcome.results {
        let Some(policy) = bundle.policies.get(result.policy) else { continue };
        let of_effect = result.rules.iter().map(|rule| (apply::rule_effect(&bundle, policy, "", rule), rule));
        let is_denied = |effect: &Effect| matches!(effect, Effect::Deny | Effect::Warn);
        messages
            .extend(of_effect.filter(|(effect, _)| is_denied(effect)).map(|(_, rule)| rule.message.clone()));
    }
    denials(messages)
}
