//! The parts of a run in which policies with a body change resources, make others, look at images, or delete.
//!
//! In: one resource, or all of them at the end. Out: what each of these policies said, and the resource as they left it.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, commands/apply/command.go.

use crate::apply::Verified;
use engine::apply::{Mutation, Phase, PolicyResult, RuleResult, Status};
use engine::body::{Mutated, PhaseRunner, PolicyBody, Run, Turn, of_phase};
use engine::load::Host;
use engine::resource::{DocumentId, Resource};
use engine_json::Value;
use std::any::Any;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The parts of a run for the kinds of this crate.
#[derive(Debug)]
pub struct Phases;

impl PhaseRunner for Phases {
    /// Applies the policies that change the resource, each to what those before it have left.
    // Kyverno: the policies of one turn are one run, and each of their answers shows what all of them have left.
    fn mutate<'r>(
        &self,
        run: &Run<'_>,
        (at, given): (usize, &Resource),
        mut resource: Cow<'r, Resource>,
        results: &mut Vec<PolicyResult>,
    ) -> Cow<'r, Resource> {
        let is_one_run = |(_, a): &(usize, &dyn PolicyBody), (_, b): &(usize, &dyn PolicyBody)| {
            a.turn() == b.turn() && a.turn() != Turn::MutatingAdmission
        };
        let bodies = of_phase(run.bundle, Phase::Mutate);
        let mut bodies = bodies.as_slice();
        if run.options.host == Host::Cluster {
            let of_admission =
                bodies.iter().take_while(|(_, body)| body.turn() == Turn::MutatingAdmission).count();
            let (first, rest) = bodies.split_at(of_admission);
            resource = admit(run, first, (at, given), resource, results);
            bodies = rest;
        }
        for turn in bodies.chunk_by(is_one_run) {
            let met = resource.clone();
            let (begin, mut shown, mut last) = (results.len(), None, None);
            for (policy, body) in turn {
                for answer in body.mutate(&run.asked(&resource), &met) {
                    let Mutated { rules, resource: patched, met: of, before, again: _ } = answer;
                    last = before.or(last);
                    // Kyverno: of an object that goes nothing is named.
                    let renamed = if of.is_some() { Some("///".to_owned()) } else { met.renamed_from(given) };
                    results.push(PolicyResult {
                        renamed,
                        ..PolicyResult::new(*policy, at, Phase::Mutate, rules)
                    });
                    shown = of.or(shown);
                    if let Some(patched) = patched {
                        let document = met.document;
                        resource = Cow::Owned(Resource::new(patched, document));
                    }
                }
            }
            let (before, after) = (met.value.with_int_numbers(), resource.value.with_int_numbers());
            let is_changed = last.as_ref().map_or(before != after, |last| last.with_int_numbers() != after);
            for result in results.iter_mut().skip(begin) {
                result.mutation = Some(Mutation {
                    resource: shown.clone().unwrap_or_else(|| resource.value.clone()),
                    original: shown.clone().or_else(|| last.clone()).unwrap_or_else(|| met.value.clone()),
                    changed: is_changed && shown.is_none(),
                });
            }
            if before != after {
                resource = Cow::Owned(settled(run, resource.value.with_float_numbers(), after, met.document));
            }
        }
        resource
    }

    /// Asks the policies that change other objects, each about these objects as those before have left them.
    // Kyverno: whatever changed an object last is shown for each of the policies.
    fn mutate_targets(
        &self,
        run: &Run<'_>,
        at: usize,
        met: &Resource,
        resource: &Resource,
        targets: &[Resource],
    ) -> Vec<PolicyResult> {
        let mut current = targets.to_vec();
        let mut said = Vec::new();
        for (policy, body) in of_phase(run.bundle, Phase::Mutate) {
            for (place, answer) in body.mutate_targets(&run.asked(resource), met, &current) {
                said.push((place, PolicyResult::new(policy, at, Phase::Mutate, answer.rules)));
                if let (Some(value), Some(target)) = (answer.resource, current.get_mut(place)) {
                    *target = Resource::new(value, target.document);
                }
            }
        }
        let shown = |(place, mut result): (usize, PolicyResult)| {
            let target = current.get(place).map(|target| target.value.clone());
            for rule in result.rules.iter_mut().filter(|rule| rule.status == Status::Pass) {
                rule.patched_target.clone_from(&target);
            }
            result
        };
        said.into_iter().map(shown).collect()
    }

    /// Asks the policies that make further objects.
    fn generate(
        &self,
        run: &Run<'_>,
        (at, given): (usize, &Resource),
        resource: &Resource,
        results: &mut Vec<PolicyResult>,
    ) {
        let asked = run.asked(resource);
        let said = of_phase(run.bundle, Phase::Generate).into_iter().filter_map(|(policy, body)| {
            let rules = body.evaluate(&asked)?;
            let renamed = resource.renamed_from(given);
            Some(PolicyResult { renamed, ..PolicyResult::new(policy, at, Phase::Generate, rules) })
        });
        results.extend(said);
    }

    /// Asks the policies whose turn comes once all resources went through the others: of images first, then those that delete, over
    /// resources first and payloads after them.
    fn afterwards(&self, run: &Run<'_>, take: &mut dyn FnMut(PolicyResult)) {
        let all = || run.bundle.resources.iter().enumerate();
        let resources = || all().filter(|(_, given)| !given.is_payload);
        let payloads = || all().filter(|(_, given)| given.is_payload && given.protocol.is_none());
        let of_images = of_phase(run.bundle, Phase::VerifyImages);
        // Kyverno: in a cluster a webhook of its own asks the policies of namespaces.
        let is_apart = |(policy, _): &(usize, &dyn PolicyBody)| {
            let policy = run.bundle.policies.get(*policy).filter(|_| run.options.host == Host::Cluster);
            policy.is_some_and(|policy| !policy.namespace.is_empty())
        };
        let (apart, together): (Vec<_>, Vec<_>) = of_images.into_iter().partition(is_apart);
        for asked_as_one in [together, apart].iter().filter(|bodies| !bodies.is_empty()) {
            for place in resources().chain(payloads()) {
                verify_images(run, asked_as_one, place, take);
            }
        }
        let deleting = of_phase(run.bundle, Phase::Cleanup);
        for (at, given) in resources().chain(payloads()).filter(|_| !deleting.is_empty()) {
            let asked = run.asked(given);
            for (policy, body) in &deleting {
                let Some(rules) = body.evaluate(&asked) else { continue };
                take(PolicyResult::new(*policy, at, Phase::Cleanup, rules));
            }
        }
    }
}

