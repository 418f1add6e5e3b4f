//! What the schema fills in.
//!
//! In: a policy as written. Out: the same without nulls where the schema takes none, with its defaults.

use super::{Kind, Scalar, Struct};
use engine_json::{Map, Value};

/// The value with the defaults of its type. What the schema does not look into is shared, not copied.
// Kyverno: kubectl-validate decodes with the structural schema; a null where none is allowed counts as absent.
pub(in super::super) fn with_defaults(value: &Value, of: &Struct) -> Value {
    let Some(map) = value.as_object() else { return value.clone() };
    let mut filled = Map::new();
    for (key, held) in map.iter() {
        let kind = of.fields.iter().find(|field| field.name == key).map(|field| &field.kind);
        match kind {
            Some(Kind::Any | Kind::Conditions | Kind::Loops(_)) | None => {
                filled.insert(key.clone(), held.clone());
            }
            Some(kind) if !held.is_null() => {
                filled.insert(key.clone(), fill(held, kind));
            }
            Some(_) => {}
        }
    }
    for field in of.fields {
        let default = match field.default {
            Scalar::Nothing => continue,
            Scalar::Flag(flag) => Value::Bool(flag),
            Scalar::Text(text) => Value::from(text),
        };
        if !filled.contains_key(field.name) {
            filled.insert(field.name, default);
        }
    }
    Value::object(filled)
}

fn fill(value: &Value, kind: &Kind) -> Value {
    match (kind, value) {
        (Kind::Struct(of) | Kind::Pointer(of), Value::Object(_)) => with_defaults(value, of),
        (Kind::List(of), Value::Array(list)) => Value::array(list.iter().map(|item| fill(item, of)).collect()),
        (Kind::Structs(of), Value::Array(list)) => {
            Value::array(list.iter().map(|item| with_defaults(item, of)).collect())
        }
        (Kind::Map(of), Value::Object(map)) => {
            let entries = map.iter().filter(|(_, item)| !item.is_null());
            Value::object(entries.map(|(key, item)| (key.clone(), fill(item, of))).collect())
        }
        (
            Kind::Text | Kind::OneOf(_) | Kind::Flag | Kind::Integer(_) | Kind::List(_) | Kind::Structs(_) | Kind::Map(_)
            | Kind::Struct(_) | Kind::Pointer(_) | Kind::Any | Kind::Conditions | Kind::Loops(_),
            _,
        ) => value.clone(),
    }
}
