//! Values that are neither lists nor maps, as Go reads and writes them.
//!
//! In: a value and what its field holds. Out: the value as it is written again; nothing where it cannot be read.

use crate::table::Shape;
use engine_json::{Number, Value, to_json};
use engine_values::base64::{decode, encode};
use engine_values::duration::Duration;
use engine_values::quantity::Quantity;
use engine_values::time::{RFC3339, Time};

/// As metav1.MicroTime is written.
pub(crate) const MICRO: &str = "2006-01-02T15:04:05.000000Z07:00";

/// The value as it is written again.
pub(crate) fn read(value: &Value, shape: &Shape) -> Option<Value> {
    match (shape, value) {
        (Shape::Text | Shape::Either, Value::String(_)) | (Shape::Truth, Value::Bool(_)) => {
            Some(value.clone())
        }
        (Shape::Any, value) => Some(value.clone()),
        (Shape::Whole(least, most), Value::Number(number)) => {
            whole(*number).filter(|number| (least..=most).contains(&number)).map(Value::from)
        }
        (Shape::Either, Value::Number(number)) => {
            whole(*number).filter(|number| i32::try_from(*number).is_ok()).map(Value::from)
        }
        (Shape::Real, Value::Number(number)) => {
            Some(whole(*number).map_or_else(|| value.clone(), Value::from))
        }
        (Shape::Bytes, Value::String(text)) => {
            decode(text.as_bytes()).ok().map(|bytes| Value::from(encode(&bytes)))
        }
        (Shape::Quantity, Value::String(text)) => quantity(text.trim()),
        (Shape::Quantity, Value::Number(_)) => quantity(&to_json(value)),
        (Shape::Time, Value::String(text)) => {
            Time::parse_rfc3339(text).ok().map(|time| Value::from(time.utc().format(RFC3339)))
        }
        (Shape::MicroTime, Value::String(text)) => {
            Time::parse(MICRO, text).ok().map(|time| Value::from(time.utc().format(MICRO)))
        }
        (Shape::Duration, Value::String(text)) => {
            Duration::parse(text).ok().map(|time| Value::from(time.to_string()))
        }
        _ => None,
    }
}

fn quantity(text: &str) -> Option<Value> {
    Quantity::parse(text).ok().map(|amount| Value::from(amount.to_string()))
}

/// A number that is whole, however it is written: YAML's `1.0` is JSON's `1`.
fn whole(number: Number) -> Option<i64> {
    match Value::Number(number).with_int_numbers() {
        Value::Number(Number::Int(number)) => Some(number),
        _ => None,
    }
}

/// What is there where a field that is no pointer has no value.
pub(crate) fn zero(shape: &Shape) -> Value {
    match shape {
        Shape::Text => Value::from(""),
        Shape::Truth => Value::Bool(false),
        Shape::Whole(..) | Shape::Real | Shape::Either => Value::from(0_i64),
        Shape::Quantity => Value::from("0"),
        Shape::Duration => Value::from("0s"),
        Shape::Bytes
        | Shape::Time
        | Shape::MicroTime
        | Shape::Any
        | Shape::Named(..)
        | Shape::List(..)
        | Shape::Map(..) => Value::Null,
    }
}

/// Whether a value is what is there where there is none.
pub(crate) fn is_zero(value: &Value, shape: &Shape) -> bool {
    match shape {
        Shape::Text
        | Shape::Truth
        | Shape::Whole(..)
        | Shape::Real
        | Shape::Either
        | Shape::Quantity
        | Shape::Duration => *value == zero(shape),
        _ => value.is_null(),
    }
}

/// A quantity rounded up to a thousandth; nothing where it is one.
// k8s.io/apimachinery pkg/api/resource: Quantity.RoundUp.
pub(crate) fn rounded(text: &str) -> Option<Value> {
    if !text.ends_with(['u', 'n']) {
        return None;
    }
    let amount = Quantity::parse(text).ok()?;
    quantity(&format!("{}m", amount.milli_value()))
}
