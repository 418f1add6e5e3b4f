//! The recorded runs by two builds of the terminal client, such as that for this machine and that by WebAssembly.
//!
//! In: the other program. Out: a line for each run in which a byte of standard output, of standard error or of a written file differs, or the
//! exit code.

use crate::program::{self, Outcome};
use crate::recorded::Recorded;
use crate::suites::{Answerer, SUITES};
use engine::json::Value;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many runs there are, and what differs.
#[derive(Debug)]
pub struct Held {
    /// Runs of both programs.
    pub runs: usize,
    /// The run and what differs in it.
    pub differences: Vec<String>,
}

/// Runs all recorded runs by the built program and by the other.
pub fn run(other: &Path) -> Result<Held, String> {
    let program = program::find()?;
    // Runs have folders of their own.
    let other = &std::fs::canonicalize(other).map_err(|error| format!("{}: {error}", other.display()))?;
    let recorded = Recorded::all();
    let of_programs = SUITES.iter().filter(|suite| matches!(suite.answerer, Answerer::Program(_)));
    let mut cases = Vec::new();
    for suite in of_programs {
        let home = recorded.home(suite.expected).ok_or_else(|| format!("{} is not there", suite.name))?;
        cases.extend(recorded.rows(suite.expected)?.into_iter().map(|case| (suite.name, home, case)));
    }
    let (next, differences) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((suite, home, case)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let [one, two] = [program.as_path(), other].map(|program| outcome(program, home, case));
                    let found = difference(&one, &two).map(|what| (suite, case.find_str(&["id"]), what));
                    differences.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(found);
                }
            });
        }
    });
    let mut differences = differences.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    differences.sort();
    let shown = differences.into_iter().map(|(suite, id, what)| format!("{suite} {id}: {what}"));
    Ok(Held { runs: cases.len(), differences: shown.collect() })
}

/// What came of a run, without the time that it took.
fn outcome(program: &Path, home: &Path, case: &Value) -> Result<Outcome, String> {
    let (code, out, err, written) = program::outcome(program, home, case)?;
    let err = err.split_inclusive('\n').map(|line| match line.rsplit_once(" in ") {
        Some((tests, _)) if tests.ends_with(" test file") || tests.ends_with(" test files") => tests,
        _ => line,
    });
    Ok((code, program::without_seconds(&out), err.collect(), written))
}

fn difference(one: &Result<Outcome, String>, two: &Result<Outcome, String>) -> Option<String> {
    let (one, two) = match (one, two) {
        (Ok(one), Ok(two)) => (one, two),
        (Err(error), _) | (_, Err(error)) => return Some(error.clone()),
    };
    let lines = |name: &str, one: &str, two: &str| {
        let mut pairs = one.lines().zip(two.lines());
        let at = pairs.find(|(one, two)| one != two).unwrap_or(("an end", "another end"));
        (one != two).then(|| format!("{name}: {:?} is {:?}", at.0, at.1))
    };
    let code = (one.0 != two.0).then(|| format!("exit code {} is {}", one.0, two.0));
    code.or_else(|| lines("standard output", &one.1, &two.1))
        .or_else(|| lines("standard error", &one.2, &two.2))
        .or_else(|| lines("written files", &format!("{:#?}", one.3), &format!("{:#?}", two.3)))
}
