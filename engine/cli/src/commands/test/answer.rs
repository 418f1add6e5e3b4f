//! The tests of folders as an answer for programs.
//!
//! In: paths, and where files are read. Out: counts, the rows that are not as expected, what compared nothing, and what could not run, as JSON.

use super::check::{Outcome, Row};
use super::selector::Selector;
use super::{Broken, Read, Tested, read, run_one};
use crate::args::{EVERY_ENTRY, Test};
use crate::files::Files;
use crate::parallel;
use serde_json::{Value, json};

/// What the tests below these paths come to; the same as `podsieve test` prints.
///
/// # Errors
/// A path cannot be looked at, or there is no test below it.
pub(crate) fn answer(paths: Vec<String>, files: &dyn Files) -> Result<Value, String> {
    let arguments = Test {
        paths,
        file_name: "kyverno-test.yaml".to_owned(),
        selector: EVERY_ENTRY.to_owned(),
        fail_only: true,
        ..Test::default()
    };
    let Read { tests, broken } = read(&arguments, files)?;
    if tests.is_empty() && broken.is_empty() {
        return Err(format!("there is no {} below {}", arguments.file_name, arguments.paths.join(", ")));
    }
    let selector = Selector::parse(&arguments.selector);
    let tested = parallel::map(&tests, |test| run_one(&arguments, &selector, test, files));
    let count = |wanted: &[Outcome]| {
        tested.iter().flat_map(|test| &test.checked.rows).filter(|row| wanted.contains(&row.outcome)).count()
    };
    let not_run = count(&[Outcome::NotYet]);
    let errors: Vec<Value> = broken.iter().map(unread).chain(tested.iter().flat_map(errors)).collect();
    Ok(json!({
        "complete": errors.is_empty() && not_run == 0,
        "files": tests.len() + broken.len(),
        "counts": {"pass": count(&[Outcome::Pass, Outcome::PassAsSkipped, Outcome::Skip]), "fail": count(&[Outcome::Fail]), "notRun": not_run},
        "failures": tested.iter().flat_map(failures).collect::<Vec<_>>(),
        "doubts": tested.iter().flat_map(doubts).collect::<Vec<_>>(),
        "errors": errors,
    }))
}

/// The rows that are not as expected, or that nothing decided.
fn failures(test: &Tested) -> impl Iterator<Item = Value> {
    let is_wrong = |row: &&Row| matches!(row.outcome, Outcome::Fail | Outcome::NotYet);
    test.checked.rows.iter().filter(is_wrong).map(|row| {
        let Row { policy, rule, resource, outcome, reason, message } = row;
        let status = if *outcome == Outcome::Fail { "fail" } else { "notRun" };
        json!({"file": test.path, "policy": policy, "rule": rule, "resource": resource, "status": status, "reason": reason, "message": message})
    })
}

/// Successes that are none: rows that compared nothing.
fn doubts(test: &Tested) -> impl Iterator<Item = Value> {
    let path = &test.path;
    test.checked
        .doubts
        .iter()
        .map(move |doubt| json!({"at": format!("{path}:{}", doubt.line), "message": doubt.text}))
}

/// What is wrong with a test: why it could not run, and what its files hold.
fn errors(test: &Tested) -> impl Iterator<Item = Value> {
    let notes = (test.printed.errors > 0).then(|| test.printed.notes.clone());
    test.error.iter().cloned().chain(notes).map(|message| json!({"at": test.path, "message": message}))
}

fn unread((path, Broken { line, error }): &(String, Broken)) -> Value {
    let at = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
    json!({"at": at, "message": error})
}
