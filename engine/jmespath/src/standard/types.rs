//! Functions over kinds of values: `not_null`, `to_array`, `to_number`, `to_string`, `type`.
//!
//! Example: `to_number('0x10p0')` is 16, for texts are read as Go's `strconv.ParseFloat` reads them.

use super::argument;
use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use crate::limits::weigh;
use engine_json::float::float_v;
use engine_json::{Number, Value, to_json};
use engine_values::go_text::parse_float;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "not_null",
        args: &[Arg::variadic(&[Kind::Any])],
        returns: &[Kind::Any],
        note: "the first argument that is not null",
        examples: &[("not_null(`null`, `1`, `2`)", "1"), ("not_null(`null`)", "null")],
        run: |_, arguments| {
            Ok(arguments.iter().find(|a| !a.is_null()).map_or(Value::Null, Argument::to_value))
        },
    },
    Function {
        name: "to_array",
        args: &[Arg::ANY],
        returns: &[Kind::Array],
        note: "the argument itself if it is a list, and else a list of it",
        examples: &[("to_array('a')", "[\"a\"]"), ("to_array(`[1]`)", "[1]"), ("to_array(`null`)", "[null]")],
        run: |_, arguments| {
            let argument = argument(arguments, 0)?;
            let value = argument.to_value();
            Ok(if argument.plain_list().is_some() { value } else { Value::array(vec![value]) })
        },
    },
    Function {
        name: "to_number",
        args: &[Arg::ANY],
        returns: &[Kind::Number],
        note: "the number that the argument is or spells, and else null",
        examples: &[("to_number('1.5')", "1.5"), ("to_number('1Gi')", "null"), ("to_number(`true`)", "null")],
        run: to_number,
    },
    Function {
        name: "to_string",
        args: &[Arg::ANY],
        returns: &[Kind::String],
        note: "the argument itself if it is a text, and else its JSON",
        examples: &[
            ("to_string('a')", "\"a\""),
            ("to_string(`{\"b\":1,\"a\":[]}`)", r#""{\"a\":[],\"b\":1}""#),
        ],
        run: to_string,
    },
    Function {
        name: "type",
        args: &[Arg::ANY],
        returns: &[Kind::String],
        note: "array, boolean, null, number, object or string",
        examples: &[("type(`[]`)", "\"array\""), ("type(`0`)", "\"number\""), ("type(`null`)", "\"null\"")],
        run: type_of,
    },
];

fn to_number(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    match argument(arguments, 0)? {
        Argument::Borrowed(Value::String(text)) | Argument::Owned(Value::String(text)) => {
            Ok(parse_float(text).map_or(Value::Null, Value::from))
        }
        argument => match known_type(argument)? {
            "number" => Ok(argument.to_value()),
            _ => Ok(Value::Null),
        },
    }
}

fn to_string(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let value = argument(arguments, 0)?.to_value();
    if matches!(value, Value::String(_)) {
        return Ok(value);
    }
    call.charge(weigh(&value)?)?;
    if let Some(number) = non_finite(&value) {
        return Err(EvalError::other(format!("json: unsupported value: {}", float_v(number))));
    }
    let text = to_json(&value);
    call.check_text(text.len())?;
    Ok(Value::from(text))
}

/// A number that JSON cannot hold; the first in the order in which Go writes.
fn non_finite(value: &Value) -> Option<f64> {
    match value {
        Value::Number(Number::Float(f)) if !f.is_finite() => Some(*f),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        Value::Array(list) => list.iter().find_map(non_finite),
        Value::Object(map) => map.sorted().into_iter().find_map(|(_, value)| non_finite(value)),
    }
}

fn type_of(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    known_type(argument(arguments, 0)?).map(Value::from)
}

/// The name of the type; an `int64` has none in this language.
// Go: functions.go jpfType.
fn known_type(argument: &Argument<'_>) -> Result<&'static str, EvalError> {
    match argument {
        Argument::Objects(_) | Argument::Expression(_) => Err(EvalError::other("unknown type")),
        Argument::Borrowed(_) | Argument::Owned(_) => match argument.value().unwrap_or(&Value::Null) {
            Value::Null => Ok("null"),
            Value::Bool(_) => Ok("boolean"),
            Value::Number(Number::Float(_)) => Ok("number"),
            Value::Number(Number::Int(_) | Number::Uint(_)) => Err(EvalError::other("unknown type")),
            Value::String(_) => Ok("string"),
            Value::Array(_) => Ok("array"),
            Value::Object(_) => Ok("object"),
        },
    }
}
