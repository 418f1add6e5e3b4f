//! `podsieve test`: the tests of a policy repository.
//!
//! In: folders with `kyverno-test.yaml` files. Out: on standard output what `kyverno test` prints, on standard error
//! what is to be said about it: tests that cannot run, successes that are none, time; the exit code. Tests run on all
//! cores, and their texts come in their order. A test that cannot run does not stop the others, as it stops the
//! original.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/test/command.go.

mod answer;
mod check;
mod cluster;
mod compare;
mod evaluate;
mod expected;
mod file;
mod find;
pub(crate) mod fix;
mod init;
mod mutants;
mod prepare;
mod selector;
mod show;

use crate::args::{EVERY_ENTRY, Test};
use crate::clock;
use crate::commands::inputs::deprecated;
use crate::exit::Failure;
use crate::files::{Anywhere, Files};
use crate::parallel;
use crate::terminal::{self, plural};
pub(crate) use answer::answer;
use check::{Checked, Doubt, Outcome, Row};
use file::{Broken, TestFile};
use prepare::Printed;
use selector::Selector;
use show::Format;
use std::fmt::Write;

/// What one test came to.
struct Tested {
    path: String,
    printed: Printed,
    checked: Checked,
    /// Why it could not run.
    error: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Test) -> Result<u8, Failure> {
    if arguments.is_init {
        return init::run(arguments);
    }
    let begin = clock::now();
    let format = Format::parse(&arguments.output_format)?;
    let selector = Selector::parse(&arguments.selector);
    if !selector.errors.is_empty() {
        let mut lines = String::from("\nFilter errors:\n");
        for error in &selector.errors {
            let _ = writeln!(lines, "  Error: {error}");
        }
        terminal::print(&lines);
    }
    let Read { tests, broken } = read(arguments, &Anywhere).inspect_err(|error| {
        terminal::print(&format!("\nError loading tests: {error}\n"));
    })?;
    if tests.is_empty() && broken.is_empty() {
        terminal::print("\nNo test yamls available\n");
        return match selector.errors.into_iter().next() {
            _ if arguments.require_tests => Err(Failure("no tests found".to_owned())),
            Some(error) => Err(Failure(error)),
            None => Ok(0),
        };
    }
    if !broken.is_empty() {
        let mut lines = String::from("\nTest errors:\n");
        for (path, Broken { line, error }) in &broken {
            let _ = writeln!(lines, "  Path: {path}\n    Error: {error}");
            if let Some(line) = line {
                let _ = writeln!(lines, "    Line: {line}");
            }
        }
        terminal::print(&lines);
    }
    if arguments.mutants.is_wanted {
        return mutants::run(arguments, &selector, &tests, broken.len());
    }
    let tested = parallel::map(&tests, |test| run_one(arguments, &selector, test, &Anywhere));
    let errors = broken.iter().map(|(_, broken)| broken.error.as_str());
    let old = errors
        .chain(tested.iter().filter_map(|test| test.error.as_deref()))
        .filter(|error| fix::is_of_old_form(error))
        .count();
    let outcome = conclude(arguments, format, &tested, broken.len(), clock::now() - begin);
    if old > 0 {
        terminal::say(&format!(
            "hint: {} of a form before Kyverno 1.15: `podsieve fix test {}` shows what each field is today, --save writes it\n",
            plural(old, "test file"),
            arguments.paths.join(" ")
        ));
    }
    outcome
}

/// The test files that were found.
struct Read {
    tests: Vec<TestFile>,
    /// Those that cannot be read as tests, by their paths.
    broken: Vec<(String, Broken)>,
}

fn read(arguments: &Test, files: &dyn Files) -> Result<Read, String> {
    let paths = find::find(&arguments.paths, &arguments.file_name, files)?;
    let texts = parallel::map(&paths, |path| match files.read(path) {
        Ok(text) => file::read(path, &text.text),
        Err(error) => vec![Err(Broken { line: None, error: error.original })],
    });
    let mut found = Read { tests: Vec::new(), broken: Vec::new() };
    for (path, tests) in paths.iter().zip(texts) {
        for test in tests {
            match test {
                Ok(test) => found.tests.push(test),
                Err(error) => found.broken.push((path.clone(), error)),
            }
        }
    }
    Ok(found)
}

/// Runs one test; nothing is printed yet.
fn run_one(arguments: &Test, selector: &Selector, test: &TestFile, files: &dyn Files) -> Tested {
    let mut printed = Printed::default();
    let entries: Vec<_> = test.results.iter().filter_map(|entry| selector.apply(entry)).collect();
    let mut checked = Checked::default();
    let mut error = None;
    if test.is_deprecated {
        let path = &test.path;
        printed.out =
            format!("\nWARNING: test file ({path}) uses a deprecated schema that will be removed in 1.15\n");
        error =
            Some(format!("test file {path} uses a deprecated schema — please migrate to the latest format"));
    } else if test.results.is_empty() {
        let text = "it has no `results`, so nothing is tested".to_owned();
        checked.doubts.push(Doubt { line: 1, text });
    } else if !entries.is_empty() {
        match prepare::prepare(test, arguments, files, &mut printed)
            .and_then(|bundle| evaluate::by_operation(bundle, &test.results))
        {
            Ok(bundles) => {
                let runs = evaluate::evaluate(&bundles);
                printed.out.push_str(&runs.undecided());
                printed.out.push_str("  Checking results ...\n");
                if let Some((_, bundle)) = bundles.first() {
                    let folder = find::folder_of(&test.path);
                    checked = check::check(&entries, &test.json_payloads, bundle, &runs, &folder, files);
                }
                if !arguments.fail_only {
                    let rows: Vec<&Row> = checked.rows.iter().collect();
                    let format = Format::parse(&arguments.output_format).unwrap_or(Format::Table);
                    let shown = show::show(&rows, format, arguments.detailed_results, colours(arguments));
                    printed.out.push_str(&shown);
                }
            }
            Err(problem) => error = Some(format!("failed to run test ({problem})")),
        }
    }
    Tested { path: test.path.clone(), printed, checked, error }
}

