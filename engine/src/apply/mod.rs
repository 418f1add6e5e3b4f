//! Every policy over every resource.
//!
//! In: a bundle, the world outside, and options. Out: for each policy and resource what its rules said, in the
//! order of the original: resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/validation.go.

mod bodies;
mod cleanup;
mod clip;
mod driver;
mod effect;
mod evaluated;
mod generate;
mod images;
mod independent;
mod mutate;
mod server;
mod validate;
mod visit;

use crate::context::{Evaluator, global_value};
use crate::load::Bundle;
use crate::resource::{DocumentId, Resource};
use crate::world::World;

pub use bodies::{afterwards, mutate_targets};
pub use cleanup::{cleanup, due};
pub use clip::clip;
pub use driver::Driver;
pub use effect::{Effect, effect, failure_action, round, rule_effect};
pub use evaluated::evaluated_text;

pub use crate::context::{Directory, Evaluated};
pub use crate::load::Host;
pub use crate::outcome::{Mutation, Options, Outcome, Phase, PolicyResult};
pub use crate::rules::{EXISTING_ALLOWED, Locations, RuleResult, RuleType, Status, every_step};
pub use crate::trace::Recording;
pub use independent::{Outside, is_independent, is_independent_of};

/// A projection of a GlobalContextEntry that has no value: its document, and the words with which the original ends.
// Kyverno: buildGlobalContextStore computes all of them before anything is evaluated.
pub fn broken_projection(bundle: &Bundle, world: &dyn World) -> Option<(DocumentId, String)> {
    let directory = Directory::of(bundle);
    let evaluator = Evaluator::new(world, &directory);
    bundle.settings.answers.entries.iter().find_map(|entry| {
        let mut names = entry.projections.iter().map(|(name, _)| name).filter(|name| !name.is_empty());
        let error = names.find_map(|name| global_value(entry, name, &evaluator).err())?;
        Some((entry.document, format!("failed to build global context store: {error}")))
    })
}

/// Applies every policy to every resource.
pub fn apply(bundle: &Bundle, world: &dyn World, options: &Options) -> Outcome {
    let mut outcome = Outcome::default();
    apply_each(bundle, world, options, 0..bundle.resources.len(), |result| outcome.results.push(result));
    cleanup(bundle, world, options, |result| outcome.results.push(result));
    outcome
}

/// Applies every policy to the resources at these places of the bundle, and gives each result away at once: a
/// host that keeps little of it can evaluate many resources in little memory, and several ranges side by side.
pub fn apply_each(
    bundle: &Bundle,
    world: &dyn World,
    options: &Options,
    resources: std::ops::Range<usize>,
    mut take: impl FnMut(PolicyResult),
) {
    let first = resources.start;
    let evaluated = bundle.resources.get(resources).unwrap_or_default();
    apply_to_each(bundle, evaluated, world, options, |result| {
        take(PolicyResult { resource: first + result.resource, ..result });
    });
}

/// The same for a list of resources, in which results then say their place. The list need not be of the bundle: a host
/// can read some resources, evaluate them and let them go, as long as [`is_independent`] says that no rule looks for others.
pub fn apply_to_each(
    bundle: &Bundle,
    evaluated: &[Resource],
    world: &dyn World,
    options: &Options,
    take: impl FnMut(PolicyResult),
) {
    let directory = Directory::of(bundle);
    Driver::new(bundle, &directory, world, options).each(evaluated, take);
}
