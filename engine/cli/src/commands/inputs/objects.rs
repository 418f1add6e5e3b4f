//! The objects of a command that evaluates no policies: `psa`, `psp`, `mesh`.
//!
//! In: paths. Out: a bundle, and what is wrong with the files and their documents, which standard error says too.

use super::{Input, load, read, say_unreadable};
use crate::exit::Failure;
use crate::files::{Opened, opened};
use crate::print::diagnostics;
use crate::report::problems::{Problem, problems};
use engine::Bundle;
use engine::load::Role;
use engine_lenses::run::Positions;
use engine_lenses::wire::Range;

/// The files that are named.
pub(crate) struct Objects {
    pub(crate) bundle: Bundle,
    /// What is wrong with the files and their documents.
    pub(crate) problems: Vec<Problem>,
}

/// Reads the files.
pub(crate) fn read_objects(paths: &[String]) -> Result<Objects, Failure> {
    read_changed(paths, Ok)
}

/// Reads the files, and loads what a change has made of their texts.
pub(crate) fn read_changed(
    paths: &[String],
    change: impl FnOnce(Vec<Input>) -> Result<Vec<Input>, Failure>,
) -> Result<Objects, Failure> {
    let Opened { paths: found, lost: mut unreadable } = opened(paths);
    let (inputs, unread) = read(Role::Opened, &found);
    unreadable.extend(unread);
    say_unreadable(&unreadable);
    let (bundle, said) = load(change(inputs)?);
    diagnostics::print(&bundle, &said);
    let problems = problems(&Positions::new(&bundle), &unreadable, &said);
    Ok(Objects { bundle, problems })
}

/// `file:line`, or nothing where the place is not known.
pub(crate) fn line(range: Option<&Range>) -> String {
    range.map(|range| format!("{}:{}", range.name, range.line)).unwrap_or_default()
}
