//! The texts in a tool's arguments.
//!
//! In: arguments as JSON. Out: texts, given as they are or by a path below the roots.

use super::roots::Roots;
use engine_lenses::wire::Text;
use serde_json::{Map, Value, json};

/// What a list of texts is, for clients.
pub(super) fn schema(about: &str) -> Value {
    let path = json!({"type": "string", "description": "a file or folder below the roots"});
    let text = json!({
        "type": "object", "additionalProperties": false, "required": ["text"],
        "properties": {"name": {"type": "string", "description": "what answers call it"}, "text": {"type": "string", "description": "YAML or JSON, one or many documents"}},
    });
    json!({"type": "array", "description": about, "items": {"anyOf": [path, text]}})
}

/// The arguments, after a look at their names.
pub(super) fn fields<'a>(arguments: &'a Value, known: &Value) -> Result<&'a Map<String, Value>, String> {
    let fields = arguments.as_object().ok_or("the arguments are no object")?;
    let known = known.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let known: Vec<&str> = known.map(String::as_str).collect();
    match fields.keys().find(|name| !known.contains(&name.as_str())) {
        Some(unknown) => Err(format!("unknown argument `{unknown}`, expected {}", known.join(", "))),
        None => Ok(fields),
    }
}

/// The texts of one argument; none where it is absent.
pub(super) fn texts(fields: &Map<String, Value>, field: &str, roots: &Roots) -> Result<Vec<Text>, String> {
    let Some(given) = fields.get(field) else { return Ok(Vec::new()) };
    let list =
        given.as_array().ok_or_else(|| format!("`{field}` must be a list of paths or of {{name, text}}"))?;
    let mut texts = Vec::new();
    for (at, one) in list.iter().enumerate() {
        match (one.as_str(), one.get("text").and_then(Value::as_str)) {
            (Some(path), _) => texts.extend(roots.read(path)?),
            (None, Some(text)) => {
                let name = one
                    .get("name")
                    .and_then(Value::as_str)
                    .map_or_else(|| format!("{field}-{}.yaml", at + 1), str::to_owned);
                texts.push(Text { name, text: text.to_owned() });
            }
            (None, None) => return Err(format!("`{field}[{at}]` must be a path or {{name, text}}")),
        }
    }
    Ok(texts)
}

/// One word of the arguments.
pub(super) fn word<'a>(fields: &'a Map<String, Value>, field: &str) -> Result<Option<&'a str>, String> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(word)) => Ok(Some(word)),
        Some(_) => Err(format!("`{field}` must be a string")),
    }
}
