//! Functions over lists, some over texts too: `contains`, `length`, `max`, `min`, `reverse`, `sort`.
//!
//! Example: ``sort(`["b","a"]`)`` is `["a","b"]`; texts compare by their bytes.

use super::{argument, list, wrong_type};
use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use engine_json::Value;
use engine_json::arrange::Arrange as _;
use std::cmp::Ordering;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "contains",
        args: &[Arg::of(&[Kind::Array, Kind::String]), Arg::ANY],
        returns: &[Kind::Bool],
        note: "whether the list holds the value, or the text the text",
        examples: &[
            ("contains(`[\"a\",1]`, `1`)", "true"),
            ("contains('nginx:latest', ':latest')", "true"),
            ("contains('1', `1`)", "false"),
        ],
        run: contains,
    },
    Function {
        name: "length",
        args: &[Arg::of(&[Kind::String, Kind::Array, Kind::Object])],
        returns: &[Kind::Number],
        note: "how many characters, elements or entries there are",
        examples: &[("length('né')", "2"), ("length(`[1,2]`)", "2"), ("length(`{\"a\":1}`)", "1")],
        run: length,
    },
    Function {
        name: "max",
        args: &[Arg::of(&[Kind::ArrayNumber, Kind::ArrayString])],
        returns: &[Kind::Number, Kind::String],
        note: "the largest of the numbers or texts",
        examples: &[("max(`[1,3,2]`)", "3"), ("max(`[\"a\",\"b\"]`)", "\"b\""), ("max(`[]`)", "null")],
        run: |call, arguments| best(call, arguments, Ordering::Greater),
    },
    Function {
        name: "min",
        args: &[Arg::of(&[Kind::ArrayNumber, Kind::ArrayString])],
        returns: &[Kind::Number, Kind::String],
        note: "the smallest of the numbers or texts",
        examples: &[("min(`[3,1,2]`)", "1"), ("min(`[\"a\",\"b\"]`)", "\"a\""), ("min(`[]`)", "null")],
        run: |call, arguments| best(call, arguments, Ordering::Less),
    },
    Function {
        name: "reverse",
        args: &[Arg::of(&[Kind::Array, Kind::String])],
        returns: &[Kind::Array, Kind::String],
        note: "the elements, or the characters, in the opposite order",
        examples: &[("reverse(`[1,2]`)", "[2,1]"), ("reverse('né')", "\"én\"")],
        run: reverse,
    },
    Function {
        name: "sort",
        args: &[Arg::of(&[Kind::ArrayString, Kind::ArrayNumber])],
        returns: &[Kind::ArrayString, Kind::ArrayNumber],
        note: "the numbers or texts in rising order",
        examples: &[("sort(`[2,10,1]`)", "[1,2,10]"), ("sort(`[\"b\",\"a\"]`)", "[\"a\",\"b\"]")],
        run: sort,
    },
];

fn contains(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (search, wanted) = (argument(arguments, 0)?, argument(arguments, 1)?);
    if let Some(text) = search.text() {
        call.charge(text.len() / 16)?;
        return Ok(Value::Bool(wanted.text().is_some_and(|wanted| text.contains(wanted))));
    }
    let list = list(arguments, 0)?;
    call.charge(list.len())?;
    for item in list {
        // Go: functions.go jpfContains compares with ==, and Go panics where both sides are maps or both lists.
        match (item, wanted) {
            (Value::Array(_), Argument::Borrowed(Value::Array(_)) | Argument::Owned(Value::Array(_)))
            | (Value::Object(_), Argument::Borrowed(Value::Object(_)) | Argument::Owned(Value::Object(_))) => {
                let kind = item.go_type();
                return Err(EvalError::crash(format!("runtime error: comparing uncomparable type {kind}")));
            }
            (item, Argument::Borrowed(wanted)) if item == *wanted => return Ok(Value::Bool(true)),
            (item, Argument::Owned(wanted)) if item == wanted => return Ok(Value::Bool(true)),
            _ => {}
        }
    }
    Ok(Value::Bool(false))
}

fn length(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let argument = argument(arguments, 0)?;
    let length = match argument.value() {
        Some(Value::String(text)) => {
            call.charge(text.len() / 16)?;
            text.chars().count()
        }
        Some(Value::Array(list)) => list.len(),
        Some(Value::Object(map)) => map.len(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => {
            return Err(EvalError::other("could not compute length()"));
        }
    };
    Ok(Value::from(length as f64))
}

/// The first element that no later one surpasses in the direction `wanted`.
fn best(call: &mut Call<'_, '_>, arguments: &[Argument<'_>], wanted: Ordering) -> Result<Value, EvalError> {
    let list = list(arguments, 0)?;
    call.charge(list.len())?;
    let mut best: Option<&Value> = None;
    for item in list {
        if best.is_none_or(|best| compare(item, best) == Some(wanted)) {
            best = Some(item);
        }
    }
    Ok(best.cloned().unwrap_or_default())
}

fn reverse(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let argument = argument(arguments, 0)?;
    if let Some(text) = argument.text() {
        call.charge(text.len() / 16)?;
        return Ok(Value::from(text.chars().rev().collect::<String>()));
    }
    let list = argument.plain_list().ok_or_else(|| wrong_type(argument, "[]interface {}"))?;
    call.charge(list.len())?;
    Ok(Value::array(list.iter().rev().cloned().collect()))
}

fn sort(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let mut list = list(arguments, 0)?.to_vec();
    call.charge(list.len().saturating_mul(8))?;
    list.arrange_by(rising);
    Ok(Value::array(list))
}

/// How two numbers or two texts compare.
pub(super) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.as_str().cmp(b.as_str())),
        (Value::Number(a), Value::Number(b)) => a.as_f64().partial_cmp(&b.as_f64()),
        _ => None,
    }
}

/// A total order of numbers or texts: NaN, which a text may spell, stands before all numbers.
// Go: sort.Float64Slice.
pub(super) fn rising(a: &Value, b: &Value) -> Ordering {
    let is_nan = |value: &Value| value.as_f64().is_some_and(f64::is_nan);
    compare(a, b).unwrap_or_else(|| is_nan(b).cmp(&is_nan(a)))
}
