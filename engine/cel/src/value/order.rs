//! Which of two values is the greater.

use super::Value;
use std::cmp::Ordering;

/// Why two values have no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOrdered {
    /// One of them is not a number: `NaN values cannot be ordered`.
    Nan,
    /// The first has an order, but not with a value of the other type.
    Types,
    /// Values of the first type have no order at all.
    Never,
}

/// The order of two values.
// cel-go: Compare of each type.
pub fn compare(a: &Value<'_>, b: &Value<'_>) -> Result<Ordering, NotOrdered> {
    Ok(match (a, b) {
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => a.cmp(b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Double(a), Value::Double(b)) => return a.partial_cmp(b).ok_or(NotOrdered::Nan),
        (Value::Double(a), Value::Int(_) | Value::Uint(_)) if a.is_nan() => return Err(NotOrdered::Nan),
        (Value::Int(_) | Value::Uint(_), Value::Double(b)) if b.is_nan() => return Err(NotOrdered::Nan),
        (Value::Int(a), Value::Uint(b)) => int_uint(*a, *b),
        (Value::Uint(a), Value::Int(b)) => int_uint(*b, *a).reverse(),
        (Value::Double(a), Value::Int(b)) => double_int(*a, *b),
        (Value::Int(a), Value::Double(b)) => double_int(*b, *a).reverse(),
        (Value::Double(a), Value::Uint(b)) => double_uint(*a, *b),
        (Value::Uint(a), Value::Double(b)) => double_uint(*b, *a).reverse(),
        (Value::Timestamp(a), Value::Timestamp(b)) => {
            (a.seconds, a.nanoseconds).cmp(&(b.seconds, b.nanoseconds))
        }
        _ => return texts(a, b),
    })
}

fn texts(a: &Value<'_>, b: &Value<'_>) -> Result<Ordering, NotOrdered> {
    if let Some(a) = a.as_str() {
        return b.as_str().map(|b| a.cmp(b)).ok_or(NotOrdered::Types);
    }
    if let Some(a) = a.as_bytes() {
        return b.as_bytes().map(|b| a.cmp(b)).ok_or(NotOrdered::Types);
    }
    Err(if is_ordered(a) { NotOrdered::Types } else { NotOrdered::Never })
}

/// Whether values of its type have an order.
pub fn is_ordered(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Str(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Octets(_)
            | Value::Duration(_)
            | Value::Timestamp(_)
    )
}

pub(super) fn int_uint(a: i64, b: u64) -> Ordering {
    u64::try_from(a).map_or(Ordering::Less, |a| a.cmp(&b))
}

/// As cel-go does: beyond the range of the whole number by sign, else both as doubles.
pub(super) fn double_int(a: f64, b: i64) -> Ordering {
    doubles(a, b as f64, i64::MIN as f64, i64::MAX as f64)
}

pub(super) fn double_uint(a: f64, b: u64) -> Ordering {
    doubles(a, b as f64, 0.0, u64::MAX as f64)
}

fn doubles(a: f64, b: f64, least: f64, most: f64) -> Ordering {
    if a < least {
        Ordering::Less
    } else if a > most {
        Ordering::Greater
    } else {
        a.partial_cmp(&b).unwrap_or(Ordering::Equal)
    }
}
