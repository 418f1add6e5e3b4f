//! Whether literals are what they are given for: durations, times, clauses of `format`.

use super::convert::to_duration;
use super::format::parse;
use crate::ast::Literal;
use crate::env::Env;
use crate::function::{Host, Run};
use crate::value::Value;

/// Whether `duration` takes the literal.
pub(crate) fn is_duration(literal: &Literal) -> bool {
    value(literal).is_none_or(|value| to_duration(&mut Host::default(), value).is_ok())
}

/// Whether `timestamp` takes the literal, as an environment has that function.
pub(crate) fn is_timestamp(literal: &Literal, env: &Env) -> bool {
    let Some(value) = value(literal) else { return true };
    let id = if value.as_str().is_some() { "string_to_timestamp" } else { "int64_to_timestamp" };
    let shapes = env.function("timestamp").map(|function| function.overloads.as_slice()).unwrap_or_default();
    match shapes.iter().find(|shape| shape.overload.id == id).map(|shape| shape.overload.run) {
        Some(Run::One(run)) => run(&mut Host::default(), value).is_ok(),
        _ => true,
    }
}

/// The value of a literal from which a time can be made.
fn value(literal: &Literal) -> Option<Value<'_>> {
    match literal {
        Literal::String(text) => Some(Value::Str(text)),
        Literal::Int(i) => Some(Value::Int(*i)),
        _ => None,
    }
}

/// How many values the clauses of a text take. `takes` says by letter and place what is wrong with a value, and where.
///
/// # Errors
/// What is wrong, and where if not with the text.
pub(crate) fn clauses<P>(
    text: &str,
    given: usize,
    takes: &dyn Fn(char, usize) -> Option<(P, String)>,
) -> Result<usize, (Option<P>, String)> {
    let mut rest = text;
    let mut used = 0;
    while let Some((_, clause)) = rest.split_once('%') {
        if let Some(behind) = clause.strip_prefix('%') {
            rest = behind;
            continue;
        }
        if clause.is_empty() {
            return Err((None, "unexpected end of string".to_owned()));
        }
        if used >= given {
            return Err((None, format!("index {used} out of range")));
        }
        let (letter, _, behind) =
            parse(clause).map_err(|e| (None, format!("could not parse formatting clause: {e}")))?;
        if let Some((place, wrong)) = takes(letter, used) {
            return Err((Some(place), format!("error during formatting: {wrong}")));
        }
        rest = behind;
        used += 1;
    }
    Ok(used)
}
