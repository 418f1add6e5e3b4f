//! The errors of reading, with the line that the original names.
//!
//! In: where something is wrong and what. Out: an [`Error`] whose `original` is `yaml: line 4: did not find expected
//! key`, as go-yaml prints it.

use crate::cursor::Mark;
use crate::{Error, FindingKind};

/// An error in a box: results stay small, and so do the frames of the readers that call themselves.
#[derive(Clone, Debug)]
pub(crate) struct Fault(Box<Error>);

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        *fault.0
    }
}

/// The scanner met something at `at`, in a token that began at `context`.
// Go: decode.go, `(p *parser) fail`: lines count from 1 here, and from 0 for the parser.
pub(crate) fn scanner(context: Mark, at: Mark, message: &str) -> Fault {
    let line = if at.line != 0 { at.line + 1 } else { context.line };
    syntax(at, line, message)
}

/// The parser met a token at `at` that does not belong there; `context` is where its collection began.
pub(crate) fn parser(context: Mark, at: Mark, message: &str) -> Fault {
    let line = if at.line != 0 { at.line } else { context.line };
    syntax(at, line, message)
}

/// An error that the original reports without a line.
pub(crate) fn without_line(at: Mark, message: &str) -> Fault {
    syntax(at, 0, message)
}

/// A limit of ours.
pub(crate) fn limit(at: Mark, message: String) -> Fault {
    let original = format!("yaml: {message}");
    Fault(Box::new(Error {
        offset: offset(at),
        line: at.line + 1,
        kind: FindingKind::Limit,
        message,
        original,
    }))
}

/// An error of the value that a node stands for.
pub(crate) fn value(at: Mark, kind: FindingKind, message: String) -> Fault {
    let original = match kind {
        FindingKind::Syntax | FindingKind::Limit => format!("yaml: {message}"),
        FindingKind::Unsupported
        | FindingKind::DuplicateKey
        | FindingKind::BehindJson
        | FindingKind::Behind => message.clone(),
    };
    Fault(Box::new(Error { offset: offset(at), line: at.line + 1, kind, message, original }))
}

fn syntax(at: Mark, line: u32, message: &str) -> Fault {
    let original =
        if line == 0 { format!("yaml: {message}") } else { format!("yaml: line {line}: {message}") };
    let message = message.to_owned();
    Fault(Box::new(Error {
        offset: offset(at),
        line: at.line + 1,
        kind: FindingKind::Syntax,
        message,
        original,
    }))
}

fn offset(at: Mark) -> u32 {
    u32::try_from(at.byte).unwrap_or(u32::MAX)
}
