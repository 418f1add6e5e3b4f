//! The second part of the driver: images are verified and their digests written, over what mutation has left.
//!
//! In: one resource. Out: what each policy with `verifyImages` rules said, and the resource with digests and with the
//! annotations that describe the verification.
//! Mirrors: pkg/engine/image_verify.go, cmd/cli/kubectl-kyverno/processor/policy_processor.go.

use super::visit::{Visit, excluded_by_config};
use super::{Mutation, Phase, PolicyResult};
use crate::matching;
use crate::policy::{Body, Policy};
use crate::resource::Resource;
use crate::rules::{self, ImageMetadata, Status};
use crate::trace::{Kind, Step, Trace};
use engine_json::{Map, Value};
use std::borrow::Cow;

/// Applies all policies with `verifyImages` rules to one resource, as mutation has left it.
pub(super) fn run<'a>(
    visit: &Visit<'_>,
    mut resource: Cow<'a, Resource>,
    results: &mut Vec<PolicyResult>,
) -> Cow<'a, Resource> {
    for (at, policy) in visit.bundle.policies.iter().enumerate() {
        if !policy.rules.iter().any(|rule| matches!(rule.body, Body::VerifyImages(_))) {
            continue;
        }
        let mut trace = visit.trace();
        let mut no_match = Vec::new();
        let (rules, patched) = verify(visit, policy, &resource, (&mut trace, &mut no_match));
        let mutation = Mutation {
            changed: patched.is_some(),
            resource: patched.clone().unwrap_or_else(|| resource.value.clone()),
            original: resource.value.clone(),
        };
        let said = visit.result(at, Phase::VerifyImages, rules, &resource);
        results.push(PolicyResult { no_match, mutation: Some(mutation), ..said });
        if let Some(patched) = patched {
            let document = resource.document;
            resource = Cow::Owned(Resource::new(patched.with_int_numbers(), document));
        }
    }
    resource
}

fn verify(
    visit: &Visit<'_>,
    policy: &Policy,
    resource: &Resource,
    (trace, unmatched): (&mut Trace, &mut Vec<Step>),
) -> (Vec<rules::RuleResult>, Option<Value>) {
    let mut metadata = ImageMetadata::default();
    let mut results = Vec::new();
    let mut current = Cow::Borrowed(resource);
    for rule in policy.all_rules().filter(|rule| matches!(rule.body, Body::VerifyImages(_))) {
        let admission = visit.admit(&policy.name, &current);
        if let Some(reason) = excluded_by_config(&admission, trace) {
            trace.record(|| Step::new(Kind::Match, false, reason));
            unmatched.append(&mut trace.take());
            break;
        }
        let request = visit.request(policy, &admission);
        if !matching::rule_matches(rule, &request, trace) {
            unmatched.append(&mut trace.take());
            continue;
        }
        trace.matched();
        let subject = visit.subject(policy, rule, &admission, request);
        let mut context = admission.context(visit.evaluator);
        context.begin_policy();
        context.checkpoint();
        let (mut found, patches) = rules::run_verify_images(&subject, &mut context, &mut metadata, trace);
        rules::mark_assumed(&mut found, &visit.evaluator.take_assumed());
        if let Some(first) = found.first_mut() {
            first.steps = trace.take();
        }
        let decided = found.iter().any(|result| matches!(result.status, Status::Pass | Status::Fail));
        results.extend(found);
        if !patches.is_empty() {
            let mut value = current.value.clone();
            for (pointer, image) in patches {
                write(&mut value, &pointer, image);
            }
            let document = current.document;
            current = Cow::Owned(Resource::new(value, document));
        }
        if policy.apply_one && decided {
            break;
        }
    }
    let key = format!("{}/{}", policy.namespace, policy.name);
    let annotations = metadata.annotations(&key);
    let mut patched = current.value.clone();
    annotate(&mut patched, annotations);
    (results, (patched != resource.value).then_some(patched))
}

/// Writes a text where a pointer such as `/spec/containers/0/image` points.
fn write(value: &mut Value, pointer: &str, text: String) {
    let mut parts = pointer.split('/').skip(1).peekable();
    let mut inner = value;
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            if let Some(map) = inner.object_mut() {
                map.insert(part, Value::from(text));
            }
            return;
        }
        let next = if matches!(inner, Value::Array(_)) {
            part.parse::<usize>().ok().and_then(|at| inner.array_mut().and_then(|list| list.get_mut(at)))
        } else {
            inner.object_mut().and_then(|map| map.get_mut(part))
        };
        let Some(next) = next else { return };
        inner = next;
    }
}

fn annotate(value: &mut Value, annotations: Vec<(&'static str, String)>) {
    if annotations.is_empty() {
        return;
    }
    let Some(object) = value.object_mut() else { return };
    if object.get("metadata").is_none_or(Value::is_null) {
        object.insert("metadata", Value::object(Map::new()));
    }
    let Some(metadata) = object.get_mut("metadata").and_then(Value::object_mut) else { return };
    if metadata.get("annotations").is_none_or(Value::is_null) {
        metadata.insert("annotations", Value::object(Map::new()));
    }
    let Some(all) = metadata.get_mut("annotations").and_then(Value::object_mut) else { return };
    for (key, text) in annotations {
        all.insert(key, Value::from(text));
    }
}
