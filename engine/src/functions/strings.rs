//! Functions on texts: comparing, replacing, cutting, and case.
//!
//! Example: `trim_prefix('ghcr.io/a', 'ghcr.io/')` is `a`.

use super::arguments::{check_entries, failed, number, text};
use crate::value::go_text::float_to_int;
use crate::value::letters;
use engine_jmespath::{Arg, Argument, Call, EvalError, Function, Kind};
use engine_json::Value;
use engine_json::ordered::OrderedSet;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "compare",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::Number],
        note: "-1, 0 or 1: how two texts follow each other, byte by byte",
        examples: &[("compare('a', 'b')", "-1"), ("compare('a', 'a')", "0"), ("compare('b', 'B')", "1")],
        run: compare,
    },
    Function {
        name: "equal_fold",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::Bool],
        note: "whether two texts are the same but for upper and lower case",
        examples: &[("equal_fold('Nginx', 'nGINX')", "true"), ("equal_fold('straße', 'STRASSE')", "false")],
        run: equal_fold,
    },
    Function {
        name: "replace",
        args: &[Arg::STRING, Arg::STRING, Arg::STRING, Arg::NUMBER],
        returns: &[Kind::String],
        note: "the text with the first so many finds of the second replaced by the third; below zero, all",
        examples: &[
            ("replace('a-b-c', '-', '.', `1`)", "\"a.b-c\""),
            ("replace('aa', 'a', 'b', `-1`)", "\"bb\""),
        ],
        run: |call, arguments| {
            let count = float_to_int(number("replace", arguments, 3)?);
            replace(call, "replace", arguments, usize::try_from(count).unwrap_or(usize::MAX))
        },
    },
    Function {
        name: "replace_all",
        args: &[Arg::STRING, Arg::STRING, Arg::STRING],
        returns: &[Kind::String],
        note: "the text with every find of the second replaced by the third",
        examples: &[
            ("replace_all('a-b-c', '-', '.')", "\"a.b.c\""),
            ("replace_all('ab', '', '-')", "\"-a-b-\""),
        ],
        run: |call, arguments| replace(call, "replace_all", arguments, usize::MAX),
    },
    Function {
        name: "to_upper",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "all letters in upper case",
        examples: &[("to_upper('nginx')", "\"NGINX\""), ("to_upper('straße')", "\"STRAßE\"")],
        run: |call, arguments| change(call, "to_upper", arguments, letters::upper_text),
    },
    Function {
        name: "to_lower",
        args: &[Arg::STRING],
        returns: &[Kind::String],
        note: "all letters in lower case",
        examples: &[("to_lower('Nginx')", "\"nginx\"")],
        run: |call, arguments| change(call, "to_lower", arguments, letters::lower_text),
    },
    Function {
        name: "trim",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::String],
        note: "the text without the characters of the second at both of its ends",
        examples: &[("trim('  a b ', ' ')", "\"a b\""), ("trim('¡hola!', '!¡')", "\"hola\"")],
        run: trim,
    },
    Function {
        name: "trim_prefix",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::String],
        note: "the text without the second at its beginning, if it is there",
        examples: &[("trim_prefix('v1.2', 'v')", "\"1.2\""), ("trim_prefix('1.2', 'v')", "\"1.2\"")],
        run: trim_prefix,
    },
    Function {
        name: "split",
        args: &[Arg::STRING, Arg::STRING],
        returns: &[Kind::ArrayString],
        note: "the parts of the text between the finds of the second; its characters where that is empty",
        examples: &[
            ("split('a/b//c', '/')", "[\"a\",\"b\",\"\",\"c\"]"),
            ("split('né', '')", "[\"n\",\"é\"]"),
        ],
        run: split,
    },
    Function {
        name: "truncate",
        args: &[Arg::STRING, Arg::NUMBER],
        returns: &[Kind::String],
        note: "the first so many characters of the text",
        examples: &[("truncate('nginx', `3`)", "\"ngi\""), ("truncate('nginx', `-1`)", "\"\"")],
        run: truncate,
    },
    Function {
        name: "to_boolean",
        args: &[Arg::STRING],
        returns: &[Kind::Bool],
        note: "the truth value that the text spells in any case",
        examples: &[("to_boolean('True')", "true"), ("to_boolean('fALSE')", "false")],
        run: to_boolean,
    },
];

