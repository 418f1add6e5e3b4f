//! Whether values are equal, across types of numbers.

use super::order::{double_int, double_uint, int_uint};
use super::{ListRef, MapRef, Timestamp, Value};
use std::cmp::Ordering;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// They are equal.
    Equal,
    /// They are not.
    Unequal,
    /// The type refuses to be compared with the other: `no such overload`.
    NoOverload,
}

impl From<bool> for Equality {
    fn from(equal: bool) -> Self {
        if equal { Equality::Equal } else { Equality::Unequal }
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanoseconds) == (other.seconds, other.nanoseconds)
    }
}

/// Whether two values are equal.
// cel-go: common/types/util.go Equal, and Equal of each type. The depth is that of the values, at most
// `engine_json::MAX_DEPTH` of a document and that of the tree of what was made.
pub fn equal(a: &Value<'_>, b: &Value<'_>) -> Equality {
    match (a, b) {
        (Value::Null, Value::Null) => Equality::Equal,
        (Value::Null, _) | (_, Value::Null) => Equality::Unequal,
        (Value::Opaque(a), b) => a.equal(b),
        (Value::Bool(a), Value::Bool(b)) => (a == b).into(),
        (Value::Int(a), Value::Int(b)) | (Value::Duration(a), Value::Duration(b)) => (a == b).into(),
        (Value::Uint(a), Value::Uint(b)) => (a == b).into(),
        (Value::Double(a), Value::Double(b)) => (a == b).into(),
        (Value::Int(a), Value::Uint(b)) | (Value::Uint(b), Value::Int(a)) => {
            (int_uint(*a, *b) == Ordering::Equal).into()
        }
        (Value::Int(a), Value::Double(b)) | (Value::Double(b), Value::Int(a)) => {
            (!b.is_nan() && double_int(*b, *a) == Ordering::Equal).into()
        }
        (Value::Uint(a), Value::Double(b)) | (Value::Double(b), Value::Uint(a)) => {
            (!b.is_nan() && double_uint(*b, *a) == Ordering::Equal).into()
        }
        (Value::Timestamp(a), Value::Timestamp(b)) => (a == b).into(),
        (Value::Type(a), Value::Type(b)) => (a == b).into(),
        (Value::Optional(a), Value::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => equal(a, b),
            (a, b) => (a.is_none() && b.is_none()).into(),
        },
        _ => compound(a, b),
    }
}

fn compound(a: &Value<'_>, b: &Value<'_>) -> Equality {
    if let Some(a) = a.as_str() {
        return (Some(a) == b.as_str()).into();
    }
    if let Some(a) = a.as_bytes() {
        return (Some(a) == b.as_bytes()).into();
    }
    if let (Some(a), Some(b)) = (a.as_list(), b.as_list()) {
        return lists(a, b).into();
    }
    if let (Some(a), Some(b)) = (a.as_map(), b.as_map()) {
        return maps(a, b).into();
    }
    Equality::Unequal
}

/// An element whose type refuses the comparison counts as equal, as in cel-go.
fn lists(a: ListRef<'_, '_>, b: ListRef<'_, '_>) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(&a, &b) != Equality::Unequal)
}

fn maps(a: MapRef<'_, '_>, b: MapRef<'_, '_>) -> bool {
    a.len() == b.len()
        && a.iter().all(|(key, value)| b.get(&key).is_some_and(|b| equal(&value, &b) != Equality::Unequal))
}

/// Whether a list has an element equal to this value.
// cel-go: baseList.Contains; the value is asked, and only a clear yes counts.
pub fn contains(list: ListRef<'_, '_>, value: &Value<'_>) -> bool {
    match (list, value.as_str()) {
        (ListRef::Json(list, _), Some(text)) => list.iter().any(|element| element.as_str() == Some(text)),
        (ListRef::Made(list), _) => list.iter().any(|element| is_equal(value, element)),
        (ListRef::Json(..), None) => list.iter().any(|element| is_equal(value, &element)),
    }
}

fn is_equal(a: &Value<'_>, b: &Value<'_>) -> bool {
    equal(a, b) == Equality::Equal
}
