//! Every policy over every resource.
//!
//! In: a bundle, the world outside, and options. Out: for each policy and resource what its rules said, in the
//! order of the original: resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go, pkg/engine/validation.go.

mod cleanup;
mod clip;
mod driver;
mod effect;
mod evaluated;
mod generate;
mod images;
mod independent;
mod mutate;
mod others;
mod validate;
mod visit;

use crate::context::{Evaluator, global_value};
use crate::load::Bundle;
use crate::resource::{DocumentId, Resource};
use crate::trace::Step;
use crate::world::World;
use engine_json::{Str, Value};

pub use cleanup::{cleanup, due};
pub use clip::clip;
pub use driver::Driver;
pub use effect::{Effect, effect, failure_action, rule_effect};
pub use evaluated::evaluated_text;
pub use others::{afterwards, mutate_targets};

pub use crate::context::{Directory, Evaluated};
pub use crate::load::Host;
pub use crate::rules::{Locations, RuleResult, RuleType, Status, every_step};
pub use crate::trace::Recording;
pub use independent::is_independent;

/// How to decide.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which of the originals is followed where they differ.
    pub host: Host,
    /// Whether each rule says its steps.
    pub trace: Recording,
    /// Whether results say where in the texts they were decided.
    pub places: Locations,
}

/// What all policies said.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// One entry a policy and resource.
    pub results: Vec<PolicyResult>,
}

/// What a policy was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// To mutate the resource.
    Mutate,
    /// To verify its images, and to write their digests.
    VerifyImages,
    /// To validate it.
    Validate,
    /// To generate others.
    Generate,
    /// To delete it.
    Cleanup,
}

/// One policy over one resource.
#[derive(Clone, Debug)]
pub struct PolicyResult {
    /// The policy's place in the bundle.
    pub policy: usize,
    /// The resource's place in the bundle.
    pub resource: usize,
    /// What the policy was asked for.
    pub phase: Phase,
    /// What its rules said; empty where none matched.
    pub rules: Vec<RuleResult>,
    /// The rules that match and are of a kind that is not evaluated.
    pub undecided: Vec<Str>,
    /// Why rules did not match, one after the other; empty where nobody asked.
    pub no_match: Vec<Step>,
    /// What became of the resource, where the policy was asked to mutate it.
    pub mutation: Option<Mutation>,
    /// The resource as the policy met it (`apiVersion/kind/namespace/name`), where mutation has renamed it.
    pub renamed: Option<String>,
    /// Texts of the data that were evaluated as expressions.
    pub evaluated: Vec<Evaluated>,
}

impl PolicyResult {
    /// What the rules of a policy said, both given by their place in the bundle, with nothing beside it.
    pub fn new(policy: usize, resource: usize, phase: Phase, rules: Vec<RuleResult>) -> Self {
        PolicyResult {
            policy,
            resource,
            phase,
            rules,
            undecided: Vec::new(),
            no_match: Vec::new(),
            mutation: None,
            renamed: None,
            evaluated: Vec::new(),
        }
    }
}

/// What a policy's `mutate` rules made of a resource.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The resource as they left it; `null` where an error left nothing.
    pub resource: Value,
    /// The resource as they found it.
    pub original: Value,
    /// Whether these two differ.
    pub changed: bool,
}

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
