//! Templates of objects: YAML in which `(( … ))` stands for values of expressions.
//!
//! In: the text of a template, whether it holds expressions, their environment. Out: a [`Template`], or what is wrong with it in
//! Kyverno's words. Mirrors: `pkg/cel/policies/gpol/template` of Kyverno 1.19.

use crate::compile::{Compiled, Wanted, compile};
use crate::environment::Environment;
use engine_json::{Map, Path, Str, Value, quote};
use engine_yaml::places::in_scalar;
use engine_yaml::{LineIndex, Options, Reader, Source, SourceId, Spans};

/// The objects of a template.
#[derive(Debug)]
pub struct Template {
    /// One for each document.
    pub documents: Vec<Part>,
}

/// What is wrong with a template.
#[derive(Debug)]
pub struct WrongTemplate {
    /// Kyverno's words.
    pub text: String,
    /// The problems of the expression that does not compile, by the bytes of the template.
    pub problems: Vec<(Option<u32>, String)>,
}

impl From<String> for WrongTemplate {
    fn from(text: String) -> Self {
        WrongTemplate { problems: vec![(None, text.clone())], text }
    }
}

/// A part of a template.
#[derive(Debug)]
pub enum Part {
    /// What is written.
    Literal(Value),
    /// Fields.
    Mapping(Vec<(Str, Part)>),
    /// Items.
    Sequence(Vec<Part>),
    /// The value of an expression, and the expression.
    Splice(Str, Box<Compiled>),
    /// Text with values of expressions in it.
    Text(Vec<Segment>),
}

impl Part {
    /// The expressions in it, each with its text.
    pub fn expressions<'p>(&'p self, found: &mut Vec<(&'p Str, &'p Compiled)>) {
        match self {
            Part::Literal(_) => {}
            Part::Mapping(entries) => entries.iter().for_each(|(_, part)| part.expressions(found)),
            Part::Sequence(items) => items.iter().for_each(|part| part.expressions(found)),
            Part::Splice(text, compiled) => found.push((text, compiled)),
            Part::Text(segments) => found.extend(segments.iter().filter_map(|segment| match segment {
                Segment::Literal(_) => None,
                Segment::Expression(text, compiled) => Some((text, &**compiled)),
            })),
        }
    }
}

/// A part of a text.
#[derive(Debug)]
pub enum Segment {
    /// What is written.
    Literal(String),
    /// An expression.
    Expression(Str, Box<Compiled>),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it, in Kyverno's words.
    pub fn new(text: &str, interpolate: bool, environment: &Environment) -> Result<Self, WrongTemplate> {
        let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
        let options = Options { reader: Reader::Words, ..Options::default() };
        let parsed = engine_yaml::parse(&source, &options);
        let lines = LineIndex::new(text);
        if let Some(finding) = parsed.findings.first() {
            let line = lines.position(finding.span.start).0;
            return Err(format!("failed to parse YAML: yaml: line {line}: {}", finding.message).into());
        }
        let mut documents = Vec::new();
        for document in parsed.documents.iter().filter(|document| !document.value.is_null()) {
            let spans = document.spans(text);
            let reading = Reading { text, lines: &lines, spans: &spans, interpolate, environment };
            let part = reading.part(&document.value, &Path::root())?;
            let is_object = match &part {
                Part::Mapping(_) | Part::Splice(..) => true,
                Part::Literal(value) => value.as_object().is_some(),
                Part::Sequence(_) | Part::Text(_) => false,
            };
            if !is_object {
                let line = reading.line(&Path::root());
                return Err(format!("line {line}: document must be a mapping describing a resource").into());
            }
            documents.push(part);
        }
        if documents.is_empty() {
            return Err("template must contain at least one YAML document".to_owned().into());
        }
        Ok(Template { documents })
    }
}

struct Reading<'t> {
    text: &'t str,
    lines: &'t LineIndex,
    spans: &'t Spans,
    interpolate: bool,
    environment: &'t Environment,
}

