//! Conditional anchors that skip: `(image): "!*/istio/proxyv2*"` in a pattern.

use super::{Exemption, ExemptionSelector, Kind, On, listed};
use crate::sieve::edit::Edit;
use engine::resource::DocumentId;
use engine_json::{Path, Value};

/// Patterns are followed so deep.
const MAX_DEPTH: usize = 40;

pub(super) fn find(rule: &Value, document: DocumentId, path: &Path, found: &mut Vec<Exemption>) {
    let Some(validate) = rule.get("validate") else { return };
    let path = path.join("validate");
    bodies(validate, document, &path, 0, found);
}

fn bodies(body: &Value, document: DocumentId, path: &Path, depth: usize, found: &mut Vec<Exemption>) {
    if depth >= MAX_DEPTH {
        return;
    }
    for key in ["pattern", "anyPattern"] {
        if let Some(pattern) = body.get(key) {
            walk(pattern, document, &path.join(key), 0, found);
        }
    }
    let loops = body.get("foreach").and_then(Value::as_array).unwrap_or_default();
    for (at, each) in loops.iter().enumerate() {
        bodies(each, document, &path.join("foreach").join(at), depth + 1, found);
    }
}

fn walk(pattern: &Value, document: DocumentId, path: &Path, depth: usize, found: &mut Vec<Exemption>) {
    if depth >= MAX_DEPTH {
        return;
    }
    match pattern {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, document, &path.join(at), depth + 1, found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map.iter() {
                let path = path.join(key.clone());
                match value.as_str() {
                    Some(text) => found.extend(anchor(key, text, document, &path)),
                    None => walk(value, document, &path, depth + 1, found),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn anchor(key: &str, text: &str, document: DocumentId, path: &Path) -> Option<Exemption> {
    let field = key.strip_prefix('<').unwrap_or(key).strip_prefix('(')?.strip_suffix(')')?;
    let on = match field {
        "image" => On::Image,
        "name"
            if path.iter().any(|step| matches!(step, engine_json::Segment::Index(_)) && path.len() > 5) =>
        {
            On::Container
        }
        "name" => On::Name,
        "namespace" => On::Namespace,
        _ => return None,
    };
    let pieces = text.split(['&', '|']).map(str::trim);
    let patterns: Vec<&str> = pieces.filter_map(|piece| piece.strip_prefix('!')).collect();
    if patterns.is_empty() {
        return None;
    }
    let mut exemption = Exemption::new(Kind::Anchor, document, path.clone());
    exemption.text = format!("{field} {}", listed(patterns.iter().copied()));
    exemption.selectors = patterns
        .iter()
        .map(|pattern| ExemptionSelector {
            whole: text.to_owned(),
            ..ExemptionSelector::new(on.clone(), path.clone(), pattern)
        })
        .collect();
    exemption.removal = vec![Edit::Set(path.clone(), Value::from("*"))];
    Some(exemption)
}
