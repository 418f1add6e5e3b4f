//! Registries that one Pod alone uses: what to look at before a change writes one into a policy.
//!
//! In: the resources, and the edits of a change. Out: a note for each such registry that the edits name.

use super::edit::Edit;
use super::images::parts;
use super::meant::key;
use super::pod::containers;
use engine::load::Bundle;
use engine_json::ordered::OrderedMap;
use engine_json::{MAX_DEPTH, Value};

/// The registry of an image that names none.
const DEFAULT: &str = "docker.io";

/// Registries that one resource alone uses, with its key; none where there is one resource only.
pub(super) struct Lonely(Vec<(String, String)>);

impl Lonely {
    /// Those among the resources.
    pub(super) fn of(bundle: &Bundle) -> Self {
        let mut users: OrderedMap<String, Vec<String>> = OrderedMap::default();
        let mut makers = 0;
        for resource in &bundle.resources {
            let containers = containers(&resource.value);
            makers += usize::from(!containers.is_empty());
            let own = key(resource);
            for container in containers {
                let registry = match parts(&container.image).registry {
                    "" => DEFAULT.to_owned(),
                    registry => registry.to_owned(),
                };
                let known = users.or_insert_with(registry, Vec::new);
                if !known.contains(&own) {
                    known.push(own.clone());
                }
            }
        }
        let alone = |(registry, users): (String, Vec<String>)| match users.as_slice() {
            [one] if makers > 1 => Some((registry, one.clone())),
            _ => None,
        };
        Lonely(users.into_iter().filter_map(alone).collect())
    }

    /// What to say of the registries that these edits write.
    pub(super) fn notes(&self, edits: &[Edit]) -> Vec<String> {
        let written = |registry: &str| {
            let start = format!("{registry}/");
            edits.iter().any(|edit| match edit {
                Edit::Set(_, value) | Edit::Push(_, value) => names(value, &start, MAX_DEPTH),
                Edit::Remove(_) => false,
            })
        };
        let note = |(registry, user): &(String, String)| {
            format!("of all Pods here `{user}` alone uses the registry `{registry}`")
        };
        self.0.iter().filter(|(registry, _)| written(registry)).map(note).collect()
    }
}

/// Whether a text within the value holds this.
fn names(value: &Value, wanted: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if let Some(text) = value.as_str() {
        return text.contains(wanted);
    }
    let in_list = value.as_array().is_some_and(|list| list.iter().any(|one| names(one, wanted, depth)));
    in_list || value.as_object().is_some_and(|map| map.values().any(|one| names(one, wanted, depth)))
}
