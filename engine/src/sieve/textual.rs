//! A change of an object as a change of its text, so that comments and layout stay.
//!
//! In: the text of a document, its places, and edits. Out: one stretch to replace, if the text after it says exactly what the
//! object says after the edits; nothing where that takes more than a new scalar or a new line.

use super::edit::Edit;
use engine_json::{Path, Segment, Value};
use engine_yaml::{Spans, parse_one};

/// The stretch, as bytes of the text, and what stands there instead.
pub(super) fn replacement(
    text: &str,
    document: (usize, usize),
    spans: &Spans,
    edits: &[Edit],
    wanted: &Value,
) -> Option<(usize, usize, String)> {
    let found = match edits {
        [Edit::Set(path, value)] => scalar(text, spans, path, value).or_else(|| lines(text, spans, edits)),
        _ => lines(text, spans, edits),
    }?;
    let (from, to, new) = &found;
    let (begin, end) = document;
    let changed = format!("{}{new}{}", text.get(begin..*from)?, text.get(*to..end)?);
    (parse_one(&changed).ok()? == *wanted).then_some(found)
}

/// A scalar in the place of one.
fn scalar(text: &str, spans: &Spans, path: &Path, value: &Value) -> Option<(usize, usize, String)> {
    let span = spans.value_span(path)?;
    let (from, to) = (span.start as usize, span.end as usize);
    let old = text.get(from..to)?;
    if old.contains('\n') {
        return None;
    }
    let quote = if old.starts_with('\'') { '\'' } else { '"' };
    let new = value.as_str()?;
    if new.contains(['\'', '"', '\\', '\n']) {
        return None;
    }
    Some((from, to, format!("{quote}{new}{quote}")))
}

/// New keys of one map that is written in block style, below its last line.
fn lines(text: &str, spans: &Spans, edits: &[Edit]) -> Option<(usize, usize, String)> {
    let first = edits.first()?.path();
    let (_, parent) = first.split_last()?;
    let parent = Path::from(parent);
    let map = spans.value_span(&parent)?;
    let (from, to) = (map.start as usize, map.end as usize);
    let body = text.get(from..to)?;
    if body.starts_with(['{', '[']) {
        return None;
    }
    let line = text.get(..from)?.rfind('\n').map_or(0, |at| at + 1);
    let indent = " ".repeat(text.get(line..from)?.chars().count());
    let mut new = String::new();
    for edit in edits {
        let Edit::Set(path, value) = edit else { return None };
        let (last, way) = path.split_last()?;
        let Segment::Key(key) = last else { return None };
        if way != &*parent || spans.value_span(path).is_some() {
            return None;
        }
        new.push_str(&format_line(&indent, key, value)?);
    }
    let end = from + body.trim_end().len();
    Some((end, end, new))
}

/// A key with a text, or with a list of texts.
fn format_line(indent: &str, key: &str, value: &Value) -> Option<String> {
    let quoted = |text: &str| (!text.contains(['\'', '\n'])).then(|| format!("'{text}'"));
    match value {
        Value::String(text) => Some(format!("\n{indent}{key}: {}", quoted(text)?)),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| quoted(item.as_str()?)).collect();
            Some(format!("\n{indent}{key}: [{}]", items?.join(", ")))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
