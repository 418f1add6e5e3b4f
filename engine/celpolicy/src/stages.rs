//! The parts of a run in which policies with a body change resources, make others, look at images, or delete.
//!
//! In: one resource, or all of them at the end. Out: what each of these policies said, and the resource as they left it.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, commands/apply/command.go.

use engine::apply::{Mutation, Phase, PolicyResult, Recording, Status};
use engine::body::{Asked, Body, Mutated, Run, Stage, Stages};
use engine::load::{Bundle, Host};
use engine::resource::Resource;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The turn of policies that each see what the one before has left, and show what they have left themselves.
pub(crate) const ALONE: u8 = 0;

/// The policies with a body of a stage and their places, in the order in which they are asked.
fn of_stage(bundle: &Bundle, stage: Stage) -> Vec<(usize, &dyn Body)> {
    let policies = bundle.policies.iter().enumerate();
    let bodies = policies.filter_map(|(at, policy)| Some((at, policy.body.as_deref()?)));
    let mut all: Vec<_> = bodies.filter(|(_, body)| body.stage() == stage).collect();
    all.sort_by_key(|(_, body)| body.turn());
    all
}

fn asked<'r>(run: &'r Run<'_>, resource: &'r Resource) -> Asked<'r> {
    Asked {
        resource,
        settings: &run.bundle.settings,
        host: run.options.host,
        old_objects: &run.bundle.old_resources,
        objects: run.objects,
        world: run.world,
        is_traced: run.options.trace == Recording::On,
        made: OnceCell::new(),
    }
}

/// The key of a resource that is no longer called what it was.
fn renamed(resource: &Resource, given: &Resource) -> Option<String> {
    let (now, then) = (resource.key(), given.key());
    (now != then).then_some(now)
}

/// The parts of a run for the kinds of this crate.
#[derive(Debug)]
pub struct Parts;

impl Stages for Parts {
    /// Applies the policies that change the resource, each to what those before it have left.
    // Kyverno: the policies of one turn are one run, and each of their answers shows what all of them have left.
    fn mutate<'r>(
        &self,
        run: &Run<'_>,
        (at, given): (usize, &Resource),
        mut resource: Cow<'r, Resource>,
        results: &mut Vec<PolicyResult>,
    ) -> Cow<'r, Resource> {
        let is_one_run = |(_, a): &(usize, &dyn Body), (_, b): &(usize, &dyn Body)| {
            a.turn() == b.turn() && a.turn() != ALONE
        };
        for turn in of_stage(run.bundle, Stage::Mutate).chunk_by(is_one_run) {
            let met = resource.clone();
            let (begin, mut shown, mut last) = (results.len(), None, None);
            for (policy, body) in turn {
                for answer in body.mutate(&asked(run, &resource), &met) {
                    let Mutated { rules, resource: patched, met: of, before } = answer;
                    last = before.or(last);
                    // Kyverno: of an object that goes nothing is named.
                    let renamed = if of.is_some() { Some("///".to_owned()) } else { renamed(&met, given) };
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
                // What comes after takes all numbers for floats, as it finds them in what was given.
                let value = resource.value.with_float_numbers();
                let typed = if run.options.host == Host::Playground { after } else { value.clone() };
                let mut patched = Resource::new(value, met.document);
                patched.typed = typed;
                resource = Cow::Owned(patched);
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
        for (policy, body) in of_stage(run.bundle, Stage::Mutate) {
            for (place, answer) in body.mutate_targets(&asked(run, resource), met, &current) {
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
        let asked = asked(run, resource);
        let said = of_stage(run.bundle, Stage::Generate).into_iter().filter_map(|(policy, body)| {
            let rules = body.evaluate(&asked)?;
            let renamed = renamed(resource, given);
            Some(PolicyResult { renamed, ..PolicyResult::new(policy, at, Phase::Generate, rules) })
        });
        results.extend(said);
    }

    /// Asks the policies whose turn comes once all resources went through the others: of images first, then those that delete, over
    /// resources first and payloads after them.
    fn afterwards(&self, run: &Run<'_>, take: &mut dyn FnMut(PolicyResult)) {
        for (stage, phase) in [(Stage::VerifyImages, Phase::VerifyImages), (Stage::Delete, Phase::Cleanup)] {
            let bodies = of_stage(run.bundle, stage);
            if bodies.is_empty() {
                continue;
            }
            let all = || run.bundle.resources.iter().enumerate();
            let resources = all().filter(|(_, given)| !given.is_payload);
            let payloads = all().filter(|(_, given)| given.is_payload && given.protocol.is_none());
            for (at, given) in resources.chain(payloads) {
                let asked = asked(run, given);
                for (policy, body) in &bodies {
                    let Some(rules) = body.evaluate(&asked) else { continue };
                    take(PolicyResult::new(*policy, at, phase, rules));
                }
            }
        }
    }
}
