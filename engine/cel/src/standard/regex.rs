//! What regular expressions find (cel-go: `ext/regex.go`).

use crate::cost;
use crate::error::{Error, Kind, Outcome};
use crate::function::{Function, Host, Overload, PatternErrors, Run};
use crate::value::Value;
use engine_values::go_text;
use engine_values::re2::{Match, Refusal, Regex};
use std::sync::Arc;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "regex.extract",
        overloads: &[Overload::new(
            "regex_extract_string_string",
            "(string, string) -> optional_type(string)",
        )
        .run(Run::Two(extract))
        .cost(cost::EXTRACT)
        .pattern(1, PatternErrors::Never)],
        note: "What a regular expression fits first, or its group, as an optional value.",
        examples: &[("regex.extract('foo123', '[0-9]+').value()", "\"123\"")],
    },
    Function {
        name: "regex.extractAll",
        overloads: &[Overload::new("regex_extractAll_string_string", "(string, string) -> list(string)")
            .run(Run::Two(extract_all))
            .cost(cost::EXTRACT_ALL)
            .pattern(1, PatternErrors::Never)],
        note: "All that a regular expression fits, or its group each time.",
        examples: &[("regex.extractAll('a1b2', '[0-9]')", "[\"1\",\"2\"]")],
    },
    Function {
        name: "regex.replace",
        overloads: &[
            Overload::new("regex_replace_string_string_string", "(string, string, string) -> string")
                .run(Run::Many(replace))
                .cost(cost::REPLACE)
                .pattern(1, PatternErrors::Never),
            Overload::new(
                "regex_replace_string_string_string_int",
                "(string, string, string, int) -> string",
            )
            .run(Run::Many(replace))
            .cost(cost::REPLACE)
            .pattern(1, PatternErrors::Never),
        ],
        note: "The text with what a regular expression fits replaced; `\\\\1` is the first group.",
        examples: &[("regex.replace('abab', '(a)(b)', r'\\2\\1')", "\"baba\"")],
    },
];

/// The whole numbers of arguments that are texts.
fn text<'a>(value: &'a Value<'_>) -> &'a str {
    value.as_str().unwrap_or("")
}

fn too_long(_: Refusal) -> Box<Error> {
    Error::new(Kind::Bound("the steps of a regular expression"))
}

/// The regular expression of `extract` and `extractAll`, which has one group at most.
fn with_one_group(host: &mut Host<'_>, pattern: &Value<'_>) -> Result<Arc<Regex>, Box<Error>> {
    let regex = host.regex(text(pattern))?;
    if regex.groups() > 1 {
        let quoted = go_text::quote(text(pattern));
        let what = "regular expression has more than one capturing group";
        return Err(Error::text(format!("{what}: {quoted}")));
    }
    Ok(regex)
}

/// What a match gives: its group where there is one, else the whole; `None` for a group that is empty.
fn given<'t>(found: &Match<'t>, regex: &Regex) -> Option<&'t str> {
    if regex.groups() == 0 {
        return found.group(0);
    }
    found.group(1).filter(|group| !group.is_empty())
}

fn extract<'v>(host: &mut Host<'_>, value: Value<'v>, pattern: Value<'v>) -> Outcome<'v> {
    let regex = with_one_group(host, &pattern)?;
    let found = regex.find_all(text(&value), 1).map_err(too_long)?;
    let found = found.first().and_then(|found| given(found, &regex));
    Ok(found.map_or(Value::Optional(None), |found| Value::some(Value::text(found))))
}

fn extract_all<'v>(host: &mut Host<'_>, value: Value<'v>, pattern: Value<'v>) -> Outcome<'v> {
    let regex = with_one_group(host, &pattern)?;
    let found = regex.find_all(text(&value), usize::MAX).map_err(too_long)?;
    host.charge(found.len() * size_of::<Value<'_>>() * 2)?;
    Ok(Value::list(found.iter().filter_map(|found| given(found, &regex)).map(Value::text).collect()))
}

fn replace<'v>(host: &mut Host<'_>, args: &[Value<'v>]) -> Outcome<'v> {
    let [value, pattern, replacement, count @ ..] = args else { return Err(Error::no_overload()) };
    let limit = match count.first() {
        Some(Value::Int(0)) => return Ok(value.clone()),
        Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    let regex = host.regex(text(pattern))?;
    let all = text(value);
    let mut out = String::new();
    let mut copied = 0;
    for found in regex.find_all(all, limit).map_err(too_long)? {
        let Some((start, end)) = found.place(0) else { continue };
        out.push_str(all.get(copied..start).unwrap_or(""));
        expand(&mut out, text(replacement), &found, regex.groups()).map_err(Error::text)?;
        copied = end;
        if out.len() as u64 > crate::function::MAX_BYTES {
            break;
        }
    }
    out.push_str(all.get(copied..).unwrap_or(""));
    host.charge(out.len())?;
    Ok(Value::Text(out.into()))
}

/// The replacement with `\1` and its like filled in.
fn expand(out: &mut String, replacement: &str, found: &Match<'_>, groups: usize) -> Result<(), String> {
    let wrong = |why: &str| format!("invalid replacement string: '{replacement}' \\ {why}");
    let mut letters = replacement.chars();
    while let Some(c) = letters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match letters.next() {
            None => return Err(wrong("not allowed at end")),
            Some('\\') => out.push('\\'),
            Some(digit) => {
                let group =
                    digit.to_digit(10).ok_or_else(|| wrong("must be followed by a digit or \\"))? as usize;
                if group > groups {
                    return Err(format!(
                        "replacement string references group {group} but regex has only {groups} group(s)"
                    ));
                }
                out.push_str(found.group(group).unwrap_or(""));
            }
        }
    }
    Ok(())
}
