//! Reading a whole text: all documents and all there is to say about it; or one document as one value.
//!
//! In: a [`Source`]. Out: its documents with their values, and findings; a document that cannot be read yields a
//! finding, and the next one is read.

use crate::compose::compose;
use crate::cursor::Mark;
use crate::decode::decode;
use crate::fault::{self, Fault};
use crate::key::Duplicate;
use crate::limits::{MAX_BYTES, bytes_text};
use crate::split::{Piece, split};
use crate::{Error, Finding, FindingKind, Source, SourceId, Span, Spans, fast};
use engine_json::Value;
use std::borrow::Cow;

/// Which reader reads; the answers of the first two are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The quick one for plain block YAML, and the full one for whatever it does not know.
    #[default]
    Fast,
    /// The full one alone.
    Full,
    /// The full one, to which `y`, `yes`, `on` and their like are texts, as go-yaml v3 reads where nobody asks for a truth value.
    Words,
}

/// How a text is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// The reader.
    pub reader: Reader,
    /// The longest text that is read, in bytes; at most `u32::MAX`.
    pub max_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { reader: Reader::Fast, max_bytes: MAX_BYTES }
    }
}

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text it lies in.
    pub source: SourceId,
    /// The whole document in its text, without the separator lines around it.
    pub span: Span,
    /// What it says; `null` for a document that is empty but for its `---`.
    pub value: Value,
}

impl Document {
    /// Whether the quick reader knows all that the document holds. `text` is the whole text of its source.
    pub fn was_read_quickly(&self, text: &str) -> bool {
        let body = text.get(self.span.start as usize..self.span.end as usize).unwrap_or("");
        fast::read(&with_final_newline(body)).is_some()
    }

    /// Where the values and keys of the document are. `text` is the whole text of its source.
    ///
    /// The document is read once more for this, so that a batch run that asks for no place pays for none.
    pub fn spans(&self, text: &str) -> Spans {
        let body = text.get(self.span.start as usize..self.span.end as usize).unwrap_or("");
        let body = with_final_newline(body);
        compose(&body).map_or_else(|_| Spans::empty(self.span), |tree| Spans::of(&tree, self.span))
    }
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The documents that could be read, in order.
    pub documents: Vec<Document>,
    /// What there is to say, in the order of the documents.
    pub findings: Vec<Finding>,
}

/// Reads every document of a text, as Kubernetes' readers split and read it.
pub fn parse(source: &Source, options: &Options) -> Parsed {
    let mut parsed = Parsed::default();
    let text = &*source.text;
    let whole = span_of(source.id, 0, text.len());
    let limit = options.max_bytes.min(u32::MAX as usize);
    if text.len() > limit {
        let finding = Finding { span: whole, kind: FindingKind::Limit, message: bytes_text(limit) };
        parsed.findings.push(finding);
        return parsed;
    }
    for piece in split(text) {
        match piece {
            Piece::Document(range) => {
                let body = text.get(range.clone()).unwrap_or("");
                let span = span_of(source.id, range.start, range.end);
                read_piece(&mut parsed, body, span, options.reader);
            }
            Piece::BadSeparator(range, message) => {
                let span = span_of(source.id, range.start, range.end);
                parsed.findings.push(Finding { span, kind: FindingKind::Syntax, message });
            }
        }
    }
    parsed
}

fn read_piece(parsed: &mut Parsed, body: &str, span: Span, reader: Reader) {
    // Go: apimachinery's LineReader ends every line with a newline, the last one too.
    let text = with_final_newline(body);
    match read(&text, reader) {
        Ok(Reading { value, duplicates, rest }) => {
            let findings = duplicates.into_iter().map(|duplicate| duplicate_finding(duplicate, span));
            parsed.findings.extend(findings);
            parsed.findings.extend(rest.and_then(|at| unread(body, at, span)));
            parsed.documents.push(Document { source: span.source, span, value });
        }
        Err(fault) => {
            let error = Error::from(fault);
            let span = rest_of_line(body, error.offset, span);
            parsed.findings.push(Finding { span, kind: error.kind, message: error.message });
        }
    }
}

/// From a byte of a document to the end of its line.
fn rest_of_line(body: &str, at: u32, document: Span) -> Span {
    let start = document.start.saturating_add(at).min(document.end);
    let rest = body.get(at as usize..).unwrap_or("");
    let length = rest.lines().next().map_or(0, str::len);
    let end = start.saturating_add(u32::try_from(length).unwrap_or(0)).min(document.end);
    Span { source: document.source, start, end }
}

