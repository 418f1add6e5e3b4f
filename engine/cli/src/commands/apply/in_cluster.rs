//! Where a cluster would decide otherwise than `kyverno apply`, whose verdicts stand on standard output.
//!
//! In: policies in CEL and resources. Out: a line for each policy, verdict and reason, with the first resource and how many
//! others there are.

use crate::terminal::one_line;
use engine::Bundle;
use engine::apply::{Directory, Driver, Locations, Options, Recording, Status};
use engine::body::{Difference, Phase, Run};
use engine::json::Value;
use engine::load::Host;
use engine::policy::{Body, Policy};
use engine::resource::Resource;
use engine::world::World;
use std::collections::{BTreeMap, BTreeSet};

/// By policy and difference: the first resource, and how many there are.
#[derive(Default)]
pub(super) struct Differences(BTreeMap<(usize, Difference), (String, usize)>);

impl Differences {
    /// Asks all policies in CEL about these resources.
    pub(super) fn find(
        bundle: &Bundle,
        resources: &[Resource],
        objects: &Directory<'_>,
        world: &dyn World,
    ) -> Self {
        let mut found = Differences::default();
        // What policies make of a resource first is made by both hosts; those that delete look at what was given.
        let is_changed = bundle.policies.iter().any(mutates);
        let bodies = || {
            let all = bundle.policies.iter().enumerate();
            all.filter_map(|(at, policy)| Some((at, policy.body.as_deref()?)))
        };
        if bodies().next().is_none() {
            return found;
        }
        if is_changed {
            found.of_runs(bundle, resources, objects, world);
        }
        let bodies = || bodies().filter(|(_, body)| !is_changed || body.phase() == Phase::Cleanup);
        let options = Options { host: bundle.host, trace: Recording::Off, places: Locations::Omit };
        let run = Run { bundle, objects, world, options: &options };
        for resource in resources {
            let here = run.asked(resource);
            let there = here.of_host(Host::Cluster);
            for (at, body) in bodies() {
                if let Some(difference) = body.difference(&here, &there) {
                    found.add((at, difference), (path(resource), 1));
                }
            }
        }
        found
    }

    /// Evaluates the resources as either host does, and compares what is said and left.
    fn of_runs(
        &mut self,
        bundle: &Bundle,
        resources: &[Resource],
        objects: &Directory<'_>,
        world: &dyn World,
    ) {
        let run = |host: Host| {
            let options = Options { host, trace: Recording::Off, places: Locations::Omit };
            let mut said = BTreeMap::<(usize, usize), Said>::new();
            Driver::new(bundle, objects, world, &options).each(resources, |result| {
                if bundle.policies.get(result.policy).is_none_or(|policy| policy.body.is_none()) {
                    return;
                }
                let said = said.entry((result.policy, result.resource)).or_default();
                // A policy that is not asked because of what nobody has given says nothing.
                let asked =
                    result.rules.iter().filter(|rule| rule.status != Status::Skip || rule.assumed.is_empty());
                let worst = asked.map(|rule| rule.status).max_by_key(|status| status.severity());
                said.status =
                    [said.status, worst].into_iter().flatten().max_by_key(|status| status.severity());
                let left = result.mutation.filter(|_| worst == Some(Status::Pass));
                said.left = left.map(|left| left.resource.with_int_numbers()).or(said.left.take());
            });
            said
        };
        let (here, there) = (run(bundle.host), run(Host::Cluster));
        let none = Said::default();
        for key in here.keys().chain(there.keys()).collect::<BTreeSet<_>>() {
            let (one, other) = (here.get(key).unwrap_or(&none), there.get(key).unwrap_or(&none));
            let why = if one.status != other.status {
                "whole numbers are integers there, exceptions end, and the request and its namespace are known"
            } else if one.left != other.left {
                "another object is left there"
            } else {
                continue;
            };
            let difference = Difference { here: one.status, there: other.status, why: why.to_owned() };
            let named = resources.get(key.1).map(path).unwrap_or_default();
            self.add((key.0, difference), (named, 1));
        }
    }

    fn add(&mut self, key: (usize, Difference), (path, count): (String, usize)) {
        self.0.entry(key).and_modify(|(_, known)| *known += count).or_insert((path, count));
    }

    /// Takes what was found in the resources behind these.
    pub(super) fn extend(&mut self, others: Differences) {
        for (key, found) in others.0 {
            self.add(key, found);
        }
    }

    /// A line for each.
    pub(super) fn lines(&self, bundle: &Bundle) -> String {
        let line = |((at, difference), (path, count)): (&(usize, Difference), &(String, usize))| {
            let policy = bundle.policies.get(*at).map(Policy::key).unwrap_or_default();
            let word = |status: Option<Status>| status.map_or("nothing", Status::as_str);
            let (here, there) = (word(difference.here), word(difference.there));
            let others = match count - 1 {
                0 => String::new(),
                1 => " and 1 other".to_owned(),
                more => format!(" and {more} others"),
            };
            let text = format!(
                "note: in a cluster policy `{policy}` says {there} of {path}{others}, and {here} here: {}",
                difference.why
            );
            format!("{}\n", one_line(&text))
        };
        self.0.iter().map(line).collect()
    }
}

/// What a policy says of a resource, and what it is left as.
#[derive(Default)]
struct Said {
    status: Option<Status>,
    left: Option<Value>,
}

fn mutates(policy: &Policy) -> bool {
    let changes = policy.body.as_ref().is_some_and(|body| body.phase() == Phase::Mutate);
    changes || policy.rules.iter().any(|rule| matches!(rule.body, Body::Mutate(_)))
}

fn path(resource: &Resource) -> String {
    let parts = [resource.namespace(), resource.kind(), resource.name()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("/")
}
