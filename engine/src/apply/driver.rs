//! The driver: one resource after the other through the parts of a run.
//!
//! In: policies, and lists of resources. Out: for each policy and resource what its rules said, in the order of the original:
//! resources outside, policies inside.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go.

use super::visit::Visit;
use super::{Options, PolicyResult, bodies, clip, generate, images, mutate, server, validate};
use crate::context::{Directory, Evaluator};
use crate::load::Bundle;
use crate::resource::Resource;
use crate::world::World;
use std::borrow::Cow;

/// Evaluates list after list of resources, and keeps what serves the next one: expressions, answers of the Kubernetes API,
/// the objects that `generate` rules clone. Threads that evaluate one bundle have a driver each and share the directory.
pub struct Driver<'a> {
    bundle: &'a Bundle,
    evaluator: Evaluator<'a>,
    options: &'a Options,
    bodies: bodies::Validating<'a>,
    rest: Option<Rest>,
}

/// The parts of a run that an admission controller does not have which neither reads images nor makes objects, and is given objects as
/// an API server has them. They are named by the constructor alone, so that a module for such a host carries none of them.
struct Rest {
    read_again: for<'r> fn(&Visit<'_>, Cow<'r, Resource>, usize, &mut [PolicyResult]) -> Cow<'r, Resource>,
    created: for<'r> fn(&Visit<'_>, &'r Resource) -> Cow<'r, Resource>,
    images: for<'r> fn(&Visit<'_>, Cow<'r, Resource>, &mut Vec<PolicyResult>) -> Cow<'r, Resource>,
    generate: fn(&Visit<'_>, &Resource, &generate::Stock, &mut Vec<PolicyResult>),
    stock: generate::Stock,
}

impl<'a> Driver<'a> {
    /// A driver with the policies of this bundle.
    pub fn new(
        bundle: &'a Bundle,
        directory: &'a Directory<'a>,
        world: &'a dyn World,
        options: &'a Options,
    ) -> Self {
        let rest = Rest {
            read_again: server::read_again,
            created: server::created,
            images: images::run,
            generate: generate::run,
            stock: generate::Stock::new(bundle),
        };
        Driver { rest: Some(rest), ..Driver::of_requests(bundle, directory, world, options) }
    }

    /// A driver that changes resources and validates them, and passes over rules that verify images or make objects.
    pub fn of_requests(
        bundle: &'a Bundle,
        directory: &'a Directory<'a>,
        world: &'a dyn World,
        options: &'a Options,
    ) -> Self {
        let (evaluator, bodies) = (Evaluator::new(world, directory), bodies::Validating::of(bundle));
        Driver { bundle, evaluator, options, bodies, rest: None }
    }

    /// The host's answers.
    pub fn world(&self) -> &'a dyn World {
        self.evaluator.world()
    }

    /// Applies every policy to each of these resources; results say their place in this list.
    pub fn each(&self, evaluated: &[Resource], mut take: impl FnMut(PolicyResult)) {
        let mut results = Vec::new();
        for (at, given) in evaluated.iter().enumerate() {
            self.apply_to(at, given, &mut results);
            results.drain(..).map(clip::clipped).for_each(&mut take);
        }
    }

    /// A resource that policies have changed, as an API server reads it.
    fn read_again<'r>(
        &self,
        visit: &Visit<'_>,
        resource: Cow<'r, Resource>,
        begin: usize,
        results: &mut [PolicyResult],
    ) -> Cow<'r, Resource> {
        match &self.rest {
            Some(rest) => (rest.read_again)(visit, resource, begin, results),
            None => resource,
        }
    }

    /// A resource as policies see it that validate.
    fn created<'r>(&self, visit: &Visit<'_>, resource: &'r Resource) -> Cow<'r, Resource> {
        self.rest.as_ref().map_or(Cow::Borrowed(resource), |rest| (rest.created)(visit, resource))
    }

    /// Applies every policy to one resource: the parts of a run in their order, each over what those before it have left. Those that
    /// look at all resources at the end are [`super::cleanup()`].
    fn apply_to(&self, at: usize, given: &Resource, results: &mut Vec<PolicyResult>) {
        let Driver { bundle, evaluator, options, bodies, rest } = self;
        let visit = &Visit { bundle, evaluator, options, at, given };
        if given.is_payload {
            return bodies.run(visit, given, results);
        }
        let begin = results.len();
        let Some(resource) = mutate::run(visit, results) else { return };
        let resource = self.read_again(visit, resource, begin, results);
        let resource = match rest {
            Some(rest) => (rest.images)(visit, resource, results),
            None => resource,
        };
        let created = self.created(visit, &resource);
        validate::run(visit, &created, results);
        let begin = results.len();
        let changed = bodies::mutate(visit, resource.clone(), results);
        let changed = self.read_again(visit, changed, begin, results);
        let resource =
            if server::is_same(&changed, &resource) { created } else { self.created(visit, &changed) };
        bodies.run(visit, &resource, results);
        bodies::generate(visit, &resource, results);
        if let Some(rest) = rest {
            (rest.generate)(visit, &resource, &rest.stock, results);
        }
        bodies::say_unmatched(visit, &resource, results);
    }
}
