//! Conditions: any and all, every operator, keys and values of every type.

use super::expression::{Expressions, Scope};
use super::{object, odd, texts};
use crate::random::Choices;
use engine::json::Value;

const OPERATORS: &[&str] = &[
    "Equals",
    "NotEquals",
    "Equal",
    "NotEqual",
    "In",
    "AnyIn",
    "AllIn",
    "NotIn",
    "AnyNotIn",
    "AllNotIn",
    "GreaterThan",
    "GreaterThanOrEquals",
    "LessThan",
    "LessThanOrEquals",
    "DurationGreaterThan",
    "DurationGreaterThanOrEquals",
    "DurationLessThan",
    "DurationLessThanOrEquals",
];

/// A block of conditions.
pub(super) fn conditions(choices: &mut Choices, expressions: &Expressions, scope: Scope) -> Value {
    let list = |choices: &mut Choices| {
        Value::array((0..=choices.below(2)).map(|_| condition(choices, expressions, scope)).collect())
    };
    match choices.below(5) {
        0 | 1 => object([("all", list(choices))]),
        2 | 3 => object([("any", list(choices))]),
        _ => object([("all", list(choices)), ("any", list(choices))]),
    }
}

fn condition(choices: &mut Choices, expressions: &Expressions, scope: Scope) -> Value {
    let key = Value::from(expressions.text(choices, scope));
    let value = value(choices, expressions, scope);
    let operator = if choices.once_in(80) { "equals" } else { choices.pick(OPERATORS) };
    let message =
        if choices.once_in(4) { Value::from(expressions.text(choices, scope)) } else { Value::Null };
    object([
        ("key", odd(choices, key)),
        ("operator", Value::from(operator)),
        ("value", value),
        ("message", message),
    ])
}

fn value(choices: &mut Choices, expressions: &Expressions, scope: Scope) -> Value {
    match choices.below(9) {
        0 => Value::from(choices.pick(&["web", "db*", "", "1Gi", "10", "1h", "1-5", ">3", "true"])),
        1 => Value::from(i64::try_from(choices.below(12)).unwrap_or_default() - 2),
        2 => Value::from(0.5),
        3 => Value::from(choices.once_in(2)),
        4 => texts(&["web", "db", "n*"]),
        5 => texts(&["1Mi", "1-3"]),
        6 => object([("app", Value::from("web"))]),
        7 => Value::array(vec![Value::from(1_i64), Value::from("a"), Value::from(true)]),
        _ => Value::from(expressions.text(choices, scope)),
    }
}
