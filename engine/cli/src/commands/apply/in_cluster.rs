//! Where a cluster would decide otherwise than `kyverno apply`, whose verdicts stand on standard output.
//!
//! In: policies in CEL and resources. Out: a line for each policy, verdict and reason, with the first resource and how many
//! others there are.

use crate::terminal::one_line;
use engine::Bundle;
use engine::apply::{Directory, Status};
use engine::body::{Asked, Difference, Stage};
use engine::load::Host;
use engine::policy::{Body, Policy};
use engine::resource::Resource;
use engine::world::World;
use std::cell::OnceCell;
use std::collections::BTreeMap;

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
        // What other policies make of a resource first is not made here.
        if bundle.policies.iter().any(mutates) {
            return found;
        }
        let bodies = || {
            bundle.policies.iter().enumerate().filter_map(|(at, policy)| Some((at, policy.body.as_deref()?)))
        };
        if bodies().next().is_none() {
            return found;
        }
        for resource in resources {
            let asked = |host: Host| Asked {
                resource,
                settings: &bundle.settings,
                host,
                old_objects: &bundle.old_resources,
                objects,
                world,
                made: OnceCell::new(),
            };
            let (here, there) = (asked(Host::Cli), asked(Host::Cluster));
            for (at, body) in bodies() {
                if let Some(difference) = body.difference(&here, &there) {
                    found.add((at, difference), (path(resource), 1));
                }
            }
        }
        found
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

fn mutates(policy: &Policy) -> bool {
    let changes = policy.body.as_ref().is_some_and(|body| body.stage() == Stage::Mutate);
    changes || policy.rules.iter().any(|rule| matches!(rule.body, Body::Mutate(_)))
}

fn path(resource: &Resource) -> String {
    let parts = [resource.namespace(), resource.kind(), resource.name()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("/")
}
