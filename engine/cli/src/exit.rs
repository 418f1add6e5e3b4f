//! Exit codes: 0 when all is well, 1 for failures and errors, or the code that `--warn-exit-code` names.
//!
//! In: what a command came to. Out: an [`ExitCode`]; an error is one line on standard error, `Error: …`.

use crate::{args, terminal, timeout};
use clap::error::ErrorKind;
use engine_lenses::report::Counts;
use std::ffi::OsString;
use std::process::ExitCode;

/// A command that could not do its work, in one line.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Failure(text)
    }
}

/// The exit code of a command. An answer that could not be written is none, whatever it says.
pub(crate) fn of(outcome: Result<u8, Failure>) -> ExitCode {
    if let Some(code) = timeout::over() {
        return ExitCode::from(code);
    }
    let code = outcome.unwrap_or_else(|Failure(text)| {
        terminal::say(&format!("Error: {text}\n"));
        1
    });
    match terminal::unwritten() {
        None => ExitCode::from(code),
        Some(why) => {
            terminal::say(&format!("Error: standard output cannot be written: {why}\n"));
            ExitCode::from(1)
        }
    }
}

/// The exit code of a run that has no answer: an argument is wrong, or the time is over.
// Kyverno: every wrong argument exits with 1. `compare` is not one of Kyverno's commands, and its 1 says that policies differ.
pub(crate) fn without_answer(is_compare: bool) -> u8 {
    if is_compare { 2 } else { 1 }
}

/// The exit code of an argument that parses and has no meaning, after saying so.
pub(crate) fn of_argument(Failure(text): Failure, is_compare: bool) -> ExitCode {
    terminal::say(&format!("Error: {text}\n"));
    ExitCode::from(without_answer(is_compare))
}

/// The exit code of arguments that do not parse, after saying so; asking for help is not an error.
// A group of commands without one, such as a bare `jp`, prints its help.
pub(crate) fn of_usage(error: &clap::Error, arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let is_bare_group = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && !is_bare_group {
        terminal::say(&error.render().to_string());
        terminal::say(&args::hint(error, &args::command()));
        return ExitCode::from(without_answer(args::is_compare(arguments)));
    }
    terminal::print(&error.render().to_string());
    of(Ok(0))
}

/// What `apply` prints at its very end, and its exit code.
// Kyverno: commands/apply/command.go, exit. A warning exit code of 0 counts as none.
pub(crate) fn of_counts(counts: &Counts, warn_exit_code: i64, warn_no_pass: bool) -> (String, u8) {
    // Go: os.Exit keeps the low eight bits.
    let code = warn_exit_code.rem_euclid(256).try_into().unwrap_or(1);
    if counts.fail > 0 || counts.error > 0 {
        return (String::new(), 1);
    }
    if counts.warn > 0 && warn_exit_code != 0 {
        return (format!("exit as warnExitCode is {warn_exit_code}"), code);
    }
    if counts.pass == 0 && warn_no_pass {
        return ("exit as no objects satisfied policy\n".to_owned(), code);
    }
    (String::new(), 0)
}
