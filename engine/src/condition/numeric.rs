//! `GreaterThan`, `GreaterThanOrEquals`, `LessThan`, `LessThanOrEquals`.
//! Mirrors: pkg/engine/variables/operator/numeric.go.

use super::Order;
use crate::value::{Quantity, go_text, semver};
use engine_json::Value;

/// Whether key and value are in this order, as durations, quantities, numbers or versions.
pub(super) fn compare(order: Order, key: &Value, value: &Value) -> bool {
    match key {
        Value::Number(number) => compare_number(order, number.as_f64(), key, value),
        Value::String(text) => compare_text(order, text, key, value),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn compare_number(order: Order, number: f64, key: &Value, value: &Value) -> bool {
    match value {
        Value::Number(other) => order.holds(number.partial_cmp(&other.as_f64())),
        Value::String(text) => {
            if let Some((left, right)) = super::durations(key, value) {
                return order.holds(left.seconds().partial_cmp(&right.seconds()));
            }
            go_text::parse_float(text).is_ok_and(|other| order.holds(number.partial_cmp(&other)))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn compare_text(order: Order, text: &str, key: &Value, value: &Value) -> bool {
    if let Some((left, right)) = super::durations(key, value) {
        return order.holds(left.seconds().partial_cmp(&right.seconds()));
    }
    if let Some(other) = value.as_str()
        && let (Ok(left), Ok(right)) = (Quantity::parse(text), Quantity::parse(other))
    {
        return order.holds(Some(left.cmp(&right)));
    }
    if let Ok(number) = go_text::parse_float(text) {
        return compare_number(order, number, &Value::from(number), value);
    }
    let Ok(version) = semver::Version::parse(text) else { return false };
    let other = value.as_str().and_then(|other| semver::Version::parse(other).ok());
    other.is_some_and(|other| order.holds(Some(version.cmp(&other))))
}
