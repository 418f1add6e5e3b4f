//! What there is to say about a text: findings with spans, and the error of a single document.
//!
//! In: what the reader met. Out: `Finding { span, kind: DuplicateKey, message: "key \"a\" already set in map" }`.

use crate::Span;
use std::fmt;

/// What kind of trouble a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// Not YAML as Kubernetes reads it: the document is lost.
    Syntax,
    /// YAML that JSON has no value for, such as `.inf` or a list as a key: the document is lost.
    Unsupported,
    /// A limit of ours, or one of the original: the document is lost.
    Limit,
    /// A key that its map has already: the later value stands, and a strict reader refuses the document.
    DuplicateKey,
    /// Text behind a document that the original reads as JSON, where it refuses the text. The document stands, what
    /// is behind it is not read.
    BehindJson,
    /// Text behind the end of a document, which the original passes over. The document stands, what is behind it is
    /// not read.
    Behind,
}

/// One thing to say about a place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The place.
    pub span: Span,
    /// What kind of trouble.
    pub kind: FindingKind,
    /// What is wrong, in the words of the original where it has some, without its line number.
    pub message: String,
}

/// Why one text is not a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The byte at which it shows.
    pub offset: u32,
    /// The line of that byte, from 1.
    pub line: u32,
    /// What kind of trouble.
    pub kind: FindingKind,
    /// What is wrong, in the words of the original where it has some.
    pub message: String,
    /// The whole error text of the original, with the line that it names: `yaml: line 4: did not find expected key`.
    pub original: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}
