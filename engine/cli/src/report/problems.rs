//! What is wrong with the files of a run, for the formats that programs read.
//!
//! In: diagnostics, and paths that cannot be read. Out: one list, with the place of each: what a person is said on standard
//! error stands in every document too, or a scan of nothing would look clean.

use crate::files::Unreadable;
use engine::diag::Diagnostic;
use engine_lenses::run::{self, Positions};
use engine_lenses::wire::{self, Range};

/// The code of a file that cannot be read.
const UNREADABLE: &str = "unreadable";

/// One thing to say.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) said: wire::Diagnostic,
    /// The file that cannot be read, in which there is no place.
    pub(crate) file: Option<String>,
}

impl Problem {
    /// Whether something could not be read or decided.
    pub(crate) fn is_error(&self) -> bool {
        self.said.severity == "error"
    }

    /// Where it is: of a file that cannot be read its first line, as code scanning shows nothing that has no place.
    pub(crate) fn place(&self) -> Option<Range> {
        let first = |name: &String| Range {
            name: name.as_str().into(),
            line: 1,
            column: 1,
            end_line: 1,
            ..Range::default()
        };
        self.said.range.clone().or_else(|| self.file.as_ref().map(first))
    }
}

/// A file that cannot be read.
pub(crate) fn unread(Unreadable { path, original }: &Unreadable) -> Problem {
    let said = wire::Diagnostic {
        code: UNREADABLE.to_owned(),
        severity: "error".to_owned(),
        message: format!("`{path}` cannot be read: {original}"),
        ..wire::Diagnostic::default()
    };
    Problem { said, file: Some(path.clone()) }
}

/// All of it: first the files that cannot be read.
pub(crate) fn problems(
    positions: &Positions<'_>,
    unreadable: &[Unreadable],
    found: &[Diagnostic],
) -> Vec<Problem> {
    let said = |said: &Diagnostic| Problem { said: run::diagnostic(said.clone(), positions), file: None };
    unreadable.iter().map(unread).chain(found.iter().map(said)).collect()
}

/// Whether every file and every document could be read.
pub(crate) fn is_complete(problems: &[Problem]) -> bool {
    !problems.iter().any(Problem::is_error)
}

/// The diagnostics of an answer, as the npm module gives them.
pub(crate) fn described(problems: &[Problem]) -> Vec<wire::Diagnostic> {
    problems.iter().map(|problem| problem.said.clone()).collect()
}
