//! Cleanup policies: which of the objects at hand would be deleted.
//!
//! In: a bundle. Out: for each cleanup policy and resource whether it would go (pass) or stay (fail), in the words of
//! `kyverno apply`, with the reason in the note; and when the policy is due.
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/command.go applyCleanupPolicies, pkg/controllers/cleanup.

use super::{Options, Phase, PolicyResult, namespace_labels, request, subject};
use crate::admission::{self, Admission};
use crate::body::Run;
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
    afterwards(bundle, world, options, &mut take);
    let directory = Directory::of(bundle);
    let evaluator = Evaluator::new(world, &directory);
    for (policy_at, policy) in bundle.policies.iter().enumerate() {
        let Some(rule) = policy.rules.first().filter(|rule| matches!(rule.body, Body::Cleanup(_))) else {
            continue;
        };
        for (at, resource) in bundle.resources.iter().enumerate().filter(|(_, given)| !given.is_payload) {
            // The reason is said in any case, so the steps are recorded in any case.
            let mut trace = Trace::new(Recording::On);
            let mut result = one(bundle, policy, rule, resource, &evaluator, options, &mut trace);
            if options.trace == Recording::On {
                result.steps = trace.take();
            }
            take(super::clip::clipped(PolicyResult {
                policy: policy_at,
                resource: at,
                phase: Phase::Cleanup,
                rules: vec![result],
                undecided: Vec::new(),
                no_match: Vec::new(),
                mutation: None,
                renamed: None,
                evaluated: evaluator.take_evaluated(&resource.value),
            }));
        }
    }
}

/// Applies the policies with a body that are asked at the end of a run: those that look at images, and those that delete.
pub fn afterwards(bundle: &Bundle, world: &dyn World, options: &Options, mut take: impl FnMut(PolicyResult)) {
    let Some(stages) = bundle.stages else { return };
    let objects = &Directory::of(bundle);
    let run = Run { bundle, objects, world, options };
    stages.afterwards(&run, &mut |result| take(super::clip::clipped(result)));
}

/// Applies the policies with a body that change other objects because of a resource, given with its place.
pub fn mutate_targets(
    bundle: &Bundle,
    world: &dyn World,
    options: &Options,
    at: usize,
    (met, resource): (&Resource, &Resource),
) -> Vec<PolicyResult> {
    let targets = &bundle.cluster_resources;
    let Some(stages) = bundle.stages.filter(|_| !targets.is_empty()) else { return Vec::new() };
    let objects = &Directory::of(bundle);
    let run = Run { bundle, objects, world, options };
    stages.mutate_targets(&run, at, met, resource, targets)
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

fn one<'a>(
    bundle: &'a Bundle,
    policy: &'a Policy,
    rule: &'a Rule,
    resource: &'a Resource,
    evaluator: &Evaluator<'_>,
    options: &Options,
    trace: &mut Trace,
) -> rules::RuleResult {
    let stays =
        |reason: String| rules::cleanup_result(rule, rules::Status::Fail, "resource did not match", reason);
    let namespace = policy.namespace.as_str();
    if !namespace.is_empty() && namespace != resource.namespace() {
        let found = resource.namespace();
        return stays(format!("the policy is for namespace `{namespace}`, the resource is in `{found}`"));
    }
    let admission = admission::admit(bundle, &policy.name, resource, evaluator, options.host);
    let request = matching::Request {
        resource,
        gvk: &resource.gvk,
        subresource: "",
        namespace_labels: namespace_labels(bundle, resource.namespace()),
        user: &matching::UserInfo::default(),
        ..request(bundle, policy, &admission)
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
    let subject = subject(bundle, policy, rule, &admission, request, options);
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
