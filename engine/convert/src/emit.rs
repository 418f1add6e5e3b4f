//! Policies as text, in the form in which people write them.
//!
//! In: a document whose keys stand in their order. Out: YAML with two blanks, lists below their keys, long texts as blocks.

use engine_json::{Value, to_json};
use std::fmt::Write as _;

/// How long a text may be on the line of its key.
const MAX_INLINE: usize = 90;

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
                member(value, indent + 2, out);
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
                    other => member(other, indent + 2, out),
                }
            }
        }
        other => out.push_str(&plain(other)),
    }
}

/// What stands behind a key or a dash.
fn member(value: &Value, indent: usize, out: &mut String) {
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
            for line in text.lines() {
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

/// Whether a text is written as a block: it is long or has several lines, and a block gives it back.
fn is_block(text: &str) -> bool {
    let is_long = text.len() > MAX_INLINE || text.contains('\n');
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

/// A text on one line, in quotes where it needs them.
fn scalar(text: &str) -> String {
    let is_safe = |c: char| {
        c.is_alphanumeric()
            || " ._-/():'*?!=<>&|$@+".contains(c)
            || (c.is_ascii_punctuation() && !":#,[]{}\"`".contains(c))
    };
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_' || c == '(');
    let is_plain = begins
        && text.chars().all(is_safe)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([' ', ':'])
        && is_read_as_text(text);
    if is_plain {
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
