//! What a function is given, and the words of the original where that is of the wrong type.
//!
//! In: the arguments `('a', `1`)`. Out: the text `a`, the number 1; or
//! `JMESPath function 'trim': argument #1 is not of type string`.
//!
//! Rows declare kinds, and the language refuses other ones before a function runs; what is refused here are
//! arguments of any kind.
//! Mirrors: pkg/engine/jmespath/error.go, utils.go.

use crate::value::go_text::{FloatFormat, float_to_int, float_v, format_float32};
use engine_jmespath::limits::MAX_WEIGHT;
use engine_jmespath::{Argument, EvalError};
use engine_json::{Number, Value};

/// An error of a function in the form that the original gives most of them.
pub(super) fn failed(function: &str, reason: impl std::fmt::Display) -> EvalError {
    EvalError::other(format!("JMESPath function '{function}': {reason}"))
}

/// Argument `number`, counted from 1, is of the wrong type.
pub(super) fn wrong_type(function: &str, number: usize, wanted: &str) -> EvalError {
    failed(function, format_args!("argument #{number} is not of type {wanted}"))
}

/// The text at place `at`.
pub(super) fn text<'s>(
    function: &str,
    arguments: &'s [Argument<'_>],
    at: usize,
) -> Result<&'s str, EvalError> {
    arguments.get(at).and_then(Argument::text).ok_or_else(|| wrong_type(function, at + 1, "string"))
}

/// The number at place `at`.
pub(super) fn number(function: &str, arguments: &[Argument<'_>], at: usize) -> Result<f64, EvalError> {
    arguments.get(at).and_then(Argument::number).ok_or_else(|| wrong_type(function, at + 1, "float64"))
}

/// The text or number at place `at`, as text.
pub(super) fn text_of(function: &str, arguments: &[Argument<'_>], at: usize) -> Result<String, EvalError> {
    arguments
        .get(at)
        .and_then(Argument::value)
        .and_then(as_text)
        .ok_or_else(|| wrong_type(function, at + 1, "String or Real"))
}

/// A text, a number or a truth value as text; nothing for any other value.
// Kyverno: functions.go ifaceToString writes a float with as many digits as 32 bits need.
pub(super) fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.to_string()),
        Value::Bool(b) => Some(b.to_string()),
        #[expect(clippy::cast_possible_truncation, reason = "the original rounds to 32 bits too")]
        Value::Number(Number::Float(f)) => Some(format_float32(*f as f32, FloatFormat::Fixed)),
        // Only `compare` makes such a number; its type is Go's `int`.
        Value::Number(Number::Int(i)) => Some(i.to_string()),
        Value::Number(Number::Uint(_)) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The whole number that a float is, if it is one.
#[expect(clippy::float_cmp, reason = "asks whether nothing at all was lost")]
pub(super) fn exact_int(number: f64) -> Option<i64> {
    let whole = float_to_int(number);
    (whole as f64 == number).then_some(whole)
}

/// A whole number in a float; the error is the reason why it is none.
pub(super) fn whole_number(number: f64) -> Result<i64, String> {
    if !number.is_finite() || number.fract() != 0.0 {
        return Err(format!("expected an integer number but got: {}", float_v(number)));
    }
    let outside = || format!("number is outside the range of integer numbers: {}", float_v(number));
    exact_int(number).ok_or_else(outside)
}

/// An error if a list may not hold so many entries; a function calls it before it makes a long one.
pub(super) fn check_entries(count: usize) -> Result<(), EvalError> {
    if count > MAX_WEIGHT {
        return Err(EvalError::limit(format!("the value exceeds {MAX_WEIGHT} entries")));
    }
    Ok(())
}
