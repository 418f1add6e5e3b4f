//! Cleanup policies: which of the objects at hand would be deleted.
//!
//! In: a bundle. Out: for each cleanup policy and resource whether it would go (pass) or stay (fail), in the words of
//! `kyverno apply`, with the reason in the note; and when the policy is due.
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/command.go applyCleanupPolicies, pkg/controllers/cleanup.

use super::visit::{Visit, namespace_labels};
use super::{Options, Phase, PolicyResult, bodies};
use crate::admission::Admission;
use crate::context::{Directory, Evaluator, JsonContext};
use crate::load::Bundle;
use crate::matching;
use crate::policy::{Body, Policy, Rule};
use crate::resource::Resource;
use crate::rules;
use crate::trace::{Recording, Step, StepOutcome, Trace};
use crate::value::cron::Cron;
use crate::world::World;
use engine_json::Value;

/// Applies the policies that are asked at the end of a run to every resource: those that look at images as they were given,
/// those in CEL that delete, and the cleanup policies.
// Kyverno: of the cleanup policies each over all resources.
pub fn cleanup(bundle: &Bundle, world: &dyn World, options: &Options, mut take: impl FnMut(PolicyResult)) {
    bodies::afterwards(bundle, world, options, &mut take);
    let directory = Directory::of(bundle);
    let evaluator = Evaluator::new(world, &directory);
    for (policy_at, policy) in bundle.policies.iter().enumerate() {
        let Some(rule) = policy.rules.first().filter(|rule| matches!(rule.body, Body::Cleanup(_))) else {
            continue;
        };
        for (at, given) in bundle.resources.iter().enumerate().filter(|(_, given)| !given.is_payload) {
            let visit = Visit { bundle, evaluator: &evaluator, options, at, given };
            // The reason is said in any case, so the steps are recorded in any case.
            let mut trace = Trace::new(Recording::On);
            let mut result = one(&visit, policy, rule, &mut trace);
            if options.trace == Recording::On {
                result.steps = trace.take();
            }
            take(super::clip::clipped(PolicyResult {
                evaluated: evaluator.take_evaluated(&given.value),
                ..PolicyResult::new(policy_at, at, Phase::Cleanup, vec![result])
            }));
        }
    }
}

/// The next moments (seconds since 1970) after `now` at which a cleanup policy is due; the reason where there is none.
pub fn due(policy: &Policy, now: i64, count: usize) -> Result<Vec<i64>, String> {
    let of_rule = policy.rules.first().and_then(|rule| match &rule.body {
        Body::Cleanup(cleanup) => Some(cleanup.schedule.as_str()),
        _ => None,
    });
    let of_body = || policy.body.as_ref().and_then(|body| body.schedule());
    let schedule = of_rule.or_else(of_body).ok_or("this is not a cleanup policy")?;
    let cron = Cron::parse(schedule)?;
    let moments = std::iter::successors(cron.next(now), |last| cron.next(*last));
    Ok(moments.take(count).collect())
}

fn one<'a>(visit: &Visit<'a>, policy: &'a Policy, rule: &'a Rule, trace: &mut Trace) -> rules::RuleResult {
    let (resource, evaluator) = (visit.given, visit.evaluator);
    let stays =
        |reason: String| rules::cleanup_result(rule, rules::Status::Fail, "resource did not match", reason);
    let namespace = policy.namespace.as_str();
    if !namespace.is_empty() && namespace != resource.namespace() {
        let found = resource.namespace();
        return stays(format!("the policy is for namespace `{namespace}`, the resource is in `{found}`"));
    }
    let admission = visit.admit(&policy.name, resource);
    let request = matching::Request {
        resource,
        gvk: &resource.gvk,
        subresource: "",
        namespace_labels: namespace_labels(visit.bundle, resource.namespace()),
        user: &matching::UserInfo::default(),
        ..visit.request(policy, &admission)
    };
    if !matching::block_is_for(&rule.matches, &request, trace) {
        return stays(described(trace, "it does not match"));
    }
    if let Some(exclude) = &rule.exclude
        && matching::block_is_for(exclude, &request, trace)
    {
        return stays("it is excluded".to_owned());
    }
    let mut context = context_of(&admission, resource, evaluator);
    let subject = visit.subject(policy, rule, &admission, request);
    let mut result = rules::run_cleanup(&subject, &mut context, trace);
    rules::mark_assumed([&mut result], &evaluator.take_assumed());
    result
}

/// The last reason against something.
fn described(trace: &mut Trace, otherwise: &str) -> String {
    let steps = trace.take();
    let against = |step: &&Step| step.outcome == StepOutcome::No;
    steps.iter().rfind(against).map_or_else(|| otherwise.to_owned(), |step| step.text().into_owned())
}

/// The context that conditions are evaluated over: the resource is the target, and nobody asks.
fn context_of<'a>(
    admission: &Admission,
    resource: &Resource,
    evaluator: &'a Evaluator<'a>,
) -> JsonContext<'a> {
    let mut context = admission.bare_context(evaluator);
    context.replace(&["target"], resource.value.clone());
    context.add(&["request", "namespace"], Value::from(resource.namespace()));
    context
}
