//! JSON text as Go's `encoding/json` writes it: keys sorted by bytes, `<`, `>` and `&` escaped, floats in the
//! shortest form that reads back.

use crate::{Number, Value, float_text};
use std::fmt::Write as _;

/// Compact JSON, as `json.Marshal`.
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

/// JSON over lines with this indentation, as `json.MarshalIndent(value, "", indent)`.
pub fn to_json_indent(value: &Value, indent: &str) -> String {
    let mut out = String::new();
    write_indented(&mut out, value, indent, 0);
    out
}

/// Appends compact JSON to `out`.
pub fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => write_number(out, *n),
        Value::String(text) => write_string(out, text),
        Value::Array(list) => {
            out.push('[');
            for (n, item) in list.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (n, (key, item)) in map.sorted().into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_json(out, item);
            }
            out.push('}');
        }
    }
}

fn write_indented(out: &mut String, value: &Value, indent: &str, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        for _ in 0..depth {
            out.push_str(indent);
        }
    };
    match value {
        Value::Array(list) if !list.is_empty() => {
            out.push('[');
            for (n, item) in list.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                write_indented(out, item, indent, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        Value::Object(map) if !map.is_empty() => {
            out.push('{');
            for (n, (key, item)) in map.sorted().into_iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                line(out, depth + 1);
                write_string(out, key);
                out.push_str(": ");
                write_indented(out, item, indent, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            write_json(out, value);
        }
    }
}

fn write_number(out: &mut String, number: Number) {
    match number {
        Number::Int(i) => out.push_str(&i.to_string()),
        Number::Uint(u) => out.push_str(&u.to_string()),
        Number::Float(f) => out.push_str(&float_text(f)),
    }
}

/// Appends `text` in quotes.
// Go: encoding/json appendString with escapeHTML.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let code = c as u32;
                // Writing into a text cannot fail.
                let _ = write!(out, "\\u{code:04x}");
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}
