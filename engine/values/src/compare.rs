//! Texts compared by what they mean: as durations, as quantities, as versions.
//!
//! In: two texts. Out: how their values compare, or `None` where one of them is not of the kind; the caller tries
//! the kinds in the order that its operator has. `quantities("1Gi", "1000Mi")` is greater.

use super::semver::Version;
use super::{Duration, Quantity};
use engine_json::{Number, Value};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Both as Go durations.
pub fn durations(left: &str, right: &str) -> Option<Ordering> {
    Some(Duration::parse(left).ok()?.cmp(&Duration::parse(right).ok()?))
}

/// Both as Kubernetes quantities.
pub fn quantities(left: &str, right: &str) -> Option<Ordering> {
    Some(Quantity::parse(left).ok()?.cmp(&Quantity::parse(right).ok()?))
}

/// Both as semantic versions.
pub fn versions(left: &str, right: &str) -> Option<Ordering> {
    Some(Version::parse(left).ok()?.cmp(&Version::parse(right).ok()?))
}

/// The text that Kyverno reads a duration or a quantity from: a float as `%f`, null as `0`; nothing for a
/// truth value, a list or a map.
// Kyverno: pkg/engine/pattern/pattern.go convertNumberToString.
pub fn operand_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => Some("0".into()),
        Value::String(text) => Some(text.as_str().into()),
        Value::Number(Number::Int(i)) => Some(i.to_string().into()),
        Value::Number(Number::Uint(u)) => Some(u.to_string().into()),
        Value::Number(Number::Float(f)) => Some(super::go_text::float_f(*f).into()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text that Kyverno holds against a wildcard: a float as `3E+01`, a truth value as its word; nothing for
/// null, a list or a map.
// Kyverno: pkg/engine/pattern/pattern.go compareString.
pub fn string_text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Number(Number::Int(i)) => Some(i.to_string().into()),
        Value::Number(Number::Uint(u)) => Some(u.to_string().into()),
        Value::Number(Number::Float(f)) => Some(super::go_text::float_e(*f).into()),
        Value::Bool(b) => Some(if *b { "true" } else { "false" }.into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