impl Reading<'_> {
    fn line(&self, path: &Path) -> u32 {
        self.spans.value_span(path).map_or(1, |span| self.lines.position(span.start).0)
    }

    fn part(&self, value: &Value, path: &Path) -> Result<Part, WrongTemplate> {
        if !self.interpolate || !holds_placeholder(value) {
            return Ok(Part::Literal(self.literal(value, path)));
        }
        match value {
            Value::Object(map) => {
                let mut entries = Vec::with_capacity(map.len());
                for (key, value) in map.iter() {
                    let path = path.join(key.as_str());
                    if contains_placeholder(key) {
                        let line =
                            self.spans.key_span(&path).map_or(1, |span| self.lines.position(span.start).0);
                        return Err(format!(
                            "line {line}: placeholders are not supported in mapping keys; use a whole-value placeholder on the parent field instead (e.g. `labels: (( variables.labels ))`)"
                        )
                        .into());
                    }
                    entries.push((key.clone(), self.part(value, &path)?));
                }
                Ok(Part::Mapping(entries))
            }
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(at, value)| self.part(value, &path.join(at)));
                items.collect::<Result<_, _>>().map(Part::Sequence)
            }
            Value::String(text) => self.scalar(text, path),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(Part::Literal(value.clone())),
        }
    }

    /// What is written; a date without quotes is a moment.
    // go-yaml v3: a timestamp becomes a time, which JSON writes in full.
    fn literal(&self, value: &Value, path: &Path) -> Value {
        match value {
            Value::Object(map) => {
                let entries = map
                    .iter()
                    .map(|(key, value)| (key.clone(), self.literal(value, &path.join(key.as_str()))));
                Value::object(entries.collect::<Map>())
            }
            Value::Array(list) => {
                let items = list.iter().enumerate().map(|(at, value)| self.literal(value, &path.join(at)));
                Value::array(items.collect())
            }
            Value::String(text) if is_date(text) => {
                let written = self.spans.value_span(path);
                let written = written.and_then(|span| self.text.get(span.start as usize..span.end as usize));
                let is_plain = written.is_some_and(|written| written == text.as_str());
                if is_plain { Value::from(format!("{text}T00:00:00Z")) } else { value.clone() }
            }
            other => other.clone(),
        }
    }

    /// The byte of the template at which a byte of a scalar stands.
    fn place(&self, path: &Path, scalar: &str, byte: usize) -> u32 {
        let span = self.spans.value_span(path).unwrap_or_default();
        let written = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        span.start.saturating_add(u32::try_from(in_scalar(written, scalar, byte)).unwrap_or(0))
    }

    fn scalar(&self, scalar: &str, path: &Path) -> Result<Part, WrongTemplate> {
        let line = self.line(path);
        let at = |error: String| format!("line {line}: {error}");
        let mut segments = Vec::new();
        for piece in scan(scalar).map_err(at)? {
            segments.push(match piece {
                Piece::Literal(text) => Segment::Literal(text),
                Piece::Expression(expression, begin) => {
                    let text = expression;
                    let compiled = compile(&text, self.environment, Wanted::Any).map_err(|fault| {
                        let words =
                            format!("invalid placeholder expression {}: {}", quote(&text), fault.text);
                        let place = |problem: &(Option<u32>, String)| {
                            let byte = begin.saturating_add(problem.0? as usize);
                            Some(self.place(path, scalar, byte))
                        };
                        let problems = fault.problems.into_iter();
                        WrongTemplate {
                            text: at(words),
                            problems: problems.map(|one| (place(&one), one.1)).collect(),
                        }
                    })?;
                    Segment::Expression(Str::from(text), Box::new(compiled))
                }
            });
        }
        let is_literal = |segment: &Segment| matches!(segment, Segment::Literal(_));
        if segments.iter().all(is_literal) {
            let texts = segments.iter().map(|segment| match segment {
                Segment::Literal(text) => text.as_str(),
                Segment::Expression(..) => "",
            });
            return Ok(Part::Literal(Value::from(texts.collect::<String>())));
        }
        match segments.pop() {
            Some(Segment::Expression(text, compiled)) if segments.is_empty() => {
                Ok(Part::Splice(text, compiled))
            }
            last => Ok(Part::Text(segments.into_iter().chain(last).collect())),
        }
    }
}

fn is_date(text: &str) -> bool {
    let is_digits =
        |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = text.split('-');
    let found = (parts.next(), parts.next(), parts.next(), parts.next());
    matches!(found, (Some(y), Some(m), Some(d), None) if is_digits(y, 4) && is_digits(m, 2) && is_digits(d, 2))
}

