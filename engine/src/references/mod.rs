//! References `$(path)` to another place of the same document, and the variable `{{ @ }}`.
//!
//! In: a pattern, a message, a rule. Out: the same with the referenced texts in place, before any variable is put in.
//! Mirrors: pkg/engine/variables/vars.go (substituteReferences), pkg/utils/jsonpointer.

mod index;
mod replaced;
#[cfg(test)]
mod tests;

use crate::template;
use engine_json::{Map, Str, Value};
use index::{Index, Trail};
use replaced::Replaced;
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

/// How many bytes the texts of one document may be written with, what is written again included: every reference brings
/// a whole text.
const MAX_WRITTEN_BYTES: usize = 16 * 1024 * 1024;

/// The document with its references resolved.
pub(crate) fn resolve(document: &Value) -> Result<Value, Unresolved> {
    if !template::has_references(document) {
        return Ok(document.clone());
    }
    let index = Index::new(document);
    Resolver { trail: Trail::new(&index), left: MAX_WRITTEN_BYTES }.walk(document, &mut String::new(), 0)
}

struct Resolver<'i> {
    trail: Trail<'i>,
    /// How many bytes may still be written.
    left: usize,
}

impl Resolver<'_> {
    /// The value at a path, and at the trail's step for it.
    fn walk(&mut self, value: &Value, path: &mut String, here: usize) -> Result<Value, Unresolved> {
        match value {
            Value::Object(map) => {
                let mut result = Vec::with_capacity(map.len());
                for (key, item) in map.iter() {
                    let new_key = self.resolve_at(key, path, here)?;
                    result.push((new_key, self.below(item, path, here, &key.replace('/', "\\/"))?));
                }
                Ok(Value::object(Map::from_entries(result)))
            }
            Value::Array(list) => {
                let mut result = Vec::with_capacity(list.len());
                for (at, item) in list.iter().enumerate() {
                    result.push(self.below(item, path, here, &at.to_string())?);
                }
                Ok(Value::array(result))
            }
            Value::String(text) => self.resolve_at(text, path, here).map(Value::String),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    fn below(
        &mut self,
        item: &Value,
        path: &mut String,
        here: usize,
        key: &str,
    ) -> Result<Value, Unresolved> {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        let below = self.trail.along(here, key);
        let item = self.walk(item, path, below);
        path.truncate(length);
        item
    }

    fn resolve_at(&mut self, text: &Str, path: &str, here: usize) -> Result<Str, Unresolved> {
        self.resolve_text(text, path, here).map_err(|message| Unresolved { message, path: path.to_owned() })
    }

    // Kyverno: substituteReferencesIfAny.
    fn resolve_text(&mut self, text: &Str, path: &str, here: usize) -> Result<Str, String> {
        if !text.contains("$(") {
            return Ok(text.clone());
        }
        let mut value = Replaced::new(text);
        for found in template::references(text) {
            let reference = found.text();
            let failed = |error: String| format!("failed to resolve {reference} at path {path}: {error}");
            match self.look_up(reference, here).map_err(failed)? {
                Value::Null => {
                    return Err(format!("got nil resolved variable {reference} at path {path}: <nil>"));
                }
                Value::String(text) => {
                    let written = value.put(found.whole, &format!("{}{text}", found.prefix()));
                    self.spend(written).map_err(failed)?;
                }
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(format!(
                        "NotResolvedReferenceErr,reference {reference} not resolved at path {path}"
                    ));
                }
            }
        }
        self.unescape(value.finish())
            .map(Str::from)
            .map_err(|error| format!("failed to resolve {text} at path {path}: {error}"))
    }

    /// The text with every escaped reference `\$(…)` as it is meant.
    fn unescape(&mut self, mut value: String) -> Result<String, String> {
        let text = value.clone();
        let escaped = template::escaped_references(&text);
        // One pass will do where no backslash that goes uncovers another.
        if !text.contains("\\\\$(") && escaped.iter().all(|found| found.matches("\\$(").count() == 1) {
            let mut written = String::with_capacity(text.len());
            let mut rest = text.as_str();
            for found in escaped {
                let (before, after) = rest.split_once(found).unwrap_or((rest, ""));
                written.push_str(before);
                written.push_str(found.get(1..).unwrap_or(""));
                rest = after;
            }
            return Ok(written + rest);
        }
        for found in escaped {
            value = value.replace(found, found.get(1..).unwrap_or(""));
            self.spend(value.len())?;
        }
        Ok(value)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes).ok_or_else(|| {
            format!(
                "the references of one document write more than {MAX_WRITTEN_BYTES} bytes; use fewer or shorter texts"
            )
        })?;
        self.left = left;
        Ok(())
    }

    // Kyverno: resolveReference.
    fn look_up(&mut self, reference: &str, here: usize) -> Result<Value, String> {
        let inner = reference.trim_matches(['$', '(', ')']);
        let (operator, path) = split_operator(inner);
        if path.is_empty() {
            return Err("expected path, found empty reference".to_owned());
        }
        let step = if !path.starts_with('/') {
            self.trail.along(here, path)
        } else if is_clean(path) {
            self.trail.along(0, path)
        } else {
            // Kyverno: such a path is compared as it is written, and no path of the document is written so.
            return found_for(operator, Value::Null);
        };
        found_for(operator, self.trail.value(step))
    }
}

/// What a reference gives, with its operator before it.
fn found_for(operator: &str, found: Value) -> Result<Value, String> {
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

/// Whether a path from the root has no `.`, `..` or empty part: whether it is its own shortest form.
fn is_clean(path: &str) -> bool {
    path == "/" || path.split('/').skip(1).all(|part| !matches!(part, "" | "." | ".."))
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
