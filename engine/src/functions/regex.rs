//! Functions that hold texts against patterns: `regex_match`, `regex_replace_all`, `regex_replace_all_literal`,
//! `pattern_match`.
//!
//! Example: `regex_replace_all('(\\w+)@\\w+', 'jane@example', '$1')` is `jane`.

use super::arguments::{failed, text, text_of};
use engine_jmespath::limits::MAX_TEXT;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;
use engine_values::re2::{self, Answer, Cached, Refusal, Regex, SyntaxError, Template};
use engine_values::wildcard;
use std::rc::Rc;

const TEXT_OR_NUMBER: Arg = Arg::of(&[Kind::String, Kind::Number]);

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "regex_match",
        args: &[Arg::STRING, TEXT_OR_NUMBER],
        returns: &[Kind::Bool],
        note: "whether the regular expression matches a part of the text or number",
        examples: &[("regex_match('^[1-7]$', `3`)", "true"), ("regex_match('^[1-7]$', '13')", "false")],
        run: regex_match,
    },
    Function {
        name: "regex_replace_all",
        args: &[Arg::STRING, TEXT_OR_NUMBER, TEXT_OR_NUMBER],
        returns: &[Kind::String],
        note: "the second with every match of the regular expression replaced by the third, in which $1 is a group",
        examples: &[("regex_replace_all('([a-z]+)-([0-9]+)', 'web-1 db-2', '$2$1')", "\"1web 2db\"")],
        run: |call, arguments| replace(call, "regex_replace_all", arguments, |text| Template::Expand(text)),
    },
    Function {
        name: "regex_replace_all_literal",
        args: &[Arg::STRING, TEXT_OR_NUMBER, TEXT_OR_NUMBER],
        returns: &[Kind::String],
        note: "the second with every match of the regular expression replaced by the third as it stands",
        examples: &[("regex_replace_all_literal('[0-9]', 'a1b2', '$1')", "\"a$1b$1\"")],
        run: |call, arguments| {
            replace(call, "regex_replace_all_literal", arguments, |text| Template::Literal(text))
        },
    },
    Function {
        name: "pattern_match",
        args: &[Arg::STRING, TEXT_OR_NUMBER],
        returns: &[Kind::Bool],
        note: "whether the pattern with the wildcards * and ? matches the whole text or number",
        examples: &[("pattern_match('prefix-*', 'prefix-a')", "true"), ("pattern_match('1?', `10`)", "true")],
        run: pattern_match,
    },
];

fn regex_match(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let pattern = text("regex_match", arguments, 0)?;
    let source = text_of("regex_match", arguments, 1)?;
    let regex = compiled(call, pattern)?.map_err(|error| EvalError::other(error.to_string()))?;
    answer(call, regex.is_match(&source)).map(Value::Bool)
}

fn replace(
    call: &mut Call<'_, '_>,
    function: &str,
    arguments: &[Argument<'_>],
    template: impl for<'t> Fn(&'t str) -> Template<'t>,
) -> Result<Value, EvalError> {
    let pattern = text(function, arguments, 0)?;
    let (source, replacement) = (text_of(function, arguments, 1)?, text_of(function, arguments, 2)?);
    let regex = compiled(call, pattern)?.map_err(|error| failed(function, error))?;
    answer(call, regex.replace_all(&source, &template(&replacement), MAX_TEXT)).map(Value::from)
}

/// Takes the steps from the budget; ten of these cost about as much as one of a search.
fn answer<T>(call: &mut Call<'_, '_>, answer: Result<Answer<T>, Refusal>) -> Result<T, EvalError> {
    match answer {
        Ok(answer) => {
            call.charge(usize::try_from(answer.steps / 10).unwrap_or(usize::MAX))?;
            Ok(answer.value)
        }
        Err(Refusal::Steps) => Err(EvalError::limit("the regular expression takes too many steps")),
        Err(Refusal::Memory) => Err(EvalError::limit("the regular expression takes too much memory")),
    }
}

fn pattern_match(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    // Kyverno: the errors of this function speak of regex_match.
    let pattern = text("regex_match", arguments, 0)?;
    let source = text_of("regex_match", arguments, 1)?;
    call.charge(pattern.len().saturating_mul(source.len()) / 64)?;
    Ok(Value::Bool(wildcard::matches(pattern, &source)))
}

/// The expression made ready.
fn compiled(call: &mut Call<'_, '_>, pattern: &str) -> Result<Result<Rc<Regex>, SyntaxError>, EvalError> {
    match re2::cached(pattern) {
        Ok(Cached { regex, steps }) => {
            call.charge(steps)?;
            Ok(Ok(regex))
        }
        Err(error) => {
            call.charge(pattern.len())?;
            Ok(Err(error))
        }
    }
}