/// What there is to say of the text from a byte on, which the reader has not read; blanks, comments and further
/// ends of the document are nothing.
fn unread(body: &str, from: u32, document: Span) -> Option<Finding> {
    let mut at = from as usize;
    for line in body.get(at..)?.split_inclusive('\n') {
        let said = line.trim_start();
        let is_end = line.starts_with("...") && (at == 0 || body.as_bytes().get(at - 1) == Some(&b'\n'));
        let said = if is_end { line.get(3..).unwrap_or("").trim_start() } else { said };
        if !said.is_empty() && !said.starts_with('#') {
            at += line.len() - said.len();
            let span = rest_of_line(body, u32::try_from(at).unwrap_or(u32::MAX), document);
            // Go: apimachinery's util/yaml takes what begins like an object as JSON, and as nothing else.
            let is_json = body.trim_start().starts_with('{');
            let kind = if is_json { FindingKind::BehindJson } else { FindingKind::Behind };
            let message =
                "the text from here on is not read: it comes after the end of its document".to_owned();
            return Some(Finding { span, kind, message });
        }
        at += line.len();
    }
    None
}

fn duplicate_finding(duplicate: Duplicate, document: Span) -> Finding {
    let start = document.start.saturating_add(duplicate.start);
    let end = document.start.saturating_add(duplicate.end);
    let span = Span { source: document.source, start, end };
    Finding { span, kind: FindingKind::DuplicateKey, message: duplicate.message }
}

/// One text as one value: what `sigs.k8s.io/yaml` `YAMLToJSON` makes of it. Of several documents only the first
/// counts; a text without any is `null`.
pub fn parse_one(text: &str) -> Result<Value, Error> {
    check_length(text)?;
    Ok(read(text, Reader::Fast)?.value)
}

/// What a strict reader (`YAMLToJSONStrict`) refuses in the first document of a text: each key that its map has
/// already, with the words of the original in its order; the spans carry source 0.
pub fn strict_findings(text: &str) -> Result<Vec<Finding>, Error> {
    check_length(text)?;
    let duplicates = read(text, Reader::Fast)?.duplicates;
    let whole = span_of(SourceId(0), 0, text.len());
    Ok(duplicates.into_iter().map(|duplicate| duplicate_finding(duplicate, whole)).collect())
}

/// The words with which the original's strict reader refuses the first document of a text, if it does.
// Go: go-yaml v2, `TypeError`.
pub fn strict_error(text: &str) -> Result<Option<String>, Error> {
    check_length(text)?;
    let duplicates = read(text, Reader::Fast)?.duplicates;
    if duplicates.is_empty() {
        return Ok(None);
    }
    let lines: Vec<String> =
        duplicates.iter().map(|d| format!("\n  line {}: {}", d.line, d.message)).collect();
    Ok(Some(format!("yaml: unmarshal errors:{}", lines.concat())))
}

/// The first document of a text.
struct Reading {
    value: Value,
    duplicates: Vec<Duplicate>,
    /// The byte behind the document; `None` where it reaches to the end of the text.
    rest: Option<u32>,
}

fn read(text: &str, reader: Reader) -> Result<Reading, Fault> {
    let quick = match reader {
        Reader::Fast => fast::read(text),
        Reader::Full | Reader::Words => None,
    };
    if let Some(value) = quick {
        return Ok(Reading { value, duplicates: Vec::new(), rest: None });
    }
    let tree = compose(text)?;
    let rest = tree.rest;
    let (value, duplicates) = decode(&tree, reader == Reader::Words)?;
    Ok(Reading { value, duplicates, rest })
}

fn check_length(text: &str) -> Result<(), Error> {
    if text.len() > MAX_BYTES {
        return Err(fault::limit(Mark::default(), bytes_text(MAX_BYTES)).into());
    }
    Ok(())
}

fn with_final_newline(body: &str) -> Cow<'_, str> {
    if body.ends_with('\n') {
        return Cow::Borrowed(body);
    }
    let mut text = String::with_capacity(body.len() + 1);
    text.push_str(body);
    text.push('\n');
    Cow::Owned(text)
}

fn span_of(source: SourceId, start: usize, end: usize) -> Span {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Span { source, start: number(start), end: number(end) }
}
