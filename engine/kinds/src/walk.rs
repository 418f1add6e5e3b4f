//! A resource held against the type of its kind.
//!
//! In: the document. Out: each field that the kind does not have, and each value that a field cannot hold. `null` is the same
//! as nothing, as for an API server.

use crate::near;
use crate::schema::{Fields, schema};
use crate::{Finding, MAX_FINDINGS};
use engine::diag::Code;
use engine::json::{Map, Number, Path, Value};

/// What is wrong with a resource; nothing where its kind is not one of Kubernetes' own.
pub(crate) fn findings(value: &Value) -> Vec<Finding> {
    let (version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
    let mut walk = Walk { kind, found: Vec::new() };
    if let (Some(fields), Some(map)) = (schema().of(version, kind), value.as_object()) {
        walk.fields(map, fields, &Path::root());
    }
    walk.found
}

struct Walk<'v> {
    kind: &'v str,
    found: Vec<Finding>,
}

impl Walk<'_> {
    fn fields(&mut self, map: &Map, fields: &Fields, path: &Path) {
        for (key, value) in map.iter() {
            if self.found.len() >= MAX_FINDINGS {
                return;
            }
            let path = path.join(key.clone());
            match fields.get(key.as_str()) {
                Some(holds) => self.value(value, holds, &path),
                // What the cluster says of an object is in no type here.
                None if key.as_str() == "status" => {}
                None => self.found.push(Finding {
                    message: format!(
                        "{} has no field `{path}`: an API server refuses or drops it",
                        with_article(self.kind)
                    ),
                    path,
                    code: Code::UnknownField,
                    hint: near::hint(key, fields),
                }),
            }
        }
    }

    // Values nest no deeper than the reader lets them.
    fn value(&mut self, value: &Value, holds: &str, path: &Path) {
        if let Some(of) = holds.strip_prefix("[]") {
            match value {
                Value::Array(list) => {
                    list.iter().enumerate().for_each(|(at, item)| self.value(item, of, &path.join(at)));
                }
                other => self.expect(other, "a list", path),
            }
        } else if let Some(of) = holds.strip_prefix("{}") {
            match value {
                Value::Object(map) => {
                    map.iter().for_each(|(key, item)| self.value(item, of, &path.join(key.clone())));
                }
                other => self.expect(other, "a map", path),
            }
        } else if holds.starts_with('#') {
            match (value, schema().held(holds)) {
                (Value::Object(map), Some(fields)) => self.fields(map, fields, path),
                (Value::Object(_), None) => {}
                (other, _) => self.expect(other, "a map", path),
            }
        } else if let Some(wanted) = wanted(value, holds) {
            self.expect(value, wanted, path);
        }
    }

    /// Says that a value is of another kind than its field takes.
    fn expect(&mut self, value: &Value, wanted: &str, path: &Path) {
        let found = match value {
            Value::Null => return,
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "a map",
        };
        let is_scalar = matches!(value, Value::Bool(_) | Value::Number(_));
        self.found.push(Finding {
            path: path.clone(),
            code: Code::WrongType,
            message: format!("`{path}` must be {wanted}, this is {found}: an API server refuses it"),
            hint: (is_scalar && wanted == "a string").then(|| "write it in quotes".to_owned()),
        });
    }
}

/// What a plain field takes, where the value is something else.
fn wanted(value: &Value, holds: &str) -> Option<&'static str> {
    let is_text = matches!(value, Value::String(_) | Value::Null);
    let is_number = matches!(value, Value::Number(_) | Value::Null);
    let is_whole = match value {
        Value::Number(Number::Float(number)) => number.fract() == 0.0,
        other => matches!(other, Value::Number(_) | Value::Null),
    };
    match holds {
        "string" | "base64" | "time" => (!is_text).then_some("a string"),
        "integer" => (!is_whole).then_some("a whole number"),
        "number" => (!is_number).then_some("a number"),
        "boolean" => (!matches!(value, Value::Bool(_) | Value::Null)).then_some("true or false"),
        "quantity" => (!is_text && !is_number).then_some("a quantity such as `100m` or `1Gi`"),
        "integer or string" => (!is_text && !is_whole).then_some("a whole number or a string"),
        _ => None,
    }
}

/// `a Pod`, `an Ingress`.
pub(crate) fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {kind}")
}
