//! The strict decoder of a configuration file: what Kubernetes' component configuration refuses, in its words.
//!
//! In: YAML or JSON, and the shape it must have. Out: the value, or
//! `strict decoding error: unknown field "defaults.enforced"`.
//!
//! Mirrors: k8s.io/apimachinery/pkg/runtime/serializer/json/json.go

use engine_json::{Value, quote};

/// The shape of a value.
pub(super) enum Shape {
    /// A text.
    Text,
    /// A list of texts, with the name of its Go type.
    List(&'static str),
    /// A struct with the name of its Go type and its fields.
    Struct(&'static str, &'static [(&'static str, Shape)]),
}

/// A text as far as it says what it is.
pub(super) struct Read {
    pub(super) value: Value,
    pub(super) api_version: String,
    pub(super) kind: String,
    /// Keys that are there twice, in the words of the original.
    duplicates: Option<String>,
}

/// Reads a text and what kind of object it says it is.
pub(super) fn read(text: &str) -> Result<Read, String> {
    let unread = |message: &str| format!("couldn't get version/kind; json parse error: {message}");
    // Go: a text that begins with a brace is JSON and never YAML.
    let (value, duplicates) = if text.trim_start().starts_with('{') {
        (engine_json::parse(text).map_err(|error| unread(&error.message))?, None)
    } else {
        let value = engine_yaml::parse_one(text).map_err(|error| error.original)?;
        (value, engine_yaml::strict_error(text).map_err(|error| error.original)?)
    };
    let of_type = "Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";
    if !matches!(value, Value::Object(_) | Value::Null) {
        return Err(unread(&format!("json: cannot unmarshal {} into {of_type}", json_type(&value))));
    }
    let field = |key: &str| match value.get(key) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.to_string()),
        Some(other) => {
            let found = json_type(other);
            Err(unread(&format!("json: cannot unmarshal {found} into Go struct field .{key} of type string")))
        }
    };
    let (api_version, kind) = (field("apiVersion")?, field("kind")?);
    for (name, found) in [("Kind", &kind), ("apiVersion", &api_version)] {
        if found.is_empty() {
            return Err(format!("Object '{name}' is missing in '{text}'"));
        }
    }
    Ok(Read { value, api_version, kind, duplicates })
}

/// Holds a text against its shape; `version` is the Go package of the types.
pub(super) fn decode(read: &Read, shape: &Shape, version: &str) -> Result<(), String> {
    let mut unknown = Vec::new();
    walk(&read.value, shape, version, "", &mut unknown)?;
    let unknown = unknown.into_iter().map(|path| format!("unknown field {}", quote(&path)));
    let refused: Vec<String> = read.duplicates.iter().cloned().chain(unknown).collect();
    if refused.is_empty() { Ok(()) } else { Err(format!("strict decoding error: {}", refused.join(", "))) }
}

/// Walks the fields of a struct in the order of their names, as the original reads them; `path` is that of the struct.
// The recursion follows the shape, which is three deep.
fn walk(
    value: &Value,
    shape: &Shape,
    version: &str,
    path: &str,
    unknown: &mut Vec<String>,
) -> Result<(), String> {
    let Shape::Struct(name, fields) = shape else { return Ok(()) };
    let Some(map) = value.as_object() else { return Ok(()) };
    for (key, value) in map.sorted() {
        let path = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        let Some((_, shape)) = fields.iter().find(|(field, _)| field == key) else {
            unknown.push(path);
            continue;
        };
        let refuse = |found: &Value, wanted: &str| {
            let found = json_type(found);
            Err(format!("json: cannot unmarshal {found} into Go struct field {name}.{path} of type {wanted}"))
        };
        match (shape, value) {
            (_, Value::Null) | (Shape::Text, Value::String(_)) => {}
            (Shape::Text, other) => return refuse(other, "string"),
            (Shape::List(_), Value::Array(list)) => {
                let wrong = list.iter().find(|item| !matches!(item, Value::String(_) | Value::Null));
                if let Some(item) = wrong {
                    return refuse(item, "string");
                }
            }
            (Shape::List(wanted), other) => return refuse(other, wanted),
            (Shape::Struct(..), Value::Object(_)) => walk(value, shape, version, &path, unknown)?,
            (Shape::Struct(wanted, _), other) => return refuse(other, &format!("{version}.{wanted}")),
        }
    }
    Ok(())
}

/// What Go's JSON reader calls a value.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
