//! `podsieve compare`: whether two policies decide the same.
//!
//! In: two files, two folders, or a list of pairs. Out: for each pair its grade, with the smallest requests that show a difference;
//! the exit code: 1 where a pair is different, 2 where none is and one cannot be compared.

mod json;
mod pairs;
mod text;

use crate::args::{Compare, CompareOperation, Format};
use crate::clock;
use crate::exit::Failure;
use crate::files;
use crate::parallel;
use crate::print::paint::Paint;
use crate::report::sarif::{Finding as Found, Scan, document, rule};
use crate::terminal::{self, Progress};
use engine::wire::Text;
use engine::world::StaticWorld;
use engine_compare::{Actions, Comparison, Criterion, Grade, Operation, Options, compare, test_folder};
use pairs::{Pair, Side};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Something is not compared.
const NOT_COMPARED: u8 = 2;

/// A pair and its answer.
struct Answered {
    pair: Pair,
    answer: Comparison,
}

/// Runs the command.
pub(crate) fn run(arguments: &Compare) -> Result<u8, Failure> {
    let pairs = pairs::read(arguments)?;
    let resources = resources(&arguments.resource)?;
    let options = options(arguments, resources);
    let progress = Progress::new(pairs.len().saturating_mul(options.max_requests), "requests at most");
    let limit = Duration::from_secs(arguments.max_seconds);
    let answers = parallel::map(&pairs, |pair| answer(pair, &options, limit, &progress));
    progress.clear();
    let answered: Vec<Answered> =
        pairs.into_iter().zip(answers).map(|(pair, answer)| Answered { pair, answer }).collect();
    match arguments.format {
        Format::Text => terminal::print(&text::text(&answered, Paint::out())),
        Format::Json => terminal::document(&json::json(&answered)),
        Format::Sarif => terminal::document(&document(&[], scan(&answered))),
    }
    if let Some(folder) = &arguments.write_test {
        write_tests(folder, &answered)?;
    }
    let has = |grade: Grade| answered.iter().any(|answered| answered.answer.grade == grade);
    Ok(match (has(Grade::Different), has(Grade::NotCompared)) {
        (true, _) => 1,
        (false, true) => NOT_COMPARED,
        (false, false) => 0,
    })
}

fn resources(paths: &[String]) -> Result<Vec<Text>, Failure> {
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(Failure(lost.original.clone()));
    }
    opened.paths.iter().map(|path| read(path)).collect()
}

fn read(path: &str) -> Result<Text, Failure> {
    let text = files::read(path).map_err(|unreadable| Failure(unreadable.original))?;
    Ok(Text { name: text.name, text: text.text })
}

fn options(arguments: &Compare, resources: Vec<Text>) -> Options {
    let operation = |operation: &CompareOperation| match operation {
        CompareOperation::Create => Operation::Create,
        CompareOperation::Update => Operation::Update,
        CompareOperation::Delete => Operation::Delete,
    };
    Options {
        criterion: if arguments.rules { Criterion::Rules } else { Criterion::Decision },
        actions: if arguments.enforced { Actions::Enforced } else { Actions::AsWritten },
        max_requests: arguments.max_requests,
        operations: arguments.operations.iter().map(operation).collect(),
        resources,
        mutants: arguments.mutants,
        seed: arguments.seed,
        ..Options::default()
    }
}

fn answer(pair: &Pair, options: &Options, limit: Duration, progress: &Progress) -> Comparison {
    let (old, new) = match (&pair.old.texts, &pair.new.texts) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            let mut answer = Comparison::of(Grade::NotCompared);
            for (side, texts) in [("old", old), ("new", new)] {
                if let Err(why) = texts {
                    let text = why.clone();
                    answer.reasons.push(engine_compare::Reason { side, text, range: None });
                }
            }
            progress.advance(options.max_requests);
            return answer;
        }
    };
    let world =
        StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..crate::world::at(clock::now()) };
    let begun = Instant::now();
    let shown = AtomicUsize::new(0);
    let mut goes_on = |tried: usize| {
        progress.advance(tried.saturating_sub(shown.swap(tried, Ordering::Relaxed)));
        begun.elapsed() < limit
    };
    let answer = compare(old, new, options, &world, &mut goes_on);
    progress.advance(options.max_requests.saturating_sub(shown.load(Ordering::Relaxed)));
    answer
}

fn scan(answered: &[Answered]) -> Scan {
    let mut findings = Vec::new();
    for Answered { pair, answer } in answered {
        let about = format!("{} against {}", pair.new.name, pair.old.name);
        for finding in &answer.findings {
            let verdict = finding.verdicts.iter().flatten().rev().find_map(|verdict| verdict.range.clone());
            let text = format!("{about}: {}", text::headline(finding));
            findings.push(Found { rule: DIFFERENT.to_owned(), level: "error", text, range: verdict });
        }
        for reason in &answer.reasons {
            let text = format!("{about}: not compared: {}", reason.text);
            findings.push(Found {
                rule: NOT.to_owned(),
                level: "warning",
                text,
                range: reason.range.clone(),
            });
        }
    }
    (
        vec![
            rule(DIFFERENT, "Policies that decide differently"),
            rule(NOT, "Policies that are not compared"),
        ],
        findings,
    )
}

const DIFFERENT: &str = "policies-differ";
const NOT: &str = "policies-not-compared";

/// A folder for each pair that differs: its test passes with the old policies.
fn write_tests(folder: &str, answered: &[Answered]) -> Result<(), Failure> {
    for (at, Answered { pair, answer }) in answered.iter().enumerate() {
        let Side { texts: Ok(old), .. } = &pair.old else { continue };
        let tests =
            answer.findings.iter().filter_map(|finding| test_folder(old, &finding.request, clock::now()));
        for (number, test) in tests.enumerate() {
            let name = if answered.len() == 1 { folder.to_owned() } else { format!("{folder}/{at:03}") };
            let name = if number == 0 { name } else { format!("{name}-{number}") };
            for file in &test.files {
                let path = files::create(&name, &file.name, &file.text)?;
                terminal::say(&format!("written: {path}\n"));
            }
        }
    }
    Ok(())
}
