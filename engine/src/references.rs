//! References `$(path)` to another place of the same document, and the variable `{{ @ }}`.
//!
//! In: a pattern, a message, a rule. Out: the same with the referenced texts in place, before any variable is put in.
//! Mirrors: pkg/engine/variables/vars.go (substituteReferences), pkg/utils/jsonpointer.

use crate::pattern::anchor;
use crate::template;
use engine_json::{Map, Str, Value};
use std::fmt::Write as _;

/// Why a reference has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unresolved {
    /// Kyverno's words.
    pub(crate) message: String,
    /// Where the reference stands: `/validate/message`.
    pub(crate) path: String,
}

impl From<Unresolved> for String {
    fn from(error: Unresolved) -> Self {
        error.message
    }
}

/// The document with its references resolved.
pub(crate) fn resolve(document: &Value) -> Result<Value, Unresolved> {
    if !template::has_references(document) {
        return Ok(document.clone());
    }
    walk(document, document, &mut String::new())
}

fn walk(document: &Value, value: &Value, path: &mut String) -> Result<Value, Unresolved> {
    match value {
        Value::Object(map) => {
            let mut result = Map::new();
            for (key, item) in map.iter() {
                let new_key = resolve_at(document, key, path)?;
                let length = path.len();
                path.push('/');
                path.push_str(&key.replace('/', "\\/"));
                let new_item = walk(document, item, path);
                path.truncate(length);
                result.insert(new_key, new_item?);
            }
            Ok(Value::object(result))
        }
        Value::Array(list) => {
            let mut result = Vec::with_capacity(list.len());
            for (at, item) in list.iter().enumerate() {
                let length = path.len();
                path.push('/');
                path.push_str(&at.to_string());
                let new_item = walk(document, item, path);
                path.truncate(length);
                result.push(new_item?);
            }
            Ok(Value::array(result))
        }
        Value::String(text) => resolve_at(document, text, path).map(Value::String),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
    }
}

fn resolve_at(document: &Value, text: &Str, path: &str) -> Result<Str, Unresolved> {
    resolve_text(document, text, path).map_err(|message| Unresolved { message, path: path.to_owned() })
}

// Kyverno: substituteReferencesIfAny.
fn resolve_text(document: &Value, text: &Str, path: &str) -> Result<Str, String> {
    if !text.contains("$(") {
        return Ok(text.clone());
    }
    let mut value = text.to_string();
    for found in template::references(text) {
        let reference = found.text();
        let resolved = look_up(document, reference, path)
            .map_err(|error| format!("failed to resolve {reference} at path {path}: {error}"))?;
        match resolved {
            Value::Null => {
                return Err(format!("got nil resolved variable {reference} at path {path}: <nil>"));
            }
            Value::String(text) => {
                value = value.replacen(found.whole, &format!("{}{text}", found.prefix()), 1);
            }
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(format!(
                    "NotResolvedReferenceErr,reference {reference} not resolved at path {path}"
                ));
            }
        }
    }
    for escaped in template::escaped_references(&value.clone()) {
        value = value.replace(escaped, escaped.get(1..).unwrap_or(""));
    }
    Ok(value.into())
}

// Kyverno: resolveReference.
fn look_up(document: &Value, reference: &str, here: &str) -> Result<Value, String> {
    let inner = reference.trim_matches(['$', '(', ')']);
    let (operator, path) = split_operator(inner);
    if path.is_empty() {
        return Err("expected path, found empty reference".to_owned());
    }
    let path = if path.starts_with('/') { path.to_owned() } else { clean(&format!("{here}/{path}")) };
    let mut found = Value::Null;
    find(document, &path, &mut String::new(), &mut found);
    if operator.is_empty() {
        return Ok(found);
    }
    let text = match &found {
        Value::String(text) => text.to_string(),
        Value::Number(engine_json::Number::Int(i)) => i.to_string(),
        Value::Number(number) => crate::value::go_text::float_f(number.as_f64()),
        other @ (Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            let value = engine_jmespath::go_format::go_format(other);
            return Err(format!(
                "incorrect expression: operator {operator} does not match with value {value}"
            ));
        }
    };
    Ok(Value::from(format!("{operator}{text}")))
}

/// The operator before a path, by the rules of patterns.
// Kyverno: GetOperatorFromStringPattern; a range counts too, and its text is then cut off the front.
fn split_operator(text: &str) -> (&str, &str) {
    if text.len() >= 2 {
        for operator in [">=", "<=", ">", "<", "!"] {
            if text.starts_with(operator) {
                return text.split_at(operator.len());
            }
        }
    }
    ("", text)
}

/// The last leaf or key at this path; paths are compared without anchors.
// Kyverno: getValueFromReference.
fn find(value: &Value, wanted: &str, path: &mut String, found: &mut Value) {
    let here = |path: &str| without_anchors(path) == wanted;
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter() {
                if here(path) {
                    *found = Value::String(key.clone());
                }
                let length = path.len();
                path.push('/');
                path.push_str(&key.replace('/', "\\/"));
                find(item, wanted, path, found);
                path.truncate(length);
            }
        }
        Value::Array(list) => {
            for (at, item) in list.iter().enumerate() {
                let length = path.len();
                path.push('/');
                path.push_str(&at.to_string());
                find(item, wanted, path, found);
                path.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if here(path) {
                *found = value.clone();
            }
        }
    }
}

// Kyverno: anchor.RemoveAnchorsFromPath.
fn without_anchors(path: &str) -> String {
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').map(anchor::plain_key).collect();
    clean(&format!("/{}", parts.join("/")))
}

/// A slash path without `.`, `..` and empty parts.
// Go: path.Clean of an absolute path.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The expression for the field of the resource at the place of a `{{ @ }}` in a rule.
// Kyverno: jsonpointer.ParsePath(path).SkipPast("foreach").SkipN(2).Prepend(prefix…).JMESPath().
pub(crate) fn here(path: &str, prefix: &[&str]) -> String {
    let parts = split_path(path);
    let after_foreach = parts.iter().position(|part| part == "foreach").map_or(0, |at| at + 1);
    let rest: Vec<String> = parts.into_iter().skip(after_foreach).collect();
    let rest = if rest.len() > 2 { rest.into_iter().skip(2).collect() } else { Vec::new() };
    let mut text = String::new();
    for part in prefix.iter().map(ToString::to_string).chain(rest) {
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) && part.parse::<u64>().is_ok() {
            text.push('[');
            text.push_str(&part);
            text.push(']');
            continue;
        }
        if !text.is_empty() {
            text.push('.');
        }
        push_identifier(&mut text, &part);
    }
    text
}

/// The parts of a path; a backslash takes the next character as it is.
pub(crate) fn split_path(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => part.extend(chars.next()),
            '/' => {
                if !part.is_empty() {
                    parts.push(std::mem::take(&mut part));
                }
            }
            c => part.push(c),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

fn push_identifier(text: &mut String, part: &str) {
    let first = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '(');
    let other = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ')');
    if part.chars().next().is_some_and(first) && part.chars().all(other) {
        text.push_str(part);
        return;
    }
    text.push('"');
    for c in part.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\0'..='\u{1f}' => {
                // Writing into a text cannot fail.
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
