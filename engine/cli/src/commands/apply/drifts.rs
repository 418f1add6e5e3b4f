//! What policies change in each object, for `--drift`.
//!
//! In: responses, as they come. Out: one [`Drift`] an object: what was found last, in the order in which it was found.

use engine::apply::Directory;
use engine::json::Value;
use engine::resource::Gvk;
use engine_lenses::drift::Drift;
use engine_lenses::report::Response;
use std::collections::BTreeMap;

/// The drifts so far.
#[derive(Default)]
pub(super) struct Drifts {
    /// Nothing stands where a later one took the place of what was known.
    found: Vec<Option<Drift>>,
    /// Group, kind, namespace and name of each.
    places: BTreeMap<[String; 4], usize>,
}

impl Drifts {
    /// Notes what policies have changed in the object so far, and in those that their rules have targeted.
    pub(super) fn note(&mut self, directory: &Directory<'_>, response: &Response<'_>) {
        for target in response.rules.iter().filter_map(|rule| rule.patched_target.as_ref()) {
            let gvk = Gvk::new(target.find_str(&["apiVersion"]), target.find_str(&["kind"]));
            let [namespace, name] = ["namespace", "name"].map(|key| target.find_str(&["metadata", key]));
            if let Some(given) = directory.find(&gvk, namespace, name) {
                self.keep(Drift::of(given, target));
            }
        }
        let is_left = |live: &&Value| live.as_object().is_some_and(|object| !object.is_empty());
        if let Some(live) = response.patched.as_ref().filter(is_left) {
            self.keep(Drift::of(response.resource, live));
        }
    }

    /// Adds what was found after this.
    pub(super) fn extend(&mut self, later: Drifts) {
        later.found.into_iter().flatten().for_each(|drift| self.keep(drift));
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<&Drift> {
        self.found.iter().flatten().collect()
    }

    fn keep(&mut self, drift: Drift) {
        let key = [&drift.group, &drift.kind, &drift.namespace, &drift.name].map(Clone::clone);
        let before = self.places.insert(key, self.found.len());
        if let Some(known) = before.and_then(|at| self.found.get_mut(at)) {
            *known = None;
        }
        self.found.push(Some(drift));
    }
}
