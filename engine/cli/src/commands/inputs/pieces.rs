//! Large texts cut at their `---` lines, so that the pieces can be read side by side, or one after the other.
//!
//! In: a text. Out: stretches of it that begin and end with whole documents; places still count from the beginning
//! of the text.

use engine::Bundle;
use engine::diag::Diagnostic;
use engine::json::{Path, Value};
use engine::load::{Extension, Followed, Role, load_parsed, options_of};
use engine::yaml::{Document, Finding, Options, Parsed, Source, SourceId, Span};

/// How many bytes a piece has at least: about a hundred Pods.
pub(super) const PIECE: usize = 64 * 1024;

/// A stretch of a text that begins and ends with whole documents.
pub(crate) struct Piece<'a> {
    pub(super) source: SourceId,
    role: Role,
    name: &'a str,
    start: usize,
    pub(crate) text: &'a str,
}

/// Cuts a text behind `---` lines.
pub(crate) fn pieces(role: Role, source: &Source) -> Vec<Piece<'_>> {
    let text = &*source.text;
    let mut pieces = Vec::new();
    let mut start = 0;
    while let Some(end) = cut(text, start) {
        pieces.push((start, end));
        start = end;
    }
    if start < text.len() || pieces.is_empty() {
        pieces.push((start, text.len()));
    }
    let piece = |(start, end): (usize, usize)| {
        let text = text.get(start..end).unwrap_or("");
        Piece { source: source.id, role, name: &source.name, start, text }
    };
    pieces.into_iter().map(piece).collect()
}

/// Behind the first bare `---` line that ends a piece of some size; a second `---` after it belongs to the next
/// document, so the cut is made in front of no such line.
fn cut(text: &str, start: usize) -> Option<usize> {
    const SEPARATOR: &str = "\n---\n";
    let mut from = start.checked_add(PIECE)?;
    while from < text.len() && !text.is_char_boundary(from) {
        from += 1;
    }
    let mut rest = text.get(from..)?;
    let mut at = from;
    while let Some(found) = rest.find(SEPARATOR) {
        let end = at + found + SEPARATOR.len();
        rest = text.get(end..)?;
        let is_doubled = text.get(..at + found).is_some_and(|before| before.ends_with("---"));
        if !is_doubled && !rest.starts_with("---") && !rest.is_empty() {
            return Some(end);
        }
        at = end;
    }
    None
}

impl Piece<'_> {
    /// The piece as a text of its own, and what it holds, with places that count from its beginning.
    fn parse(&self) -> (Source, Parsed) {
        // The files are the user's own: only the limits of each document hold.
        let options = Options { max_bytes: u32::MAX as usize, ..options_of(self.role) };
        let source = Source { id: SourceId(0), name: self.name.to_owned(), text: self.text.into() };
        let parsed = engine::yaml::parse(&source, &options);
        (source, parsed)
    }

    /// A place in the piece as a place in the whole text.
    pub(crate) fn moved(&self, span: Span) -> Span {
        let offset = u32::try_from(self.start).unwrap_or(u32::MAX);
        Span {
            source: self.source,
            start: span.start.saturating_add(offset),
            end: span.end.saturating_add(offset),
        }
    }
}

/// The documents of a piece and what is to be said about them.
pub(super) fn parse_piece(piece: &Piece<'_>) -> (SourceId, Parsed) {
    let (_, mut parsed) = piece.parse();
    for Document { source, span, .. } in &mut parsed.documents {
        (*source, *span) = (piece.source, piece.moved(*span));
    }
    for Finding { span, .. } in &mut parsed.findings {
        *span = piece.moved(*span);
    }
    (piece.source, parsed)
}

/// The resources of a piece.
pub(crate) struct Loaded {
    /// Their documents are numbered within the piece.
    pub(crate) bundle: Bundle,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// So deep may lists lie in lists.
const MAX_LISTS: usize = 4;

/// The documents with lists opened: each item is a document of its own, at its place.
pub(crate) fn with_open_lists(source: &Source, mut parsed: Parsed) -> Parsed {
    for _ in 0..MAX_LISTS {
        if !parsed.documents.iter().any(is_list) {
            break;
        }
        parsed.documents =
            parsed.documents.into_iter().flat_map(|document| items(source, document)).collect();
    }
    parsed
}

fn is_list(document: &Document) -> bool {
    document.value.find_str(&["kind"]).ends_with("List")
        && document.value.get("items").is_some_and(|items| items.as_array().is_some())
}

fn items(source: &Source, document: Document) -> Vec<Document> {
    if !is_list(&document) {
        return vec![document];
    }
    let spans = document.spans(&source.text);
    let items = document.value.get("items").and_then(Value::as_array).unwrap_or_default();
    let item = |(at, value): (usize, &Value)| {
        let span = spans.value_span(&Path::root().join("items").join(at)).unwrap_or(document.span);
        Document { source: document.source, span, value: value.clone() }
    };
    items.iter().enumerate().map(item).collect()
}

/// Reads and loads the resources of a piece, for a host.
pub(crate) fn load_piece(
    piece: &Piece<'_>,
    followed: impl Into<Followed>,
    extension: &'static Extension,
) -> Loaded {
    let (source, parsed) = piece.parse();
    let parsed = if piece.role == Role::Opened { with_open_lists(&source, parsed) } else { parsed };
    let (bundle, mut diagnostics) = load_parsed([(piece.role, source, parsed)], followed, extension);
    for diagnostic in &mut diagnostics {
        diagnostic.span = diagnostic.span.map(|span| piece.moved(span));
    }
    Loaded { bundle, diagnostics }
}