/// What policies have made of a resource, for what comes after: that takes all numbers for floats, as it finds them in what was given.
fn settled(run: &Run<'_>, value: Value, after: Value, document: DocumentId) -> Resource {
    let typed = if run.options.host == Host::Playground { after } else { value.clone() };
    let mut patched = Resource::new(value, document);
    patched.typed = typed;
    patched
}

/// Applies Kubernetes' own policies that mutate as an API server does: each to what those before it have left, and those that ask for
/// it once more where one of them has changed something.
// Kubernetes: apiserver/pkg/admission/reinvocation.go, plugin/policy/mutating/{dispatcher,reinvocationcontext}.go.
fn admit<'r>(
    run: &Run<'_>,
    bodies: &[(usize, &dyn PolicyBody)],
    (at, given): (usize, &Resource),
    resource: Cow<'r, Resource>,
    results: &mut Vec<PolicyResult>,
) -> Cow<'r, Resource> {
    let met = resource.clone();
    let mut current = resource;
    let begin = results.len();
    let mut take = |policy: usize, answer: Mutated, current: &mut Cow<'r, Resource>, is_again: bool| {
        let Mutated { rules, resource: patched, .. } = answer;
        let original = current.value.clone();
        if let Some(patched) = patched {
            *current = Cow::Owned(Resource::new(patched, met.document));
        }
        let (before, after) = (original.with_int_numbers(), current.value.with_int_numbers());
        let changed = before != after;
        let is_new = |rule: &RuleResult| {
            let mut known = results.iter().skip(begin).filter(|known| known.policy == policy);
            !known.any(|known| known.rules.iter().any(|known| known.message == rule.message))
        };
        if is_again && !changed && !rules.iter().any(|rule| rule.status == Status::Error && is_new(rule)) {
            return;
        }
        let mutation = Mutation { resource: current.value.clone(), original, changed };
        results.push(PolicyResult {
            renamed: met.renamed_from(given),
            mutation: Some(mutation),
            ..PolicyResult::new(policy, at, Phase::Mutate, rules)
        });
    };
    let mut again = Vec::new();
    for (policy, body) in bodies {
        for mut answer in body.mutate(&run.asked(&current), &met) {
            again.push((*policy, std::mem::take(&mut answer.again), answer.resource.is_some()));
            take(*policy, answer, &mut current, false);
        }
    }
    if again.iter().any(|(_, _, is_applied)| *is_applied)
        && again.iter().any(|(_, again, _)| !again.is_empty())
    {
        let met = current.clone();
        for (policy, body) in bodies {
            let of_policy = again.iter().filter(|(of, ..)| of == policy);
            let applications: Vec<_> =
                of_policy.flat_map(|(_, applications, _)| applications.clone()).collect();
            for answer in body.mutate_again(&run.asked(&current), &met, &applications) {
                take(*policy, answer, &mut current, true);
            }
        }
    }
    let after = current.value.with_int_numbers();
    if met.value.with_int_numbers() == after {
        return current;
    }
    Cow::Owned(settled(run, current.value.with_float_numbers(), after, met.document))
}

