//! Policies with a body: kinds that a crate above the engine evaluates.
//!
//! In: one resource, or at the end all of them. Out: what each policy said.

use super::visit::Visit;
use super::{Locations, Options, PolicyResult, clip};
use crate::body::{Phase, PolicyBody, Run, of_phase};
use crate::context::Directory;
use crate::load::{Bundle, Host};
use crate::resource::Resource;
use crate::trace::Recording;
use crate::world::World;
use std::borrow::Cow;

/// The policies that validate and their places, in the order in which they are asked.
pub(super) struct Validating<'a>(Vec<(usize, &'a dyn PolicyBody)>);

impl<'a> Validating<'a> {
    /// Those of a bundle.
    pub(super) fn of(bundle: &'a Bundle) -> Self {
        Validating(of_phase(bundle, Phase::Validate))
    }

    /// Asks each of them.
    pub(super) fn run(&self, visit: &Visit<'_>, resource: &Resource, results: &mut Vec<PolicyResult>) {
        let Options { host, places, .. } = *visit.options;
        let here = run(visit).asked(resource);
        let compared = (places == Locations::Include && host != Host::Cluster)
            .then(|| (here.of_host(host), here.of_host(Host::Cluster)));
        for (policy, body) in self.0.iter().filter(|(_, body)| body.protocol() == visit.given.protocol) {
            let said = body.evaluate(&here);
            let mut difference = compared.as_ref().and_then(|(here, there)| body.difference(here, there));
            // Where the original has no answer, a cluster may have one.
            if said.is_none() && difference.is_none() {
                continue;
            }
            // Kyverno: each copy of a policy that is for the resource has an answer of its own.
            let mut answers: Vec<_> = said.unwrap_or_default().into_iter().map(|rule| vec![rule]).collect();
            if answers.is_empty() {
                answers.push(Vec::new());
            }
            let renamed = resource.renamed_from(visit.given);
            results.extend(answers.into_iter().map(|rules| PolicyResult {
                renamed: renamed.clone(),
                difference: difference.take(),
                ..PolicyResult::new(*policy, visit.at, Phase::Validate, rules)
            }));
        }
    }
}

/// Says of each policy with a body that said nothing of the resource why it is not for it, where that is asked for; the results are
/// those of this resource alone.
pub(super) fn say_unmatched(visit: &Visit<'_>, resource: &Resource, results: &mut Vec<PolicyResult>) {
    if visit.options.trace == Recording::Off {
        return;
    }
    let asked = run(visit).asked(resource);
    let bodies = visit.bundle.policies.iter().enumerate();
    for (policy, body) in bodies.filter_map(|(at, policy)| Some((at, policy.body.as_deref()?))) {
        let mut said: Vec<_> = results.iter_mut().filter(|result| result.policy == policy).collect();
        if said.iter().any(|result| !result.rules.is_empty()) || body.protocol() != visit.given.protocol {
            continue;
        }
        let steps = body.why_unmatched(&asked);
        match said.first_mut() {
            _ if steps.is_empty() => {}
            Some(result) => result.no_match = steps,
            None => results.push(PolicyResult {
                renamed: resource.renamed_from(visit.given),
                no_match: steps,
                ..PolicyResult::new(policy, visit.at, body.phase(), Vec::new())
            }),
        }
    }
}

/// Applies those that change the resource.
pub(super) fn mutate<'r>(
    visit: &Visit<'_>,
    resource: Cow<'r, Resource>,
    results: &mut Vec<PolicyResult>,
) -> Cow<'r, Resource> {
    match visit.bundle.phases {
        Some(phases) => phases.mutate(&run(visit), (visit.at, visit.given), resource, results),
        None => resource,
    }
}

/// Asks those that generate further objects for the resource.
pub(super) fn generate(visit: &Visit<'_>, resource: &Resource, results: &mut Vec<PolicyResult>) {
    if let Some(phases) = visit.bundle.phases {
        phases.generate(&run(visit), (visit.at, visit.given), resource, results);
    }
}

fn run<'v>(visit: &Visit<'v>) -> Run<'v> {
    let Visit { bundle, evaluator, options, .. } = *visit;
    Run { bundle, objects: evaluator.directory(), world: evaluator.world(), options }
}

/// Applies the policies with a body that are asked at the end of a run: those that look at images, and those that delete.
pub fn afterwards(bundle: &Bundle, world: &dyn World, options: &Options, mut take: impl FnMut(PolicyResult)) {
    let Some(phases) = bundle.phases else { return };
    let objects = &Directory::of(bundle);
    let run = Run { bundle, objects, world, options };
    phases.afterwards(&run, &mut |result| take(clip::clipped(result)));
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
    let Some(phases) = bundle.phases.filter(|_| !targets.is_empty()) else { return Vec::new() };
    let objects = &Directory::of(bundle);
    let run = Run { bundle, objects, world, options };
    phases.mutate_targets(&run, at, met, resource, targets)
}
