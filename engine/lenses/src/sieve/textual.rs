//! A change of an object as a change of its text, so that comments and layout stay.
//!
//! In: the text of a document, its places, and edits. Out: one stretch to replace, if the text after it says exactly what the
//! object says after the edits; nothing where that takes more than a new scalar, a part of one, or new lines.

use super::edit::Edit;
use engine_json::{Path, Segment, Value};
use engine_yaml::{Spans, parse_one};
use std::fmt::Write;

/// The stretch, as bytes of the text, and what stands there instead.
pub(super) fn replacement(
    text: &str,
    document: (usize, usize),
    spans: &Spans,
    edits: &[Edit],
    (old, wanted): (&Value, &Value),
) -> Option<Stretch> {
    let found = match edits {
        [Edit::Set(path, value)] => {
            let mut found: Vec<Stretch> = scalar(text, spans, path, value).into_iter().collect();
            found.extend(part(text, spans, path, (old, value)).unwrap_or_default());
            found.extend(lines(text, spans, edits));
            found
        }
        [Edit::Push(path, value)] => pushed(text, spans, path, value).into_iter().collect(),
        _ => lines(text, spans, edits).into_iter().collect(),
    };
    let (begin, end) = document;
    let says_it = |(from, to, new): &Stretch| {
        let changed = Some(format!("{}{new}{}", text.get(begin..*from)?, text.get(*to..end)?));
        Some(parse_one(&changed?).ok()? == *wanted)
    };
    found.into_iter().find(|stretch| says_it(stretch) == Some(true))
}

/// From which byte to which, and what stands there instead.
type Stretch = (usize, usize, String);

/// So much of what stays is looked for around what changes, at most and at least.
const AROUND: [usize; 4] = [40, 16, 6, 0];
/// So many places are tried.
const MAX_PLACES: usize = 4;

/// A part of a scalar, as an expression is changed in one place and stays as it is written everywhere else.
fn part(text: &str, spans: &Spans, path: &Path, (old, new): (&Value, &Value)) -> Option<Vec<Stretch>> {
    let (old, new) = (old.at_path(path.iter())?.as_str()?, new.as_str()?);
    let span = spans.value_span(path)?;
    let (from, to) = (span.start as usize, span.end as usize);
    let raw = text.get(from..to)?;
    let same = |(one, other): &(char, char)| one == other;
    let start: usize = old.chars().zip(new.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest_old, rest_new) = (old.get(start..)?, new.get(start..)?);
    let end: usize =
        rest_old.chars().rev().zip(rest_new.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let new = rest_new.get(..rest_new.len() - end)?;
    let mut found = Vec::new();
    for around in AROUND {
        let mut before: Vec<char> = old.get(..start)?.chars().rev().take(around).collect();
        before.reverse();
        let before = String::from_iter(before);
        let after: String = old.get(old.len() - end..)?.chars().take(around).collect();
        let middle = rest_old.get(..rest_old.len() - end)?;
        let needle = format!("{before}{middle}{after}");
        for (at, _) in raw.match_indices(&needle).take(MAX_PLACES).filter(|_| !needle.is_empty()) {
            let at = from + at + before.len();
            // In single quotes a quote is written twice.
            for new in [new.to_owned(), new.replace('\'', "''")] {
                found.push((at, at + middle.len(), new));
            }
        }
    }
    Some(found)
}

/// One entry more of a list in block style, or the list itself below the last line of the map that has none yet.
fn pushed(text: &str, spans: &Spans, path: &Path, value: &Value) -> Option<Stretch> {
    let (at, before, indent) = if let Some(span) = spans.value_span(path) {
        let (from, to) = (span.start as usize, span.end as usize);
        let body = text.get(from..to)?;
        let place = (from + body.trim_end().len(), String::new(), indent_at(text, from)?);
        body.starts_with('-').then_some(place)?
    } else {
        let (last, way) = path.split_last()?;
        let Segment::Key(key) = last else { return None };
        let map = spans.value_span(&Path::from(way))?;
        let (from, to) = (map.start as usize, map.end as usize);
        let body = text.get(from..to)?;
        let indent = indent_at(text, from)?;
        let before = format!("\n{indent}{key}:");
        (!body.starts_with(['{', '['])).then(|| (from + body.trim_end().len(), before, indent))?
    };
    let mut new = before;
    for (at, (key, value)) in value.as_object()?.iter().enumerate() {
        let sign = if at == 0 { "- " } else { "  " };
        let value = value.as_str()?;
        let is_plain = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let value = if is_plain { value.to_owned() } else { format!(">-\n{indent}    {value}") };
        let _ = write!(new, "\n{indent}{sign}{key}: {value}");
    }
    Some((at, at, new))
}

/// The blanks before the text at this place.
fn indent_at(text: &str, from: usize) -> Option<String> {
    let line = text.get(..from)?.rfind('\n').map_or(0, |at| at + 1);
    Some(" ".repeat(text.get(line..from)?.chars().count()))
}

/// A scalar in the place of one.
fn scalar(text: &str, spans: &Spans, path: &Path, value: &Value) -> Option<Stretch> {
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
fn lines(text: &str, spans: &Spans, edits: &[Edit]) -> Option<Stretch> {
    let first = edits.first()?.path();
    let (_, parent) = first.split_last()?;
    let parent = Path::from(parent);
    let map = spans.value_span(&parent)?;
    let (from, to) = (map.start as usize, map.end as usize);
    let body = text.get(from..to)?;
    if body.starts_with(['{', '[']) {
        return None;
    }
    let indent = indent_at(text, from)?;
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
