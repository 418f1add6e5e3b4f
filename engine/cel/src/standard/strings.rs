//! What strings are asked.

use crate::cost;
use crate::error::{Error, Kind, Outcome};
use crate::function::{Function, Host, Overload, PatternErrors, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "contains",
        overloads: &[Overload::new("contains_string", "string.(string) -> bool")
            .run(Run::Two(contains))
            .cost(cost::PRODUCT)
            .unguarded()],
        note: "Whether the text has the other within it.",
        examples: &[("'abc'.contains('b')", "true")],
    },
    Function {
        name: "endsWith",
        overloads: &[Overload::new("ends_with_string", "string.(string) -> bool")
            .run(Run::Two(ends_with))
            .cost(cost::SECOND_TEXT)
            .unguarded()],
        note: "Whether the text ends with the other.",
        examples: &[("'abc'.endsWith('bc')", "true")],
    },
    Function {
        name: "startsWith",
        overloads: &[Overload::new("starts_with_string", "string.(string) -> bool")
            .run(Run::Two(starts_with))
            .cost(cost::SECOND_TEXT)
            .unguarded()],
        note: "Whether the text begins with the other.",
        examples: &[("'abc'.startsWith('ab')", "true")],
    },
    Function {
        name: "matches",
        overloads: &[
            Overload::new("matches", "(string, string) -> bool")
                .run(Run::Two(matches))
                .cost(cost::PATTERN)
                .unguarded()
                .pattern(1, PatternErrors::WhenFolded),
            Overload::new("matches_string", "string.(string) -> bool")
                .run(Run::Two(matches))
                .cost(cost::PATTERN)
                .unguarded()
                .pattern(1, PatternErrors::WhenFolded),
        ],
        note: "Whether a regular expression (RE2) fits some part of the text.",
        examples: &[("'web-1'.matches('^web-[0-9]+$')", "true")],
    },
];

/// Both texts, if both are.
fn texts<'v>(a: &Value<'v>, b: &Value<'v>, test: fn(&str, &str) -> bool) -> Outcome<'v> {
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) => Ok(Value::Bool(test(a, b))),
        _ => Err(Error::no_overload()),
    }
}

fn contains<'v>(_: &mut Host<'_>, text: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    texts(&text, &part, |text, part| text.contains(part))
}

fn ends_with<'v>(_: &mut Host<'_>, text: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    texts(&text, &part, |text, part| text.ends_with(part))
}

fn starts_with<'v>(_: &mut Host<'_>, text: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    texts(&text, &part, |text, part| text.starts_with(part))
}

// cel-go: string.go Match; a value that cannot be matched has no overload with a name, unless it has methods.
fn matches<'v>(host: &mut Host<'_>, text: Value<'v>, pattern: Value<'v>) -> Outcome<'v> {
    let Some(text) = text.as_str() else {
        let has_methods = matches!(text, Value::Timestamp(_) | Value::Duration(_));
        return Err(if has_methods {
            Error::no_overload()
        } else {
            Error::new(Kind::NoOperation("matches"))
        });
    };
    let Some(pattern) = pattern.as_str() else { return Err(Error::no_overload()) };
    let regex = host.regex(pattern)?;
    match regex.is_match(text) {
        Ok(answer) => Ok(Value::Bool(answer.value)),
        Err(_) => Err(Error::new(Kind::Bound("the steps of a regular expression"))),
    }
}
