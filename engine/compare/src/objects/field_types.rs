//! What fields of custom kinds are taken to hold, where a caller says so.
//!
//! In: field paths with shapes, an object. Out: whether a schema with these types would take the object.

use crate::objects::schema::Shape;
use engine::value::quantity::Quantity;
use engine_json::Value;

/// A field of a custom kind, and what it holds: an API server whose schema says so takes nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// The keys on the way from the root; `[]` is any element of a list.
    pub path: Vec<String>,
    /// What stands there.
    pub shape: Shape,
    /// Whether a string there is a quantity.
    pub is_quantity: bool,
    /// Whether it is a string or a list, either of which has parts.
    pub has_parts: bool,
}

impl FieldType {
    /// The path and the type, in words.
    pub fn describe(&self) -> String {
        let mut path = String::new();
        for key in &self.path {
            if key != "[]" && !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
        }
        let shape = match &self.shape {
            Shape::Text => "a string",
            Shape::Number => "a number",
            Shape::Truth => "a boolean",
            Shape::Either if self.is_quantity => "a quantity",
            Shape::Either => "a number or a string",
            Shape::Any if self.has_parts => "a string or a list",
            Shape::Any => "anything",
            Shape::List(_) => "a list",
            Shape::Map(_) | Shape::Object(_) => "an object",
        };
        format!("{path} is {shape}")
    }

    /// Whether what an object has there is of the type.
    fn takes(&self, object: &Value) -> bool {
        let mut here = vec![object];
        for key in &self.path {
            here = here
                .into_iter()
                .flat_map(|value| match value {
                    Value::Array(items) if key == "[]" => items.iter().collect(),
                    other => other.get(key).into_iter().collect::<Vec<_>>(),
                })
                .collect();
        }
        here.into_iter().all(|value| {
            let is_readable = |text: &str| !self.is_quantity || Quantity::parse(text).is_ok();
            (!self.has_parts || matches!(value, Value::String(_) | Value::Array(_)))
                && value.as_str().is_none_or(is_readable)
                && matches!(
                    (&self.shape, value),
                    (Shape::Any, _)
                        | (Shape::Text, Value::String(_))
                        | (Shape::Number, Value::Number(_))
                        | (Shape::Truth, Value::Bool(_))
                        | (Shape::Either, Value::Number(_) | Value::String(_))
                        | (Shape::List(_), Value::Array(_))
                        | (Shape::Map(_) | Shape::Object(_), Value::Object(_))
                )
        })
    }
}

/// Whether all types take an object.
pub(crate) fn all_take(types: &[FieldType], object: &Value) -> bool {
    types.iter().all(|one| one.takes(object))
}
