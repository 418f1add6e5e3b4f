//! What all policies of a test say of all its resources.
//!
//! In: a bundle. Out: [`Evaluated`] responses by resource.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/test.go, the second half of runTest.

use crate::report::Response;
use engine::apply::{
    Locations, Options, Phase, PolicyResult, Recording, Status, afterwards, apply_each, mutate_targets,
};
use engine::body::Turn;
use engine::load::Bundle;
use engine::resource::Resource;
use engine::world::World;
use engine_json::Value;

/// One policy over one resource in one phase.
#[derive(Debug)]
pub struct Evaluated<'a> {
    /// What it said.
    pub response: Response<'a>,
    /// The object that an expected one is held against; null where the original has none.
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

impl<'a> Keyed<'a> {
    /// What was said last that changed the resource.
    // Kyverno: what comes after a mutation sees the mutated object.
    fn changed(&self) -> Option<&Evaluated<'a>> {
        self.responses.iter().rfind(|evaluated| {
            matches!(evaluated.response.phase, Phase::Mutate | Phase::VerifyImages)
                && evaluated.response.patched.is_some()
        })
    }
}

/// Evaluates all resources as `kyverno test` does.
pub fn evaluate<'a>(bundle: &'a Bundle, world: &dyn World) -> Vec<Keyed<'a>> {
    let options = Options { host: bundle.host, trace: Recording::Off, places: Locations::Omit };
    let mut all: Vec<Keyed<'_>> =
        bundle.resources.iter().map(|resource| Keyed { resource, responses: Vec::new() }).collect();
    // The resources as the policies with a body met them that change things.
    let mut met: Vec<Option<Value>> = vec![None; all.len()];
    apply_each(bundle, world, &options, 0..bundle.resources.len(), |result| {
        let at = result.resource;
        if let (Some(met), Some(mutation)) = (met.get_mut(at), &result.mutation)
            && is_of_kyverno(bundle, &result)
        {
            met.get_or_insert_with(|| mutation.original.clone());
        }
        let Some(response) = Response::new(bundle, &bundle.resources, result, false) else { return };
        let Some(keyed) = all.get_mut(at) else { return };
        // Kyverno: a generating policy whose rules do not match gives no response.
        if response.phase == Phase::Generate && response.rules.is_empty() {
            return;
        }
        let before = keyed.changed();
        let met =
            before.map_or_else(|| response.resource.value.clone(), |evaluated| evaluated.object.clone());
        let object = response.patched.clone().unwrap_or(met);
        keyed.responses.push(Evaluated { response, object });
    });
    for (at, (keyed, met)) in all.iter_mut().zip(met).enumerate().filter(|(_, (k, _))| !k.resource.is_payload)
    {
        let object = keyed.changed().map_or_else(|| keyed.resource.value.clone(), |last| last.object.clone());
        let of = |value: Value| Resource::new(value.with_float_numbers(), keyed.resource.document);
        let (met, resource) = (of(met.unwrap_or_else(|| object.clone())), of(object));
        let results = mutate_targets(bundle, world, &options, at, (&met, &resource));
        let responses = results.into_iter().filter_map(|result| {
            let response = Response::new(bundle, &bundle.resources, result, false)?;
            Some(Evaluated { response, object: Value::Null })
        });
        keyed.responses.extend(responses);
    }
    // Kyverno: cleanup policies are not tested, and policies that delete say of a payload what they say of a resource.
    afterwards(bundle, world, &options, |mut result| {
        let Some(keyed) = all.get_mut(result.resource) else { return };
        if result.phase == Phase::Cleanup && keyed.resource.is_payload {
            for rule in &mut result.rules {
                match rule.status {
                    Status::Pass => "resource matched".clone_into(&mut rule.message),
                    Status::Fail => "resource did not match".clone_into(&mut rule.message),
                    Status::Warn | Status::Error | Status::Skip => {}
                }
            }
        }
        let Some(response) = Response::new(bundle, &bundle.resources, result, false) else { return };
        let object = response.resource.value.clone();
        keyed.responses.push(Evaluated { response, object });
    });
    all
}

/// Whether a result is of a policy with a body that changes what was changed by those of Kubernetes.
fn is_of_kyverno(bundle: &Bundle, result: &PolicyResult) -> bool {
    let body = bundle.policies.get(result.policy).and_then(|policy| policy.body.as_ref());
    body.is_some_and(|body| body.turn() != Turn::MutatingAdmission)
}
