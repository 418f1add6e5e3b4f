//! Functions that evaluate an expression for each element: `map`, `max_by`, `min_by`, `sort_by`.
//!
//! Example: ``sort_by(`[{"a":2},{"a":1}]`, &a)`` is `[{"a":1},{"a":2}]`.

use super::lists::{compare, rising};
use super::{argument, list};
use crate::EvalError;
use crate::argument::Argument;
use crate::ast::Node;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use engine_json::arrange::Arrange as _;
use engine_json::{Number, Value};
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "map",
        args: &[Arg::EXPREF, Arg::ARRAY],
        returns: &[Kind::Array],
        note: "the value of the expression for each element, null where a key is missing",
        examples: &[("map(&a, `[{\"a\":1},{}]`)", "[1,null]")],
        run: map,
    },
    Function {
        name: "max_by",
        args: &[Arg::ARRAY, Arg::EXPREF],
        returns: &[Kind::Any],
        note: "the element for which the expression is largest",
        examples: &[("max_by(`[{\"a\":1},{\"a\":2}]`, &a)", "{\"a\":2}"), ("max_by(`[]`, &a)", "null")],
        run: |call, arguments| best_by(call, arguments, Ordering::Greater),
    },
    Function {
        name: "min_by",
        args: &[Arg::ARRAY, Arg::EXPREF],
        returns: &[Kind::Any],
        note: "the element for which the expression is smallest",
        examples: &[("min_by(`[{\"a\":1},{\"a\":2}]`, &a)", "{\"a\":1}"), ("min_by(`[]`, &a)", "null")],
        run: |call, arguments| best_by(call, arguments, Ordering::Less),
    },
    Function {
        name: "sort_by",
        args: &[Arg::ARRAY, Arg::EXPREF],
        returns: &[Kind::Array],
        note: "the elements in rising order of the expression",
        examples: &[("sort_by(`[{\"a\":2},{\"a\":1}]`, &a)", "[{\"a\":1},{\"a\":2}]")],
        run: sort_by,
    },
];

/// The kinds of keys that elements can be ordered by.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    Number,
    Text,
}

fn key_of(value: &Value) -> Option<Key> {
    match value {
        Value::Number(Number::Float(_)) => Some(Key::Number),
        Value::String(_) => Some(Key::Text),
        Value::Null
        | Value::Bool(_)
        | Value::Number(Number::Int(_) | Number::Uint(_))
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

fn expression<'a>(arguments: &[Argument<'a>], at: usize) -> Result<&'a Node, EvalError> {
    let argument = argument(arguments, at)?;
    argument.expression().ok_or_else(|| super::wrong_type(argument, "jmespath.expRef"))
}

fn map<'a>(call: &mut Call<'_, 'a>, arguments: &[Argument<'a>]) -> Result<Value, EvalError> {
    let expression = expression(arguments, 0)?;
    let values = list(arguments, 1)?.iter().map(|item| call.evaluate_or_null(expression, item));
    values.collect::<Result<Vec<_>, _>>().map(Value::array)
}

/// The key of the first element, which decides what all keys must be.
fn first_key<'a>(call: &mut Call<'_, 'a>, node: &'a Node, first: &Value) -> Result<(Value, Key), EvalError> {
    let value = call.evaluate_or_null(node, first)?;
    match key_of(&value) {
        Some(key) => Ok((value, key)),
        None => Err(EvalError::other("invalid type, must be number of string")),
    }
}

fn best_by<'a>(
    call: &mut Call<'_, 'a>,
    arguments: &[Argument<'a>],
    wanted: Ordering,
) -> Result<Value, EvalError> {
    let (list, node) = (list(arguments, 0)?, expression(arguments, 1)?);
    let (mut best, rest) = match list {
        [] => return Ok(Value::Null),
        [only] => return Ok(only.clone()),
        [first, rest @ ..] => (first, rest),
    };
    let (mut best_key, kind) = first_key(call, node, best)?;
    for item in rest {
        let key = call.evaluate_or_null(node, item)?;
        if key_of(&key) != Some(kind) {
            let wanted = if kind == Key::Number { "number" } else { "string" };
            return Err(EvalError::other(format!("invalid type, must be {wanted}")));
        }
        if compare(&key, &best_key) == Some(wanted) {
            (best, best_key) = (item, key);
        }
    }
    Ok(best.clone())
}

/// Evaluates each key once. The original compares while it sorts, and any key that is missing, fails or is of
/// another kind is met there sooner or later: one error for all of them.
// Go: functions.go jpfSortBy also sorts the list of the document in place; a document here never changes.
fn sort_by<'a>(call: &mut Call<'_, 'a>, arguments: &[Argument<'a>]) -> Result<Value, EvalError> {
    let (list, node) = (list(arguments, 0)?, expression(arguments, 1)?);
    let (first, rest) = match list {
        [] | [_] => return argument(arguments, 0).map(Argument::to_value),
        [first, rest @ ..] => (first, rest),
    };
    let (key, kind) = first_key(call, node, first)?;
    let mut keyed = vec![(key, first.clone())];
    for item in rest {
        let key = match call.evaluate(node, item) {
            Err(error) if error.is_final() => return Err(error),
            Ok(key) if key_of(&key) == Some(kind) => key,
            Ok(_) | Err(_) => return Err(EvalError::other("error in sort_by comparison")),
        };
        keyed.push((key, item.clone()));
    }
    call.charge(keyed.len().saturating_mul(8))?;
    keyed.arrange_by(|a, b| rising(&a.0, &b.0));
    Ok(Value::array(keyed.into_iter().map(|(_, item)| item).collect()))
}
