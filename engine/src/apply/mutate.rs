//! The first half of the driver: mutate policies, each over what those before it have left.
//!
//! In: one resource. Out: what each policy said, and the resource that validate policies see.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/mutation.go.

use super::visit::{Visit, excluded_by_config};
use super::{Mutation, Phase, PolicyResult};
use crate::admission::Admission;
use crate::matching;
use crate::policy::{Body, Policy, Rule};
use crate::resource::Resource;
use crate::rules::{self, RuleResult, Status};
use crate::trace::Trace;
use engine_json::Value;
use std::borrow::Cow;

/// Applies all mutate policies to one resource, each to what those before it have left; `None` where an error has
/// left nothing.
pub(super) fn run<'a>(visit: &Visit<'a>, results: &mut Vec<PolicyResult>) -> Option<Cow<'a, Resource>> {
    let mut current = Some(Cow::Borrowed(visit.given));
    for (at, policy) in visit.bundle.policies.iter().enumerate() {
        if !policy.rules.iter().any(|rule| matches!(rule.body, Body::Mutate(_))) {
            continue;
        }
        let mut trace = visit.trace();
        let met = current.clone();
        let (mut rules, mut no_match) = (Vec::new(), Vec::new());
        for rule in policy.all_rules().filter(|rule| matches!(rule.body, Body::Mutate(_))) {
            let Some(resource) = &current else { break };
            let admission = visit.admit(&policy.name, resource);
            let images = &met.as_deref().unwrap_or(resource).value;
            let seen = (&admission, images);
            let Some((mut found, patched)) = mutate_by(visit, policy, rule, seen, &mut trace) else {
                no_match.append(&mut trace.take());
                continue;
            };
            if let Some(first) = found.first_mut() {
                first.steps = trace.take();
            }
            let decided = found.iter().any(|result| matches!(result.status, Status::Pass | Status::Fail));
            rules.extend(found);
            let document = resource.document;
            current = (!patched.is_null()).then(|| Cow::Owned(Resource::new(patched, document)));
            if policy.apply_one && decided {
                break;
            }
        }
        let before = met.as_ref().map(|resource| resource.value.with_int_numbers());
        let after = current.as_ref().map(|resource| resource.value.with_int_numbers());
        let mutation = Mutation {
            changed: after.is_some() && after != before,
            resource: current.as_ref().map_or(Value::Null, |resource| resource.value.clone()),
            original: met.as_ref().map_or(Value::Null, |resource| resource.value.clone()),
        };
        let mut said = visit.result(at, Phase::Mutate, rules, met.as_deref().unwrap_or(visit.given));
        if met.is_none() {
            said.renamed = Some("///".to_owned());
        }
        results.push(PolicyResult { no_match, mutation: Some(mutation), ..said });
    }
    current
}

fn mutate_by(
    visit: &Visit<'_>,
    policy: &Policy,
    rule: &Rule,
    (admission, images): (&Admission, &Value),
    trace: &mut Trace,
) -> Option<(Vec<RuleResult>, Value)> {
    if excluded_by_config(admission, trace).is_some() {
        return None;
    }
    let request = visit.request(policy, admission);
    if !matching::rule_matches(rule, &request, trace) {
        return None;
    }
    trace.matched();
    let subject = visit.subject(policy, rule, admission, request);
    let mut context = admission.context_with_images(visit.evaluator, images);
    context.begin_policy();
    context.checkpoint();
    let (mut results, value) = rules::run_mutate(&subject, &mut context, trace);
    rules::mark_assumed(&mut results, &visit.evaluator.take_assumed());
    Some((results, value))
}
