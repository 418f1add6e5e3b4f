//! Which implementation of the Pod Security Standards decides as Kubernetes: `docs/pod-security-table.md`.
//!
//! In: the implementations that can be run, Pods that differ from a hardened one in one thing. Out: for each control, level and version
//! whether the implementation agrees, is wider or is stricter, with the smallest Pod that shows it.

pub mod cases;
mod page;
mod sides;

pub use page::page;

use cases::{Case, cases};
use engine::podsecurity::{CHECKS, Level, PodView, Version, aggregate, evaluate};
use sides::{Side, sides};
use std::collections::BTreeSet;
use std::path::Path;

/// What an implementation makes of a control from one version on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Places of the Pods that it lets in and Kubernetes does not, the smallest first.
    pub(crate) wider: Option<usize>,
    /// Of those that it refuses and Kubernetes does not.
    pub(crate) stricter: Option<usize>,
    /// Whether it has no such version.
    pub(crate) is_unknown: bool,
}

/// A cell: from each version on, an answer.
pub(crate) type Cell = Vec<(u64, Answer)>;

/// All that is known.
pub struct Table {
    /// Pods.
    pub(crate) cases: Vec<Case>,
    /// Implementations.
    pub(crate) sides: Vec<Side>,
    /// Controls in their order.
    pub(crate) controls: Vec<&'static str>,
    /// For each level, control and implementation a cell.
    pub(crate) cells: Vec<(Level, Vec<Vec<Cell>>)>,
}

/// The versions at which a check has another revision.
pub fn boundaries() -> Vec<u64> {
    let all = CHECKS.iter().flat_map(|check| check.revisions.iter().map(|revision| revision.since));
    all.collect::<BTreeSet<u64>>().into_iter().collect()
}

/// Asks every implementation about every Pod; `folder` holds the recorded answers and what lies beside them.
pub fn table(folder: &Path) -> Result<Table, String> {
    let cases = cases();
    let sides = sides(folder)?;
    let mut controls: Vec<&'static str> = Vec::new();
    for check in CHECKS {
        if !controls.contains(&check.section) {
            controls.push(check.section);
        }
    }
    let mut cells = Vec::new();
    for level in [Level::Baseline, Level::Restricted] {
        let asked: Vec<Vec<Option<Vec<bool>>>> =
            sides.iter().map(|side| answers(side, level, &cases)).collect();
        let truth: Vec<Vec<bool>> =
            boundaries().into_iter().map(|minor| truth(level, minor, &cases)).collect();
        let rows = controls.iter().map(|control| {
            let row = asked.iter().map(|answers| cell(control, &cases, &truth, answers));
            row.collect()
        });
        cells.push((level, rows.collect()));
    }
    Ok(Table { cases, sides, controls, cells })
}

fn truth(level: Level, minor: u64, cases: &[Case]) -> Vec<bool> {
    let allowed = |case: &Case| {
        aggregate::is_allowed(&evaluate(level, Version::Minor(minor), &PodView::whole(&case.pod)))
    };
    cases.iter().map(allowed).collect()
}

/// For each boundary which Pods are let in; one answer serves all versions where an implementation knows none.
fn answers(side: &Side, level: Level, cases: &[Case]) -> Vec<Option<Vec<bool>>> {
    let once = (!side.knows_versions).then(|| side.ask(level, 0, cases));
    boundaries()
        .into_iter()
        .map(|minor| match &once {
            Some(answer) if side.until.is_none_or(|until| minor <= until) => answer.clone(),
            Some(_) => None,
            None => side.ask(level, minor, cases),
        })
        .collect()
}

/// What an implementation makes of a control, version by version.
fn cell(control: &str, cases: &[Case], truth: &[Vec<bool>], answers: &[Option<Vec<bool>>]) -> Cell {
    let mut cell: Cell = Vec::new();
    for ((minor, truth), answers) in boundaries().into_iter().zip(truth).zip(answers) {
        let mut answer = Answer { is_unknown: answers.is_none(), ..Answer::default() };
        for at in cases.iter().enumerate().filter(|(_, case)| case.control == control).map(|(at, _)| at) {
            let (Some(wanted), Some(found)) = (truth.get(at), answers.as_ref().and_then(|all| all.get(at)))
            else {
                continue;
            };
            match (*wanted, *found) {
                (false, true) => {
                    answer.wider.get_or_insert(at);
                }
                (true, false) => {
                    answer.stricter.get_or_insert(at);
                }
                _ => {}
            }
        }
        if cell.last().is_none_or(|(_, last)| *last != answer) {
            cell.push((minor, answer));
        }
    }
    cell
}
