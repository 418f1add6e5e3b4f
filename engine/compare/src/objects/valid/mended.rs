//! Names that a search has made of wildcards and prefixes, where they are not names.
//!
//! In: hosts, metadata. Out: the same with a letter more where a name needs one.

use super::complete::{SOME, each};
use super::metadata::WITH_PATH_SEGMENTS;
use super::names::{
    is_dns_label, is_dns_subdomain, is_label_value, is_qualified_name, is_wildcard_subdomain,
};
use crate::constraints::fill_in;
use engine_json::{Map, Str, Value};

/// A host; a wildcard stands at the begin of one, and for a whole part.
pub(super) fn host_like(host: &Str) -> Str {
    if !host.contains('*') {
        return mended(host, is_dns_subdomain);
    }
    if is_wildcard_subdomain(host) {
        return host.clone();
    }
    let rest = host.replace('*', "");
    let rest = rest.trim_matches('.');
    Str::from(format!("*.{}", if is_dns_subdomain(rest) { rest } else { SOME }))
}

/// A text, or one with another letter at its begin or end, where it is not a name of this sort and the other is: what a wildcard stands for
/// may be empty, and a name then begins or ends with a hyphen.
fn mended(text: &Str, is_valid: fn(&str) -> bool) -> Str {
    if text.is_empty() || is_valid(text) {
        return text.clone();
    }
    let tries = [format!("{text}{SOME}"), format!("{SOME}{text}"), format!("{SOME}{text}{SOME}")];
    tries.into_iter().find(|other| is_valid(other)).map_or_else(|| text.clone(), Str::from)
}

/// Names, labels and annotations.
pub(super) fn complete_metadata(metadata: Option<&mut Value>, kind: &str) {
    let Some(metadata) = metadata.and_then(Value::object_mut) else { return };
    let has_path_segments = WITH_PATH_SEGMENTS.contains(&kind);
    for (field, is_valid) in [("name", is_dns_subdomain as fn(&str) -> bool), ("namespace", is_dns_label)] {
        if let Some(Value::String(name)) =
            metadata.get_mut(field).filter(|_| !(has_path_segments && field == "name"))
        {
            *name = mended(name, is_valid);
        }
    }
    each(Some(metadata), "ownerReferences", |owner| {
        fill_in(owner, "meta.v1.OwnerReference");
    });
    for (field, is_label) in [("labels", true), ("annotations", false)] {
        let Some(map) = metadata.get_mut(field).and_then(Value::object_mut) else { continue };
        let is_key = |key: &Str| is_qualified_name(&key.to_ascii_lowercase());
        let is_value = |value: &Value| value.as_str().is_some_and(|text| !is_label || is_label_value(text));
        if map.iter().all(|(key, value)| is_key(key) && is_value(value)) {
            continue;
        }
        let mut whole = Map::new();
        for (key, value) in map.iter() {
            // Values of other types are strings here.
            let text = match value {
                Value::String(text) => text.clone(),
                other => Str::from(engine_json::to_json(other)),
            };
            let value = Value::String(if is_label { mended(&text, is_label_value) } else { text });
            whole.insert(mended(key, is_qualified_name), value);
        }
        *map = whole;
    }
}
