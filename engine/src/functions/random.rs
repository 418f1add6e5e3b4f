//! `random`: a text that matches a regular expression.
//!
//! In: `[a-z]{5}`. Out: five letters that the host's random numbers chose. The language is a plain one without
//! `\d`, `(?…)` and the like, in which `.` stands for a printable character of ASCII here; the original mostly
//! gives U+FFFD for it.

use super::arguments::text;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;
use engine_values::re2::{MAX_RANDOM_TEXT, RandomError, Refusal, random_text};

pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "random",
    args: &[Arg::STRING],
    returns: &[Kind::String],
    note: "a random text that matches the regular expression",
    examples: &[("random('ab{2}(c|c)')", "\"abbc\""), ("length(random('[a-z]{8}'))", "8")],
    run: random,
}];

fn random(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let pattern = text("random", arguments, 0)?;
    call.charge(pattern.len())?;
    let host = call.host();
    match random_text(pattern, &mut || host.random()) {
        Ok(answer) => {
            call.charge(usize::try_from(answer.steps).unwrap_or(usize::MAX))?;
            Ok(Value::from(answer.value))
        }
        Err(RandomError::Pattern(reason)) => Err(EvalError::other(reason)),
        Err(RandomError::Refused(Refusal::Memory)) => {
            Err(EvalError::limit(format!("the random text exceeds {MAX_RANDOM_TEXT} bytes")))
        }
        Err(RandomError::Refused(Refusal::Steps)) => {
            Err(EvalError::limit("the random text takes too many steps"))
        }
    }
}
