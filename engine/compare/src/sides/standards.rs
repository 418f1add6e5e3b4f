//! Sides that are not policies of Kyverno: a level of Pod Security, and PodSecurityPolicies.
//!
//! In: a level or policies, and a request. Out: what an API server with that admission decides. Both are asked about Pods alone.

use crate::request::{Operation, Request};
use crate::sides::side::{Depth, FNV, Response, mix, mix_path};
use engine::load::{Host, Role};
use engine::podsecurity::psp::{self, Everyone, Policies, User, review};
use engine::podsecurity::{Level, Version, evaluate, pod_of};
use engine_json::Value;
use engine_lenses::wire::Text;

/// What a level of Pod Security decides.
pub(crate) fn of_level(level: Level, version: Version, request: &Request, depth: Depth) -> Response {
    let mut response = Response::nothing();
    let object = &request.object;
    if object.find_str(&["kind"]) != "Pod" || request.attributes.operation == Operation::Delete {
        return response;
    }
    let Some(pod) = pod_of(object) else { return response };
    let results = evaluate(level, version, &pod);
    for result in results.iter().filter(|result| !result.violations.is_empty()) {
        response.branches.push(mix(FNV, result.check.id.as_bytes()));
    }
    response.failures = response.branches.len();
    response.sign();
    if results.iter().any(|result| !result.violations.is_empty()) {
        let detail = if depth == Depth::Messages {
            engine::podsecurity::aggregate::detail(&results)
        } else {
            String::new()
        };
        response.refused("pod-security", detail);
    }
    response
}

/// What PodSecurityPolicies decide.
pub(crate) fn of_psp(policies: &Policies, request: &Request, depth: Depth) -> Response {
    let mut response = Response::nothing();
    let object = &request.object;
    if object.find_str(&["kind"]) != "Pod" || request.attributes.operation != Operation::Create {
        return response;
    }
    let user = User { name: request.attributes.user.username.to_string(), groups: Vec::new() };
    let request = psp::Request::create(object, object.find_str(&["metadata", "namespace"]), user);
    let decision = review(&request, policies, &Everyone);
    for refusal in &decision.refusals {
        response.branches.push(mix_path(FNV, &refusal.path));
    }
    response.failures = response.branches.len();
    response.sign();
    if !decision.allowed {
        let message =
            if depth == Depth::Messages { decision.message.unwrap_or_default() } else { String::new() };
        response.refused("pod-security-policy", message);
    }
    response
}

/// The words of a level: `level: restricted`, and a version beside it.
pub(crate) fn level_of(text: &str) -> Option<(Level, Version)> {
    let value = engine::yaml::parse_one(text).ok()?;
    let level = Level::parse(value.get("level")?.as_str()?)?;
    let version = value.get("version").and_then(Value::as_str).unwrap_or("latest");
    Some((level, Version::parse(version)?))
}

/// PodSecurityPolicies, where the texts hold nothing else that decides.
pub(crate) fn psp_of(texts: &[Text]) -> Vec<Value> {
    let sources: Vec<_> = texts.iter().map(|text| (Role::Resources, text.into())).collect();
    let (bundle, _) = engine::load::load(sources, Host::Cli);
    let documents = bundle.documents.iter().map(|document| &document.value);
    documents.filter(|value| value.find_str(&["kind"]) == "PodSecurityPolicy").cloned().collect()
}
