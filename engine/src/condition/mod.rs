//! The operators of conditions.
//!
//! In: an operator and two values in which no variable is left. Out: whether the condition holds.
//! Mirrors: pkg/engine/variables/operator, one file a family.

mod duration;
mod equality;
mod membership;
mod numeric;

use crate::value::{Duration, go_text};
use engine_json::{Number, Value};

/// An operator as a policy names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `Equal`, `Equals`.
    Equals,
    /// `NotEqual`, `NotEquals`.
    NotEquals,
    /// `In`, deprecated.
    In,
    /// `NotIn`, deprecated.
    NotIn,
    /// `AnyIn`.
    AnyIn,
    /// `AnyNotIn`.
    AnyNotIn,
    /// `AllIn`.
    AllIn,
    /// `AllNotIn`.
    AllNotIn,
    /// `GreaterThan` and its three siblings.
    Numeric(Order),
    /// `DurationGreaterThan` and its three siblings, deprecated.
    Duration(Order),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Greater.
    Greater,
    /// Greater, or equal.
    GreaterOrEqual,
    /// Less.
    Less,
    /// Less, or equal.
    LessOrEqual,
    /// A comparison written in the wrong case: it is accepted and never holds.
    // Kyverno: the handler is found by the lower-case name, but compares with the exact one.
    Never,
}

impl Order {
    /// Whether an ordering fits.
    pub(super) fn holds(self, ordering: Option<std::cmp::Ordering>) -> bool {
        let Some(ordering) = ordering else { return false };
        match self {
            Order::Greater => ordering.is_gt(),
            Order::GreaterOrEqual => ordering.is_ge(),
            Order::Less => ordering.is_lt(),
            Order::LessOrEqual => ordering.is_le(),
            Order::Never => false,
        }
    }
}

const EXACT: &[(&str, Operator)] = &[
    ("Equal", Operator::Equals),
    ("Equals", Operator::Equals),
    ("NotEqual", Operator::NotEquals),
    ("NotEquals", Operator::NotEquals),
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("AnyIn", Operator::AnyIn),
    ("AnyNotIn", Operator::AnyNotIn),
    ("AllIn", Operator::AllIn),
    ("AllNotIn", Operator::AllNotIn),
    ("GreaterThan", Operator::Numeric(Order::Greater)),
    ("GreaterThanOrEquals", Operator::Numeric(Order::GreaterOrEqual)),
    ("LessThan", Operator::Numeric(Order::Less)),
    ("LessThanOrEquals", Operator::Numeric(Order::LessOrEqual)),
    ("DurationGreaterThan", Operator::Duration(Order::Greater)),
    ("DurationGreaterThanOrEquals", Operator::Duration(Order::GreaterOrEqual)),
    ("DurationLessThan", Operator::Duration(Order::Less)),
    ("DurationLessThanOrEquals", Operator::Duration(Order::LessOrEqual)),
];

/// The operator of this name; case does not matter, but see [`Order::Never`].
pub fn operator(name: &str) -> Option<Operator> {
    if let Some((_, operator)) = EXACT.iter().find(|(known, _)| *known == name) {
        return Some(*operator);
    }
    let (_, operator) = EXACT.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(match operator {
        Operator::Numeric(_) => Operator::Numeric(Order::Never),
        Operator::Duration(_) => Operator::Duration(Order::Never),
        other => *other,
    })
}

/// Whether the condition holds; an error for what the original crashes on, and for lists that are too long to be compared.
pub fn holds(operator: Operator, key: &Value, value: &Value) -> Result<bool, String> {
    Ok(match operator {
        Operator::Equals => equality::equals(key, value),
        Operator::NotEquals => equality::not_equals(key, value),
        Operator::In => membership::is_in(key, value)?,
        Operator::NotIn => membership::is_not_in(key, value)?,
        Operator::AnyIn => membership::any_in(key, value)?,
        Operator::AnyNotIn => membership::any_not_in(key, value)?,
        Operator::AllIn => membership::all_in(key, value)?,
        Operator::AllNotIn => membership::all_not_in(key, value)?,
        Operator::Numeric(order) => numeric::compare(order, key, value),
        Operator::Duration(order) => duration::compare(order, key, value),
    })
}

/// Two values as durations, where at least one is a text that is one (and not the text `0`); numbers are seconds.
// Kyverno: operator.parseDuration.
fn durations(key: &Value, value: &Value) -> Option<(Duration, Duration)> {
    let text = |value: &Value| {
        value.as_str().filter(|text| *text != "0").and_then(|text| Duration::parse(text).ok())
    };
    let (left, right) = (text(key), text(value));
    if left.is_none() && right.is_none() {
        return None;
    }
    Some((left.or_else(|| seconds(key))?, right.or_else(|| seconds(value))?))
}

/// A number as that many whole seconds.
fn seconds(value: &Value) -> Option<Duration> {
    match value.as_number()? {
        Number::Int(i) => Some(Duration::from_seconds(i)),
        // Go: time.Duration(f) * time.Second; the fraction is cut off first.
        n @ (Number::Float(_) | Number::Uint(_)) => {
            Some(Duration::from_seconds(go_text::float_to_int(n.as_f64())))
        }
    }
}
