//! What of the server's validation follows from the types: texts that a field may not hold. Containers must have names and images.
//!
//! In: an object that could be read. Out: what the server refuses to store, each fault as `FIELD: WORDS`; far from all of it.
//! Mirrors: k8s.io/apimachinery pkg/util/validation/field, k8s.io/kubernetes pkg/apis/core/validation.

use crate::table::{Shape, Table, table};
use engine_json::{Map, Value, quote};

/// The faults of an object.
pub fn invalid(object: &Value) -> Vec<String> {
    let table = table();
    let mut faults = Vec::new();
    if let Some(map) = object.as_object()
        && let Some(kind) = table.kind_of(map)
    {
        // A status is what a server says.
        let spec = map.iter().filter(|(key, _)| *key != "status");
        fields(spec, table, kind.of.place(), "", &mut faults);
    }
    faults
}

fn fields<'m>(
    all: impl Iterator<Item = (&'m engine_json::Str, &'m Value)>,
    table: &Table,
    of: usize,
    path: &str,
    faults: &mut Vec<String>,
) {
    let Some(of) = table.types().get(of) else { return };
    for (key, value) in all {
        let Some(field) = of.field(key) else { continue };
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        look(value, &field.shape, table, &path, faults);
    }
}

fn look(value: &Value, shape: &Shape, table: &Table, path: &str, faults: &mut Vec<String>) {
    match (shape, value) {
        (Shape::Named(id, _), Value::Object(map)) => {
            let of = table.of(*id);
            if let Some(same) = &of.same {
                return look(value, same, table, path, faults);
            }
            if of.name == "core.v1.Container" {
                required(map, &["name", "image"], path, faults);
            }
            fields(map.iter(), table, id.place(), path, faults);
        }
        (Shape::Named(id, _), Value::String(text)) => {
            let texts = &table.of(*id).texts;
            // Texts with spaces are not told apart in a row.
            let is_listed = texts.is_empty() || table.of(*id).name == "certificates.v1.KeyUsage";
            if !is_listed && !text.is_empty() && !texts.contains(&text.as_str()) {
                let known = texts.iter().filter(|text| !text.is_empty()).map(|text| quote(text));
                let known = known.collect::<Vec<_>>().join(", ");
                faults.push(format!("{path}: Unsupported value: {}: supported values: {known}", quote(text)));
            }
        }
        (Shape::Named(id, _), value) => {
            if let Some(same) = &table.of(*id).same {
                look(value, same, table, path, faults);
            }
        }
        (Shape::List(inner, _), Value::Array(items)) => {
            for (at, item) in items.iter().enumerate() {
                look(item, inner, table, &format!("{path}[{at}]"), faults);
            }
        }
        (Shape::Map(inner, _), Value::Object(map)) => {
            for (key, item) in map.iter() {
                look(item, inner, table, &format!("{path}[{key}]"), faults);
            }
        }
        _ => {}
    }
}

fn required(map: &Map, keys: &[&str], path: &str, faults: &mut Vec<String>) {
    let missing = keys.iter().filter(|key| map.get(key).and_then(Value::as_str).unwrap_or("").is_empty());
    faults.extend(missing.map(|key| format!("{path}.{key}: Required value")));
}
