//! Policies as text, in the form in which people write them.
//!
//! In: a document whose keys stand in their order. Out: YAML with two blanks, lists below their keys, long texts as blocks.

use engine_json::{Value, to_json};
use std::fmt::Write as _;

/// How long a text may be on the line of its key.
const MAX_INLINE: usize = 90;
/// Where the lines of a long text end.
const WIDTH: usize = 100;

/// A document, with comments above it.
pub(crate) fn document(comments: &[String], value: &Value) -> String {
    let mut out = String::new();
    for comment in comments {
        out.push_str(comment);
        out.push('\n');
    }
    write(value, 0, &mut out);
    out
}

fn write(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(map) => {
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(&pad);
                }
                out.push_str(&scalar(key));
                out.push(':');
                let is_code = matches!(key.as_str(), "expression" | "messageExpression" | "valueExpression");
                member(value, indent + 2, is_code, out);
            }
        }
        Value::Array(list) => {
            for (at, one) in list.iter().enumerate() {
                if at > 0 {
                    out.push_str(&pad);
                }
                out.push('-');
                match one {
                    Value::Object(map) if !map.is_empty() => {
                        out.push(' ');
                        write(one, indent + 2, out);
                    }
                    other => member(other, indent + 2, false, out),
                }
            }
        }
        other => out.push_str(&plain(other)),
    }
}

/// What stands behind a key or a dash.
fn member(value: &Value, indent: usize, is_code: bool, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(map) if map.is_empty() => out.push_str(" {}\n"),
        Value::Array(list) if list.is_empty() => out.push_str(" []\n"),
        Value::Array(list) if list.iter().all(|one| one.as_str().is_some_and(|text| text.len() < 24)) => {
            let texts: Vec<String> = list.iter().map(|one| scalar(one.as_str().unwrap_or(""))).collect();
            let _ = writeln!(out, " [{}]", texts.join(", "));
        }
        Value::Object(_) | Value::Array(_) => {
            out.push('\n');
            out.push_str(&pad);
            write(value, indent, out);
        }
        Value::String(text) if is_block(text) => {
            let is_folded = !text.contains('\n');
            out.push_str(match (is_folded, text.ends_with('\n')) {
                (true, _) => " >-\n",
                (false, false) => " |-\n",
                (false, true) => " |\n",
            });
            let lines = if is_folded { folded(text, indent, is_code) } else { text.lines().collect() };
            for line in lines {
                if !line.is_empty() {
                    out.push_str(&pad);
                }
                out.push_str(line);
                out.push('\n');
            }
        }
        other => {
            out.push(' ');
            out.push_str(&plain(other));
            out.push('\n');
        }
    }
}

/// Behind what a line of code may end.
const OPERATORS: [&str; 3] = [" &&", " ||", " +"];

/// The lines of a text that are read as one: each break stands for a single blank between words, in code for one behind an operator.
fn folded(text: &str, indent: usize, is_code: bool) -> Vec<&str> {
    let room = WIDTH.saturating_sub(indent);
    let (mut lines, mut rest) = (Vec::new(), text);
    while rest.chars().count() > room {
        let is_break = |at: usize| {
            let (before, behind) = (rest.get(..at).unwrap_or(""), rest.get(at + 1..).unwrap_or(""));
            let is_within = is_code
                && (before.matches('\'').count() % 2 == 1
                    || !OPERATORS.iter().any(|sign| before.ends_with(sign)));
            !before.is_empty()
                && !before.ends_with(' ')
                && !behind.is_empty()
                && !behind.starts_with(' ')
                && !is_within
        };
        let breaks = || rest.match_indices(' ').map(|(at, _)| at).filter(|at| is_break(*at));
        let fits = |at: &usize| rest.get(..*at).is_some_and(|line| line.chars().count() <= room);
        let Some(at) = breaks().take_while(fits).last().or_else(|| breaks().next()) else { break };
        lines.push(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
    }
    lines.push(rest);
    lines
}

/// Whether a text is written as a block: it is long, has several lines or would need marks before its quotes, and a block gives it back.
fn is_block(text: &str) -> bool {
    let needs_marks = text.contains('\'') && text.contains(['"', '\\']) && !is_plain(text);
    let is_long = text.len() > MAX_INLINE || text.contains('\n') || needs_marks;
    let is_faithful = !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with("\n\n")
        && !text.ends_with(' ')
        && text.chars().all(|c| c == '\n' || !c.is_control())
        && !text.lines().any(|line| line.ends_with(' '))
        && !text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']);
    is_long && is_faithful
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => to_json(other),
    }
}

/// Whether a text may stand without quotes.
fn is_plain(text: &str) -> bool {
    let is_safe = |c: char| {
        c.is_alphanumeric()
            || " ._-/():'*?!=<>&|$@+".contains(c)
            || (c.is_ascii_punctuation() && !":#,[]{}\"`".contains(c))
    };
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_' || c == '(');
    begins
        && text.chars().all(is_safe)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([' ', ':'])
        && is_read_as_text(text)
}

/// A text on one line, in quotes where it needs them.
fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let is_printable = text.chars().all(|c| !c.is_control() && !"\u{85}\u{2028}\u{2029}\u{feff}".contains(c));
    let is_single = !text.contains('\'') || text.contains(['"', '\\']);
    if is_printable && is_single {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        engine_json::quote(text)
    }
}

/// Whether YAML reads it as this very text.
fn is_read_as_text(text: &str) -> bool {
    engine_yaml::parse_one(text).is_ok_and(|value| value.as_str() == Some(text))
}
