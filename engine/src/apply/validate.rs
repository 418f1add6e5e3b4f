//! The part of a run that validates: all policies with such rules, over what mutation has left.
//!
//! In: one resource. Out: what each policy said.
//! Mirrors: pkg/engine/validation.go.

use super::visit::{Visit, excluded_by_config};
use super::{Phase, PolicyResult};
use crate::admission::Admission;
use crate::context::JsonContext;
use crate::matching;
use crate::policy::{Body, Policy, Rule};
use crate::resource::Resource;
use crate::rules::{self, RuleResult, Status};
use crate::trace::{Kind, Step, Trace};
use engine_json::Str;

/// What the rules said that matched, the names of those that are not evaluated, and the steps of those that did not match.
type Said = (Vec<RuleResult>, Vec<Str>, Vec<Step>);

/// Applies all policies with rules that validate.
pub(super) fn run(visit: &Visit<'_>, resource: &Resource, results: &mut Vec<PolicyResult>) {
    let Visit { bundle, evaluator, .. } = *visit;
    // Values for one resource of one policy make a request of their own; all other policies see the same one.
    let shared = visit.admit("", resource);
    let mut shared_context = shared.context(evaluator);
    for (at, policy) in bundle.policies.iter().enumerate() {
        if !policy.rules.iter().any(|rule| is_validated(rule)) {
            continue;
        }
        let mut trace = visit.trace();
        let (rules, undecided, no_match) =
            if bundle.settings.values_for(&policy.name, resource.name()).is_some() {
                let own = visit.admit(&policy.name, resource);
                let mut context = own.context(evaluator);
                validate(visit, policy, &own, &mut context, &mut trace)
            } else {
                validate(visit, policy, &shared, &mut shared_context, &mut trace)
            };
        let said = visit.result(at, Phase::Validate, rules, resource);
        results.push(PolicyResult { undecided, no_match, ..said });
    }
}

/// Whether a rule has a say when a resource is validated.
fn is_validated(rule: &Rule) -> bool {
    match &rule.body {
        Body::Validate(_) => true,
        Body::VerifyImages(body) => body.has_checks,
        Body::Mutate(_) | Body::Generate(_) | Body::Cleanup(_) | Body::None => false,
    }
}

fn validate<'a>(
    visit: &Visit<'a>,
    policy: &'a Policy,
    admission: &'a Admission,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Said {
    if let Some(reason) = excluded_by_config(admission, trace) {
        trace.record(|| Step::new(Kind::Match, false, reason));
        return (Vec::new(), Vec::new(), trace.take());
    }
    let request = visit.request(policy, admission);
    let (mut results, mut undecided, mut unmatched) = (Vec::new(), Vec::new(), Vec::new());
    context.begin_policy();
    for rule in policy.rules_for_kind(&admission.gvk.kind) {
        if !is_validated(rule) || !matching::rule_matches(rule, &request, trace) {
            unmatched.append(&mut trace.take());
            continue;
        }
        trace.matched();
        let subject = visit.subject(policy, rule, admission, request);
        context.checkpoint();
        let mut result = rules::run(&subject, context, trace);
        context.restore();
        rules::mark_assumed(&mut result, &context.evaluator.take_assumed());
        if let Some(mut result) = result {
            result.steps = trace.take();
            let decided = matches!(result.status, Status::Pass | Status::Fail);
            results.push(result);
            if policy.apply_one && decided {
                break;
            }
        } else {
            if rule.unsupported().is_some() {
                undecided.push(rule.name.clone());
            }
            unmatched.append(&mut trace.take());
        }
    }
    (results, undecided, unmatched)
}
