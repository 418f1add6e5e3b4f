//! Wildcards in the keys of labels and annotations of a pattern.
//!
//! In: a map of a pattern that has `metadata`, and the map of the resource. Out: the pattern with each such key
//! replaced by the first key of the resource, by name, that it matches.
//! Mirrors: pkg/engine/wildcards/wildcards.go ExpandInMetadata.

use super::anchor;
use crate::value::wildcard;
use engine_json::{Map, Str, Value};

/// Whether a resource could change this map: labels or annotations with a wildcard in a key, or with an entry that
/// is not a string, which the expansion drops.
pub(super) fn needs_expansion(map: &Map) -> bool {
    let Some(metadata) = find(map, "metadata").and_then(|(_, value)| value.as_object()) else { return false };
    ["labels", "annotations"].iter().any(|tag| {
        find(metadata, tag).and_then(|(_, value)| value.as_object()).is_some_and(|entries| {
            entries.iter().any(|(key, value)| wildcard::contains_wildcard(key) || value.as_str().is_none())
        })
    })
}

/// How many keys of the pattern and of the resource are held against each other, at most.
pub(super) fn pairs(pattern: &Map, resource: &Map) -> usize {
    let (Some((_, Value::Object(wanted))), Some((_, Value::Object(found)))) =
        (find(pattern, "metadata"), find(resource, "metadata"))
    else {
        return 0;
    };
    let entries =
        |map: &Map, tag| find(map, tag).and_then(|(_, value)| value.as_object()).map_or(0, Map::len);
    ["labels", "annotations"].iter().map(|tag| entries(wanted, tag).saturating_mul(entries(found, tag))).sum()
}

/// The pattern's map as it applies to this resource.
pub(super) fn expand(pattern: &Map, resource: &Map) -> Map {
    let mut expanded = pattern.clone();
    let Some((metadata_key, metadata)) = find(pattern, "metadata") else { return expanded };
    let Some(resource_metadata) = resource.get("metadata").and_then(Value::as_object) else {
        return expanded;
    };
    let Some(metadata) = metadata.as_object() else { return expanded };
    let mut changed = metadata.clone();
    for tag in ["labels", "annotations"] {
        let Some((key, Value::Object(entries))) = find(metadata, tag) else { continue };
        let Some((_, Value::Object(found))) = find(resource_metadata, tag) else { continue };
        changed.insert(key.clone(), Value::object(expand_keys(entries, found)));
    }
    expanded.insert(metadata_key.clone(), Value::object(changed));
    expanded
}

fn expand_keys(entries: &Map, found: &Map) -> Map {
    let mut result = Map::new();
    for (key, value) in entries.iter().filter(|(_, value)| value.as_str().is_some()) {
        let inner = anchor::plain_key(key);
        let matched = wildcard::contains_wildcard(key)
            .then(|| {
                // The original takes any of those that fit; here it is the first by name.
                let texts = found.iter().filter(|(_, value)| value.as_str().is_some());
                texts.map(|(key, _)| key).filter(|candidate| wildcard::matches(inner, candidate)).min()
            })
            .flatten();
        let key = match matched {
            Some(candidate) if inner.len() == key.len() => candidate.clone(),
            Some(candidate) => Str::from(key.trim().replacen(inner, candidate, 1)),
            None => key.clone(),
        };
        result.insert(key, value.clone());
    }
    result
}

/// The entry of this name, with or without anchor.
fn find<'a>(map: &'a Map, tag: &str) -> Option<(&'a Str, &'a Value)> {
    let plain = map.iter().find(|(key, _)| *key == tag);
    plain.or_else(|| map.iter().find(|(key, _)| anchor::parse(key).is_some_and(|(_, inner)| inner == tag)))
}
