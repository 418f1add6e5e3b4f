//! Functions over strings: `ends_with`, `join`, `starts_with`.
//!
//! Example: ``join('-', `["a","b"]`)`` is `a-b`.

use super::{list, text};
use crate::EvalError;
use crate::argument::Argument;
use crate::call::Call;
use crate::function::{Arg, Function, Kind};
use engine_json::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "ends_with",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::Bool],
        note: "whether the first text ends with the second",
        examples: &[("ends_with('nginx:latest', ':latest')", "true")],
        run: |call, arguments| {
            call.charge(text(arguments, 1)?.len() / 64)?;
            Ok(Value::Bool(text(arguments, 0)?.ends_with(text(arguments, 1)?)))
        },
    },
    Function {
        name: "join",
        args: &[Arg::STRING, Arg::ARRAY_STRING],
        returns: &[Kind::String],
        note: "the texts of the list with the first argument between them",
        examples: &[("join('-', `[\"a\",\"b\"]`)", "\"a-b\""), ("join('-', `[]`)", "\"\"")],
        run: join,
    },
    Function {
        name: "starts_with",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::Bool],
        note: "whether the first text begins with the second",
        examples: &[("starts_with('ghcr.io/a/b', 'ghcr.io/')", "true")],
        run: |call, arguments| {
            call.charge(text(arguments, 1)?.len() / 64)?;
            Ok(Value::Bool(text(arguments, 0)?.starts_with(text(arguments, 1)?)))
        },
    },
];

fn join(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let separator = text(arguments, 0)?;
    let texts: Vec<&str> = list(arguments, 1)?.iter().filter_map(Value::as_str).collect();
    call.charge(texts.len())?;
    call.check_text(texts.iter().map(|text| text.len() + separator.len()).sum())?;
    Ok(Value::from(texts.join(separator)))
}
