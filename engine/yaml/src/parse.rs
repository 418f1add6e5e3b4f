//! Reading a whole text: all documents and all there is to say about it; or one document as one value.
//!
//! In: a [`Source`]. Out: its documents with their values, and findings; a document that cannot be read yields a
//! finding, and the next one is read.

use crate::compose::compose;
use crate::cursor::Mark;
use crate::decode::{Duplicate, decode};
use crate::fault::{self, Fault};
use crate::limits::{MAX_BYTES, bytes_text};
use crate::split::{Piece, split};
use crate::{Error, Finding, FindingKind, Source, SourceId, Span, Spans, fast};
use engine_json::Value;
use std::borrow::Cow;

/// Which of the two readers reads; their answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// The quick one for plain block YAML, and the full one for whatever it does not know.
    #[default]
    Fast,
    /// The full one alone.
    Full,
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
        Ok((value, duplicates)) => {
            let findings = duplicates.into_iter().map(|duplicate| duplicate_finding(duplicate, span));
            parsed.findings.extend(findings);
            parsed.documents.push(Document { source: span.source, span, value });
        }
        Err(fault) => {
            let error = Error::from(fault);
            let start = span.start.saturating_add(error.offset).min(span.end);
            let rest = body.get(error.offset as usize..).unwrap_or("");
            let length = rest.lines().next().map_or(0, str::len);
            let end = start.saturating_add(u32::try_from(length).unwrap_or(0)).min(span.end);
            let span = Span { source: span.source, start, end };
            parsed.findings.push(Finding { span, kind: error.kind, message: error.message });
        }
    }
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
    Ok(read(text, Reader::Fast)?.0)
}

/// What a strict reader (`YAMLToJSONStrict`) refuses in the first document of a text: each key that its map has
/// already, with the words of the original in its order; the spans carry source 0.
pub fn strict_findings(text: &str) -> Result<Vec<Finding>, Error> {
    check_length(text)?;
    let (_, duplicates) = read(text, Reader::Fast)?;
    let whole = span_of(SourceId(0), 0, text.len());
    Ok(duplicates.into_iter().map(|duplicate| duplicate_finding(duplicate, whole)).collect())
}

/// The words with which the original's strict reader refuses the first document of a text, if it does.
// Go: go-yaml v2, `TypeError`.
pub fn strict_error(text: &str) -> Result<Option<String>, Error> {
    check_length(text)?;
    let (_, duplicates) = read(text, Reader::Fast)?;
    if duplicates.is_empty() {
        return Ok(None);
    }
    let lines: Vec<String> =
        duplicates.iter().map(|d| format!("\n  line {}: {}", d.line, d.message)).collect();
    Ok(Some(format!("yaml: unmarshal errors:{}", lines.concat())))
}

fn read(text: &str, reader: Reader) -> Result<(Value, Vec<Duplicate>), Fault> {
    let quick = match reader {
        Reader::Fast => fast::read(text),
        Reader::Full => None,
    };
    if let Some(value) = quick {
        return Ok((value, Vec::new()));
    }
    let tree = compose(text)?;
    decode(&tree)
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
