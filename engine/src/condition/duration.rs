//! `DurationGreaterThan` and its siblings: numbers are whole seconds, texts are Go durations.
//! Mirrors: pkg/engine/variables/operator/duration.go.

use super::Order;
use crate::value::Duration;
use engine_json::Value;

/// Whether key and value are durations in this order.
pub(super) fn compare(order: Order, key: &Value, value: &Value) -> bool {
    let duration = |value: &Value| match value {
        Value::String(text) => Duration::parse(text).ok(),
        Value::Number(_) => super::seconds(value),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match (duration(key), duration(value)) {
        (Some(left), Some(right)) => order.holds(Some(left.cmp(&right))),
        _ => false,
    }
}