/// The result is Go's `int`, no `float64`: it equals no literal of the language.
fn compare(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (a, b) = (text("compare", arguments, 0)?, text("compare", arguments, 1)?);
    call.charge(a.len().min(b.len()) / 64)?;
    Ok(Value::from(a.cmp(b) as i64))
}

fn equal_fold(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (a, b) = (text("equal_fold", arguments, 0)?, text("equal_fold", arguments, 1)?);
    call.charge(a.len().min(b.len()) / 16)?;
    Ok(Value::Bool(a.chars().map(letters::fold_key).eq(b.chars().map(letters::fold_key))))
}

fn replace(
    call: &mut Call<'_, '_>,
    function: &str,
    arguments: &[Argument<'_>],
    count: usize,
) -> Result<Value, EvalError> {
    let (whole, old) = (text(function, arguments, 0)?, text(function, arguments, 1)?);
    let new = text(function, arguments, 2)?;
    call.charge(whole.len() / 16)?;
    let found = whole.matches(old).take(count).count();
    call.check_text(whole.len().saturating_add(found.saturating_mul(new.len())))?;
    Ok(Value::from(whole.replacen(old, new, count)))
}

fn change(
    call: &mut Call<'_, '_>,
    function: &str,
    arguments: &[Argument<'_>],
    change: fn(&str) -> String,
) -> Result<Value, EvalError> {
    let text = text(function, arguments, 0)?;
    call.charge(text.len() / 16)?;
    Ok(Value::from(change(text)))
}

fn trim(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (whole, cut) = (text("trim", arguments, 0)?, text("trim", arguments, 1)?);
    call.charge((whole.len() + cut.len()) / 16)?;
    let cut: OrderedSet<char> = engine_json::arrange::set(cut.chars());
    Ok(Value::from(whole.trim_matches(|c| cut.contains(&c))))
}

fn trim_prefix(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (whole, prefix) = (text("trim_prefix", arguments, 0)?, text("trim_prefix", arguments, 1)?);
    call.charge(whole.len() / 16)?;
    Ok(Value::from(whole.strip_prefix(prefix).unwrap_or(whole)))
}

fn split(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (whole, separator) = (text("split", arguments, 0)?, text("split", arguments, 1)?);
    call.charge(whole.len() / 4)?;
    check_entries(whole.matches(separator).count())?;
    if separator.is_empty() {
        let letters = whole.char_indices().map(|(at, c)| whole.get(at..at + c.len_utf8()).unwrap_or(""));
        return Ok(Value::array(letters.map(Value::from).collect()));
    }
    Ok(Value::array(whole.split(separator).map(Value::from).collect()))
}

fn truncate(call: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let (whole, length) = (text("truncate", arguments, 0)?, number("truncate", arguments, 1)?);
    call.charge(whole.len() / 16)?;
    let length = usize::try_from(float_to_int(length)).unwrap_or(0);
    let end = whole.char_indices().nth(length).map_or(whole.len(), |(at, _)| at);
    Ok(Value::from(whole.get(..end).unwrap_or(whole)))
}

fn to_boolean(_: &mut Call<'_, '_>, arguments: &[Argument<'_>]) -> Result<Value, EvalError> {
    let word = text("to_boolean", arguments, 0)?;
    if word.eq_ignore_ascii_case("true") {
        return Ok(Value::Bool(true));
    }
    if word.eq_ignore_ascii_case("false") {
        return Ok(Value::Bool(false));
    }
    let reason = format_args!("lowercase argument must be 'true' or 'false' (provided: '{word}')");
    Err(failed("to_boolean", reason))
}