fn colours(arguments: &Test) -> bool {
    terminal::colours_out() && !arguments.remove_color && arguments.output_format.is_empty()
}

/// Prints each test; the run ends at the first that may not be of the kinds that it is of.
fn print_each(tested: &[Tested]) -> Result<(), Failure> {
    let mut old_kinds = Vec::new();
    let mut ended = Ok(());
    for test in tested {
        terminal::print(&test.printed.out);
        old_kinds.extend_from_slice(&test.printed.deprecated);
        if let (true, Some(error)) = (test.printed.ends, &test.error) {
            ended = Err(Failure(error.clone()));
            break;
        }
        terminal::say(&notes(test));
    }
    terminal::say(&deprecated::lines(&old_kinds));
    ended
}

/// Prints everything in order; the exit code.
fn conclude(
    arguments: &Test,
    format: Format,
    tested: &[Tested],
    broken: usize,
    nanos: i64,
) -> Result<u8, Failure> {
    print_each(tested)?;
    let rows = || tested.iter().flat_map(|test| &test.checked.rows);
    let count = |wanted: &[Outcome]| rows().filter(|row| wanted.contains(&row.outcome)).count();
    let passed = count(&[Outcome::Pass, Outcome::PassAsSkipped, Outcome::Skip]);
    let (failed, not_yet) = (count(&[Outcome::Fail]), count(&[Outcome::NotYet]));
    if arguments.fail_only {
        terminal::print(&format!("\nTest Summary: {failed} out of {} tests failed\n\n", passed + failed));
    } else {
        terminal::print(&format!("\nTest Summary: {passed} tests passed and {failed} tests failed\n\n"));
    }
    if arguments.fail_only && failed > 0 {
        let failing: Vec<&Row> = rows().filter(|row| row.outcome == Outcome::Fail).collect();
        terminal::print(&if format == Format::Table {
            let table = show::table(&failing, arguments.detailed_results, colours(arguments));
            format!("Aggregated Failed Test Cases : \n{table}")
        } else {
            show::show(&failing, format, arguments.detailed_results, false)
        });
    }
    let doubts: usize = tested.iter().map(|test| test.checked.doubts.len()).sum();
    let unable = broken + tested.iter().filter(|test| test.error.is_some()).count();
    let mut said = String::new();
    if not_yet > 0 {
        let files = tested.iter().filter(|test| has_not_yet(test)).count();
        let _ = writeln!(said, "not supported yet: {not_yet} tests in {}", plural(files, "file"));
    }
    if doubts > 0 && !arguments.strict {
        let _ = writeln!(
            said,
            "{} in doubt: counted as passed, failed under --strict",
            plural(doubts, "success")
        );
    }
    if rows().next().is_none() && unable == 0 && arguments.selector != EVERY_ENTRY {
        let _ = writeln!(said, "warning: no entry matches --test-case-selector {}", arguments.selector);
    }
    let (seconds, files) = (nanos / 1_000_000_000, tested.len() + broken);
    let millis = nanos / 1_000_000 % 1_000;
    let _ = writeln!(said, "{} in {seconds}.{millis:03} s", plural(files, "test file"));
    terminal::say(&said);
    let mut reasons = Vec::new();
    let ran = tested.iter().filter(|test| test.error.is_none());
    let errors: usize = ran.map(|test| test.printed.errors).sum();
    if errors > 0 {
        reasons.push(format!("{} in the files of the tests", plural(errors, "error")));
    }
    if failed > 0 {
        reasons.push(format!("{failed} tests failed"));
    }
    if unable > 0 {
        reasons.push(format!("{} could not run", plural(unable, "test file")));
    }
    if arguments.strict && doubts > 0 {
        reasons.push(format!("{} in doubt", plural(doubts, "success")));
    }
    // What was not evaluated is not a pass.
    if not_yet > 0 {
        reasons.push(format!("{not_yet} tests not supported yet"));
    }
    if reasons.is_empty() { Ok(0) } else { Err(Failure(reasons.join(", "))) }
}

fn has_not_yet(test: &Tested) -> bool {
    test.checked.rows.iter().any(|row| row.outcome == Outcome::NotYet)
}

/// What is to be said about a test.
fn notes(test: &Tested) -> String {
    let mut said = test.printed.notes.clone();
    let path = &test.path;
    for doubt in &test.checked.doubts {
        let _ = writeln!(said, "warning: {path}:{}: {}", doubt.line, doubt.text);
    }
    for difference in &test.checked.differences {
        let _ = writeln!(said, "{path}: {difference}");
    }
    if has_not_yet(test) {
        let mut what: Vec<&str> = test
            .checked
            .rows
            .iter()
            .filter(|row| row.outcome == Outcome::NotYet)
            .map(|row| row.message.as_str())
            .collect();
        let count = what.len();
        what.sort_unstable();
        what.dedup();
        let _ = writeln!(said, "not supported yet: {path}: {}: {}", plural(count, "test"), what.join(", "));
    }
    if let Some(error) = &test.error {
        let _ = writeln!(said, "error: {path}: {error}");
    }
    said
}
