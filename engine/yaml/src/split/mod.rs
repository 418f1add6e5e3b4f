//! A text to the pieces that Kubernetes reads one by one.
//!
//! In: a text of any number of documents. Out: the byte ranges between its `---` lines; pieces of blanks and
//! comments alone are dropped. `"a: 1\n---\n# b\n---\nc: 1\n"` has two pieces.
//!
//! Mirrors: apimachinery pkg/util/yaml/decoder.go, `YAMLReader`; kyverno ext/yaml/split.go.

use std::ops::Range;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// One document.
    Document(Range<usize>),
    /// A separator with something behind it: where the line is, and what stands there. The original reads nothing
    /// from here on; we go on at the next separator.
    BadSeparator(Range<usize>, String),
}

/// The pieces of a text.
pub(crate) fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut is_skipping = false;
    for at in separators(text) {
        let line = text.get(at..).unwrap_or("").lines().next().unwrap_or("");
        let behind = line.get(3..).unwrap_or("").trim();
        let is_bad = !behind.is_empty() && !behind.starts_with('#');
        if at > start && !is_skipping {
            push(&mut pieces, text, start..at);
        }
        if is_bad {
            let message = format!("invalid Yaml document separator: {behind}");
            pieces.push(Piece::BadSeparator(at..at + line.len(), message));
        }
        // Go: a separator ends a piece and is left out of it, unless the piece is still empty: then it is the
        // first line of that piece. It makes no difference to the value, but `---` alone is a document.
        start = if at > start || is_bad { after_line(text, at) } else { at };
        is_skipping = is_bad;
    }
    if !is_skipping {
        push(&mut pieces, text, start..text.len());
    }
    pieces
}

fn push(pieces: &mut Vec<Piece>, text: &str, range: Range<usize>) {
    // Go: kyverno ext/yaml/empty.go, `IsEmptyDocument`.
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let piece = text.get(range.clone()).unwrap_or("");
    if !piece.split('\n').all(is_comment) {
        pieces.push(Piece::Document(range));
    }
}

/// Where the lines begin that start with `---`.
fn separators(text: &str) -> impl Iterator<Item = usize> {
    let first = text.starts_with("---").then_some(0);
    first.into_iter().chain(memchr::memmem::find_iter(text.as_bytes(), b"\n---").map(|at| at + 1))
}

fn after_line(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or(&[]);
    memchr::memchr(b'\n', rest).map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests;