fn holds_placeholder(value: &Value) -> bool {
    match value {
        Value::String(text) => contains_placeholder(text) || text.contains("\\(("),
        Value::Array(list) => list.iter().any(holds_placeholder),
        Value::Object(map) => map
            .iter()
            .any(|(key, value)| holds_placeholder(&Value::String(key.clone())) || holds_placeholder(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn contains_placeholder(text: &str) -> bool {
    text.replace("\\((", "").contains("((")
}

/// A piece of a scalar.
#[derive(Debug, PartialEq)]
enum Piece {
    Literal(String),
    /// An expression, and the byte at which it begins.
    Expression(String, usize),
}

/// The pieces of a scalar.
fn scan(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("\\((") {
            literal.push_str("((");
            at += 3;
        } else if rest.starts_with("((") {
            let (expression, begin, next) = placeholder(text, at)?;
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Expression(expression, begin));
            at = next;
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            literal.push(c);
            at += c.len_utf8();
        }
    }
    if !literal.is_empty() {
        pieces.push(Piece::Literal(literal));
    }
    Ok(pieces)
}

/// The expressions of a scalar, and the byte at which each begins: those before the first placeholder that is not in order, and of
/// that one what stands there.
pub(super) fn placeholders(text: &str) -> Vec<(String, usize)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(next) = rest.find("((") else { break };
        let start = at + next;
        if text.get(..start).is_some_and(|before| before.ends_with('\\')) {
            at = start + 2;
        } else if let Ok((expression, begin, next)) = placeholder(text, start) {
            found.push((expression, begin));
            at = next;
        } else {
            // Somebody is typing: it ends where it is closed, or with the line.
            let rest = text.get(start + 2..).unwrap_or("");
            let end = rest.find("))").or_else(|| rest.find('\n')).unwrap_or(rest.len());
            let inner = rest.get(..end).unwrap_or("");
            let blanks = inner.len() - inner.trim_start().len();
            found.push((inner.trim_start().to_owned(), start + 2 + blanks));
            break;
        }
    }
    found
}

/// The expression of a placeholder that begins at a byte, where it begins itself, and where the text goes on.
fn placeholder(text: &str, start: usize) -> Result<(String, usize, usize), String> {
    let bytes = text.as_bytes();
    let (mut depth, mut quoted) = (0_usize, None);
    let mut at = start + 2;
    while let Some(&byte) = bytes.get(at) {
        match (quoted, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(quote), byte) if byte == quote => quoted = None,
            (None, b'"' | b'\'') => quoted = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') if depth > 0 => depth -= 1,
            (None, b')') if bytes.get(at + 1) == Some(&b')') => {
                let inner = text.get(start + 2..at).unwrap_or("");
                let (expression, begin) = (inner.trim(), start + 2 + inner.len() - inner.trim_start().len());
                if expression.is_empty() {
                    return Err(format!("empty placeholder at offset {start}"));
                }
                return Ok((expression.to_owned(), begin, at + 2));
            }
            (None, b')') => {
                return Err(format!("unbalanced parenthesis in placeholder starting at offset {start}"));
            }
            _ => {}
        }
        at += 1;
    }
    if quoted.is_some() {
        return Err(format!("unterminated string literal in placeholder starting at offset {start}"));
    }
    Err(format!("unterminated placeholder starting at offset {start}: missing closing '))'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Result<Vec<String>, String> {
        let shown = |piece: Piece| match piece {
            Piece::Literal(text) => text,
            Piece::Expression(text, _) => format!("<{text}>"),
        };
        Ok(scan(text)?.into_iter().map(shown).collect())
    }

    #[test]
    fn placeholders_are_found_past_quotes_and_parentheses() {
        assert_eq!(pieces("a-(( f(x) ))-b").unwrap(), ["a-", "<f(x)>", "-b"]);
        assert_eq!(pieces("(( \":)\" + ')' ))").unwrap(), ["<\":)\" + ')'>"]);
        assert_eq!(pieces("\\((kept))").unwrap(), ["((kept))"]);
        assert_eq!(pieces("(( ))").unwrap_err(), "empty placeholder at offset 0");
        assert_eq!(
            pieces("(( a").unwrap_err(),
            "unterminated placeholder starting at offset 0: missing closing '))'"
        );
    }
}
