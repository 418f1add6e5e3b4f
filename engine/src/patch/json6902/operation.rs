//! The operations of a patch.
//!
//! In: `- op: remove\n  path: /spec/x`. Out: the list of operations, or what is wrong with the text.
//! Mirrors: DecodePatch and validatePatch of github.com/evanphx/json-patch/v5/patch.go.

use engine_json::{Map, Str, Value, write_json, write_string};

/// One step of a patch.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) kind: Kind,
    pub(super) path: String,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Add { value: Value },
    Remove,
    Replace { value: Value },
    Move { from: String },
    Copy { from: String },
    Test { value: Option<Value> },
}

/// Why a text is not a patch.
#[derive(Debug)]
pub(super) enum Error {
    NotYaml(String),
    NotPatch(String),
}

/// Reads a patch: JSON where the text begins with `[`, YAML otherwise.
// Kyverno: convertPatchesToJSON. JSON keeps `5.0` a float; YAML goes through JSON text, where it is `5`.
pub(super) fn parse(text: &str) -> Result<Vec<Operation>, Error> {
    let patch = if text.is_empty() || text.starts_with('[') {
        engine_json::parse(text).map_err(|_| Error::NotPatch("invalid state detected".to_owned()))?
    } else {
        let value = engine_yaml::parse_one(text).map_err(|error| Error::NotYaml(error.original))?;
        sorted(&value.with_int_numbers())
    };
    let list = match &patch {
        Value::Null => &[],
        Value::Array(list) => list.as_slice(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            return Err(Error::NotPatch(wrong_type(&patch, "jsonpatch.Patch")));
        }
    };
    if let Some(wrong) = list.iter().find(|item| !matches!(item, Value::Object(_) | Value::Null)) {
        return Err(Error::NotPatch(wrong_type(wrong, "jsonpatch.Operation")));
    }
    let operations = list.iter().map(|item| {
        operation(item.as_object()).map_err(|error| {
            let mut written = String::new();
            // Go: the operation is a map, whose keys are sorted; what they hold stands as written.
            write(&mut written, item, |map| map.sorted());
            Error::NotPatch(format!("invalid operation {written}: {error}"))
        })
    });
    operations.collect()
}

// Go: validateOperation.
fn operation(map: Option<&Map>) -> Result<Operation, String> {
    let value = || map.and_then(|map| map.get("value")).cloned();
    let required =
        || value().ok_or("failed to decode 'value': operation, missing value field: missing value");
    let from = || text(map, "from", "operation, missing from field");
    let kind = match map.and_then(|map| map.get("op")).and_then(Value::as_str) {
        Some("add") => Kind::Add { value: required()? },
        Some("replace") => Kind::Replace { value: required()? },
        Some("move") => Kind::Move { from: from()? },
        Some("copy") => Kind::Copy { from: from()? },
        Some("remove") => Kind::Remove,
        Some("test") => Kind::Test { value: value() },
        Some(_) | None => return Err("unsupported operation".to_owned()),
    };
    Ok(Operation { kind, path: text(map, "path", "operation missing path field")? })
}

fn text(map: Option<&Map>, key: &str, missing: &str) -> Result<String, String> {
    match map.and_then(|map| map.get(key)) {
        None | Some(Value::Null) => Err(format!("failed to decode '{key}': {missing}: missing value")),
        Some(Value::String(text)) => Ok(text.to_string()),
        Some(other) => Err(format!("failed to decode '{key}': {}", wrong_type(other, "string"))),
    }
}

fn wrong_type(found: &Value, wanted: &str) -> String {
    let found = match found {
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            go_name(found).unwrap_or("null")
        }
    };
    format!("json: cannot unmarshal {found} into Go value of type {wanted}")
}

/// What Go's reader calls a truth value, number or string; nothing for the others.
pub(super) fn go_name(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(_) => Some("bool"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Writes a value as JSON, the keys of the outermost map in the order that `order` gives, others as written.
fn write<'a>(out: &mut String, value: &'a Value, order: fn(&'a Map) -> Vec<(&'a Str, &'a Value)>) {
    let as_written = |map: &'a Map| map.iter().collect();
    match value {
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in order(map).into_iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write_string(out, key);
                out.push(':');
                write(out, value, as_written);
            }
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            for (at, value) in list.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { "," });
                write(out, value, as_written);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => write_json(out, value),
    }
}

/// The same with the keys of all maps sorted, as Go writes them.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::object(map.sorted().into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(list) => Value::array(list.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
