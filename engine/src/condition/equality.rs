//! `Equals` and `NotEquals`: the type of the key decides how the two are compared.
//! Mirrors: pkg/engine/variables/operator/{equal,notequal}.go.

use crate::value::{Quantity, go_text, wildcard};
use engine_json::{Number, Value};

/// `Equals`.
pub(super) fn equals(key: &Value, value: &Value) -> bool {
    compare(key, value).unwrap_or(false)
}

/// `NotEquals`: the opposite where the types can be compared, true where they cannot; false for a null key.
pub(super) fn not_equals(key: &Value, value: &Value) -> bool {
    if key.is_null() {
        return false;
    }
    // Kyverno: only NotEquals compares a quantity with the empty text as text.
    if let (Value::String(text), Some("")) = (key, value.as_str())
        && super::durations(key, value).is_none()
    {
        return !wildcard::matches("", text);
    }
    !compare(key, value).unwrap_or(false)
}

/// Whether they are equal; `None` where the types do not fit.
fn compare(key: &Value, value: &Value) -> Option<bool> {
    match key {
        Value::Null => None,
        Value::Bool(b) => Some(*b == value.as_bool()?),
        Value::Number(Number::Int(i)) => compare_int(*i, value),
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => compare_float(n.as_f64(), value),
        Value::String(text) => compare_text(text, key, value),
        Value::Array(_) => value.as_array().is_some().then(|| key == value),
        Value::Object(_) => value.as_object().is_some().then(|| key == value),
    }
}

fn compare_int(key: i64, value: &Value) -> Option<bool> {
    match value {
        Value::Number(Number::Int(i)) => Some(*i == key),
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => {
            let f = n.as_f64();
            (f == f.trunc()).then(|| go_text::float_to_int(f) == key)
        }
        Value::String(text) => go_text::parse_int(text).ok().map(|i| i == key),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn compare_float(key: f64, value: &Value) -> Option<bool> {
    match value {
        Value::Number(Number::Int(i)) => (key == key.trunc()).then(|| go_text::float_to_int(key) == *i),
        Value::Number(n @ (Number::Float(_) | Number::Uint(_))) => Some(n.as_f64() == key),
        Value::String(text) => go_text::parse_float(text).ok().map(|f| f == key),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn compare_text(text: &str, key: &Value, value: &Value) -> Option<bool> {
    if let Some((left, right)) = super::durations(key, value) {
        return Some(left.seconds() == right.seconds());
    }
    let pattern = value.as_str()?;
    match Quantity::parse(text) {
        // A quantity is never equal to a text that is none, not even to `*`.
        Ok(quantity) => Some(quantity == Quantity::parse(pattern).ok()?),
        Err(_) => Some(wildcard::matches(pattern, text)),
    }
}
