//! The 26 functions of the JMESPath specification, as the original has them.
//!
//! One file a family, one row a function. Mirrors: go-jmespath `functions.go`.

mod by_expression;
mod lists;
mod numbers;
mod objects;
mod strings;
mod types;

use crate::EvalError;
use crate::argument::Argument;
use crate::function::Function;
use engine_json::{Map, Value};

/// All of them.
pub(crate) const FUNCTIONS: [&[Function]; 6] = [
    by_expression::FUNCTIONS,
    lists::FUNCTIONS,
    numbers::FUNCTIONS,
    objects::FUNCTIONS,
    strings::FUNCTIONS,
    types::FUNCTIONS,
];

/// What the original dies of where an argument is not of the type that its function takes for granted.
fn wrong_type(argument: &Argument<'_>, wanted: &str) -> EvalError {
    let found = match argument.go_type() {
        "<nil>" => "nil",
        found => found,
    };
    EvalError::crash(format!("interface conversion: interface {{}} is {found}, not {wanted}"))
}

fn argument<'s, 'a>(arguments: &'s [Argument<'a>], at: usize) -> Result<&'s Argument<'a>, EvalError> {
    arguments.get(at).ok_or_else(|| EvalError::other("incorrect number of args"))
}

fn text<'s>(arguments: &'s [Argument<'_>], at: usize) -> Result<&'s str, EvalError> {
    let argument = argument(arguments, at)?;
    argument.text().ok_or_else(|| wrong_type(argument, "string"))
}

fn number(arguments: &[Argument<'_>], at: usize) -> Result<f64, EvalError> {
    let argument = argument(arguments, at)?;
    argument.number().ok_or_else(|| wrong_type(argument, "float64"))
}

fn list<'s>(arguments: &'s [Argument<'_>], at: usize) -> Result<&'s [Value], EvalError> {
    let argument = argument(arguments, at)?;
    argument.plain_list().ok_or_else(|| wrong_type(argument, "[]interface {}"))
}

fn object<'s>(arguments: &'s [Argument<'_>], at: usize) -> Result<&'s Map, EvalError> {
    let argument = argument(arguments, at)?;
    argument.object().ok_or_else(|| wrong_type(argument, "map[string]interface {}"))
}
