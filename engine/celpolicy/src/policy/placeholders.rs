//! The expressions in a template of objects.
//!
//! In: the text of a template, which is YAML of its own. Out: each expression with the place of its characters in that text, and how
//! the scalar around it is written.

use super::template::placeholders;
use engine_json::{Path, Value};
use engine_yaml::places::in_text;
use engine_yaml::{Options, Reader, Source, SourceId, Spans, parse};

/// So many expressions of one template are looked at.
const MAX_EXPRESSIONS: usize = 500;

/// An expression in a scalar of a template.
#[derive(Debug)]
pub struct Within {
    /// The expression.
    pub source: String,
    /// The place in the template of each byte of the expression, and of its end.
    pub bytes: Vec<usize>,
    /// How the scalar is written: `'`, `"`, or anything else.
    pub style: char,
}

/// The expressions of a template.
pub fn expressions_in_template(text: &str) -> Vec<Within> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let options = Options { reader: Reader::Words, ..Options::default() };
    let mut found = Vec::new();
    for document in parse(&source, &options).documents {
        let spans = document.spans(text);
        walk(&document.value, &Path::root(), &Text { text, spans: &spans }, &mut found);
    }
    found
}

struct Text<'t> {
    text: &'t str,
    spans: &'t Spans,
}

fn walk(value: &Value, path: &Path, of: &Text<'_>, found: &mut Vec<Within>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| walk(value, &path.join(key.as_str()), of, found));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| walk(value, &path.join(at), of, found));
        }
        Value::String(scalar) if scalar.contains("((") => {
            found.extend(of.scalar(scalar, path));
            found.truncate(MAX_EXPRESSIONS);
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

impl Text<'_> {
    /// The expressions of a scalar.
    fn scalar(&self, scalar: &str, path: &Path) -> Vec<Within> {
        let written = self.spans.value_span(path).and_then(|span| {
            Some((span.start as usize, self.text.get(span.start as usize..span.end as usize)?))
        });
        let Some((start, written)) = written else { return Vec::new() };
        let places = in_text(written, scalar);
        let style = written.chars().next().unwrap_or(' ');
        let within = |(source, begin): (String, usize)| {
            let of_source = places.get(begin..=begin + source.len())?;
            let bytes = of_source.iter().map(|at| start + at).collect();
            Some(Within { source, bytes, style })
        };
        placeholders(scalar).into_iter().filter_map(within).collect()
    }
}