/// The part of a run that changes a resource, for hosts that have no other.
#[derive(Debug)]
pub struct Changing;

impl PhaseRunner for Changing {
    fn mutate<'r>(
        &self,
        run: &Run<'_>,
        place: (usize, &Resource),
        resource: Cow<'r, Resource>,
        results: &mut Vec<PolicyResult>,
    ) -> Cow<'r, Resource> {
        Phases.mutate(run, place, resource, results)
    }

    fn mutate_targets(
        &self,
        _: &Run<'_>,
        _: usize,
        _: &Resource,
        _: &Resource,
        _: &[Resource],
    ) -> Vec<PolicyResult> {
        Vec::new()
    }

    fn generate(&self, _: &Run<'_>, _: (usize, &Resource), _: &Resource, _: &mut Vec<PolicyResult>) {}

    fn afterwards(&self, _: &Run<'_>, _: &mut dyn FnMut(PolicyResult)) {}
}

/// Asks all policies of images about a resource. What one of them verified counts for all.
fn verify_images(
    run: &Run<'_>,
    bodies: &[(usize, &dyn PolicyBody)],
    (at, given): (usize, &Resource),
    take: &mut dyn FnMut(PolicyResult),
) {
    let mut asked = run.asked(given);
    asked.made = OnceCell::from(Box::new(Verified::default()) as Box<dyn Any>);
    let verified = || asked.made.get().and_then(|made| made.downcast_ref::<Verified>());
    let said: Vec<_> = bodies
        .iter()
        .filter_map(|(policy, body)| {
            let rules = body.evaluate(&asked)?;
            Some((*policy, rules, verified().map(Verified::take_wanted)))
        })
        .collect();
    for (policy, mut rules, wanted) in said {
        if let Some(missing) = wanted.and_then(|images| verified()?.missing(&images)) {
            fail(&mut rules, &missing);
        }
        take(PolicyResult::new(policy, at, Phase::VerifyImages, rules));
    }
}

/// Lets a policy fail that passed, because an image was not verified.
pub(crate) fn fail(rules: &mut [RuleResult], why: &str) {
    for rule in rules.iter_mut().filter(|rule| rule.status == Status::Pass) {
        (rule.status, rule.message) = (Status::Fail, why.to_owned());
    }
}
