//! The files of a run, read and loaded side by side.
//!
//! In: paths with their roles. Out: a bundle and diagnostics. A large file is cut at its `---` lines and its pieces
//! are read on all cores; places still count from the beginning of the file.

use crate::files::{self, Text, Unreadable};
use crate::parallel;
use engine::Bundle;
use engine::diag::Diagnostic;
use engine::load::{Host, Role, load_parsed};
use engine::yaml::{Finding, Options, Parsed, Source, SourceId, Span};

/// A text with the role it plays.
pub(crate) struct Input {
    pub(crate) role: Role,
    pub(crate) text: Text,
}

/// The texts of these paths in order; those that cannot be read stand beside them.
pub(crate) fn read(role: Role, paths: &[String]) -> (Vec<Input>, Vec<Unreadable>) {
    let mut inputs = Vec::new();
    let mut unreadable = Vec::new();
    for result in parallel::map(paths, |path| files::read(path)) {
        match result {
            Ok(text) => inputs.push(Input { role, text }),
            Err(error) => unreadable.push(error),
        }
    }
    (inputs, unreadable)
}

/// Reads the documents of all texts and loads them.
pub(crate) fn load(inputs: Vec<Input>) -> (Bundle, Vec<Diagnostic>) {
    let sources: Vec<(Role, Source)> = inputs
        .into_iter()
        .enumerate()
        .map(|(at, Input { role, text })| {
            let id = SourceId(u32::try_from(at).unwrap_or(u32::MAX));
            (role, Source { id, name: text.name, text: text.text.into() })
        })
        .collect();
    let pieces: Vec<Piece<'_>> = sources.iter().flat_map(|(_, source)| pieces(source)).collect();
    // Little text is read sooner than a thread begins.
    let bytes: usize = pieces.iter().map(|piece| piece.text.len()).sum();
    let parsed = if bytes < PIECE {
        pieces.iter().map(parse_piece).collect()
    } else {
        parallel::map(&pieces, parse_piece)
    };
    let mut parsed = parsed.into_iter().peekable();
    let mut all = Vec::with_capacity(sources.len());
    for (_, source) in &sources {
        let mut whole = Parsed::default();
        while let Some((_, part)) = parsed.next_if(|(id, _)| *id == source.id) {
            whole.documents.extend(part.documents);
            whole.findings.extend(part.findings);
        }
        all.push(whole);
    }
    drop(pieces);
    let sources = sources.into_iter().zip(all).map(|((role, source), parsed)| (role, source, parsed));
    load_parsed(sources, Host::Cli)
}

/// How many bytes a piece has at least.
const PIECE: usize = 256 * 1024;

/// A stretch of a text that begins and ends with whole documents.
struct Piece<'a> {
    source: SourceId,
    name: &'a str,
    start: usize,
    text: &'a str,
}

/// Cuts a text behind `---` lines.
fn pieces(source: &Source) -> Vec<Piece<'_>> {
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
        Piece { source: source.id, name: &source.name, start, text }
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

fn parse_piece(piece: &Piece<'_>) -> (SourceId, Parsed) {
    // The files are the user's own: only the limits of each document hold.
    let options = Options { max_bytes: u32::MAX as usize, ..Options::default() };
    let source = Source { id: piece.source, name: piece.name.to_owned(), text: piece.text.into() };
    let mut parsed = engine::yaml::parse(&source, &options);
    let offset = u32::try_from(piece.start).unwrap_or(u32::MAX);
    let moved = |span: Span| Span {
        source: span.source,
        start: span.start.saturating_add(offset),
        end: span.end.saturating_add(offset),
    };
    for document in &mut parsed.documents {
        document.span = moved(document.span);
    }
    for Finding { span, .. } in &mut parsed.findings {
        *span = moved(*span);
    }
    (piece.source, parsed)
}

#[cfg(test)]
mod tests;
