//! Stretches of a text, and how values look in them.
//!
//! In: a text and the place in it. Out: the text with its stretches replaced; a value as lines of an indentation, or on one
//! line.

use crate::emit::to_yaml_ordered;
use crate::parse_one;
use engine_json::arrange::Arrange as _;
use engine_json::{Value, to_json};

/// A stretch of the text and what stands there instead.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
}

/// The text with its pieces replaced; nothing where they overlap.
pub(super) fn applied(text: &str, mut pieces: Vec<Piece>) -> Option<String> {
    // The sort is stable: what is put in at one place keeps its order.
    pieces.arrange_by_key(|piece| (piece.from, piece.to));
    let mut changed = String::new();
    let mut at = 0;
    for piece in pieces {
        changed.push_str(text.get(at..piece.from)?);
        changed.push_str(&piece.text);
        at = piece.to;
    }
    changed.push_str(text.get(at..)?);
    Some(changed)
}

/// Where the line of this place begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The place behind a comment that ends this line; this place where there is none.
pub(super) fn behind_comment(text: &str, at: usize) -> usize {
    let rest = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or("");
    if rest.trim_start().starts_with('#') { at + rest.trim_end().len() } else { at }
}

/// How many characters stand before this place in its line.
pub(super) fn indent_at(text: &str, at: usize) -> usize {
    text.get(line_start(text, at)..at).map_or(0, |before| before.chars().count())
}

/// A value as lines of this indentation, without a newline at the end.
pub(super) fn block(value: &Value, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let lines = to_yaml_ordered(value);
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("{blanks}{line}") };
    lines.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A value on one line, in the quotes of what it takes the place of.
pub(super) fn replaced(old: &str, new: &Value) -> String {
    let quote = old.chars().next().filter(|first| matches!(first, '\'' | '"'));
    match (new, quote) {
        (Value::String(text), Some(quote)) if !text.contains(['\'', '"', '\\', '\n']) => {
            format!("{quote}{text}{quote}")
        }
        _ => flow(new),
    }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entry = |(key, value): (&engine_json::Str, &Value)| {
                format!("{}: {}", flow(&Value::String(key.clone())), flow(value))
            };
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => to_json(value),
        Value::String(text) => {
            // As it is where YAML reads it so, between brackets too.
            let is_plain = !text.contains([',', '[', ']', '{', '}', '\n']) && !text.starts_with(['\'', '"']);
            let plain = || parse_one(&format!("[{text}]")).ok().and_then(|read| read.at(0).cloned());
            if is_plain && plain().as_ref() == Some(value) { text.to_string() } else { to_json(value) }
        }
    }
}
