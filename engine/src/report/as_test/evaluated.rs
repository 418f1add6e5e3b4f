//! What all policies of a test say of all its resources.
//!
//! In: a bundle. Out: [`Evaluated`] responses by resource.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, the second half of runTest.

use crate::apply::{Locations, Options, Phase, Recording, apply_each};
use crate::load::{Bundle, Host};
use crate::report::Response;
use crate::resource::Resource;
use crate::world::World;
use engine_json::Value;

/// One policy over one resource in one phase.
#[derive(Debug)]
pub struct Evaluated<'a> {
    /// What it said.
    pub response: Response<'a>,
    /// The object that an expected one is held against.
    pub object: Value,
}

/// A resource with what was said of it.
#[derive(Debug)]
pub struct Keyed<'a> {
    /// The resource.
    pub resource: &'a Resource,
    /// What was said, in the order of evaluation.
    pub responses: Vec<Evaluated<'a>>,
}

/// Evaluates all resources as `kyverno test` does.
pub fn evaluate<'a>(bundle: &'a Bundle, world: &dyn World) -> Vec<Keyed<'a>> {
    let options = Options { host: Host::Cli, trace: Recording::Off, places: Locations::Omit };
    let mut all: Vec<Keyed<'_>> =
        bundle.resources.iter().map(|resource| Keyed { resource, responses: Vec::new() }).collect();
    apply_each(bundle, world, &options, 0..bundle.resources.len(), |result| {
        let at = result.resource;
        let Some(response) = Response::new(bundle, &bundle.resources, result, false) else { return };
        let Some(keyed) = all.get_mut(at) else { return };
        // Kyverno: a generating policy whose rules do not match gives no response, and cleanup policies are not tested.
        let is_silent = response.phase == Phase::Generate && response.rules.is_empty();
        if is_silent || response.phase == Phase::Cleanup {
            return;
        }
        // Kyverno: what comes after a mutation sees the mutated object.
        let changes = |evaluated: &&Evaluated<'_>| {
            matches!(evaluated.response.phase, Phase::Mutate | Phase::VerifyImages)
                && evaluated.response.patched.is_some()
        };
        let before = keyed.responses.iter().rfind(changes);
        let met =
            before.map_or_else(|| response.resource.value.clone(), |evaluated| evaluated.object.clone());
        let object = response.patched.clone().unwrap_or(met);
        keyed.responses.push(Evaluated { response, object });
    });
    all
}
