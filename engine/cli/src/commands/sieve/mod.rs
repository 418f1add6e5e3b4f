//! `podsieve sieve`: how wide exemptions are, the ways to let a workload in, and the narrowest of them.
//!
//! In: the arguments. Out: for people or as JSON; the exit code: 0 where nothing is too wide, 1 where something is, 2
//! where the files cannot be used.

mod check;
mod funnel;
mod inputs;
mod narrow;

use crate::args::{Sieve, SieveCommand, SieveFiles, SieveFormat};
use crate::clock;
use crate::commands::inputs::refuse_two_pipes;
use crate::exit::Failure;
use crate::print::paint::Paint;
use crate::report::problems::unread;
use crate::terminal;
use engine::world::StaticWorld;
use engine_lenses::wire::{Range, SieveInput, SieveOutput};

/// What cannot be used.
const BAD_INPUT: u8 = 2;

/// Runs the command.
pub(crate) fn run(sieve: &Sieve) -> Result<u8, Failure> {
    match &sieve.command {
        SieveCommand::Check(arguments) => check::run(arguments),
        SieveCommand::Funnel(arguments) => funnel::run(arguments),
        SieveCommand::Narrow(arguments) => narrow::run(arguments),
    }
}

/// The answer, with what is wrong with the texts on standard error; `None` where they cannot be used, which is then
/// all that a program gets.
fn answer(
    files: &SieveFiles,
    ask: impl FnOnce(SieveInput) -> SieveInput,
) -> Result<Option<SieveOutput>, Failure> {
    refuse_two_pipes(&files.files, &files.resource)?;
    files.by.refuse_release()?;
    let input = match inputs::read(files) {
        Ok(input) => ask(input),
        Err(error) => {
            terminal::say(&format!("error: `{}` cannot be read: {}\n", error.path, error.original));
            let diagnostics = vec![unread(&error).said];
            let output =
                SieveOutput { version: engine_lenses::run::version(), diagnostics, ..SieveOutput::default() };
            describe_unusable(files.format, &output)?;
            return Ok(None);
        }
    };
    let world =
        StaticWorld { extension: Some(engine_celpolicy::WITH_STEPS), ..crate::world::at(clock::now()) };
    let output = engine_lenses::sieve::run(&input, &world);
    let mut is_usable = true;
    for said in &output.diagnostics {
        is_usable &= said.severity != "error";
        // How wide a pattern is is what this command finds out by itself.
        if said.code != "wide-exclusion" {
            let place = line(said.range.as_ref());
            let place = if place.is_empty() { place } else { format!("{place}: ") };
            terminal::say(&format!("{}: {place}{}\n", said.severity, said.message));
        }
    }
    if !is_usable {
        describe_unusable(files.format, &output)?;
        return Ok(None);
    }
    Ok(Some(output))
}

/// Prints why there is no answer, for programs; people read it on standard error.
fn describe_unusable(format: SieveFormat, output: &SieveOutput) -> Result<(), Failure> {
    if format == SieveFormat::Json { print_answer(format, output, &|_| String::new()) } else { Ok(()) }
}

/// Prints the answer.
fn print_answer(
    format: SieveFormat,
    output: &SieveOutput,
    text: &dyn Fn(Paint) -> String,
) -> Result<(), Failure> {
    let answer = match format {
        SieveFormat::Text => text(Paint::out()),
        SieveFormat::Json => {
            serde_json::to_string_pretty(output).map_err(|error| Failure(error.to_string()))? + "\n"
        }
    };
    if matches!(format, SieveFormat::Text) {
        terminal::print(&answer);
    } else {
        terminal::document(&answer);
    }
    Ok(())
}

/// Who refuses something: a rule of a policy, or a policy without rules.
fn refusing(policy: &str, rule: &str) -> String {
    if rule.is_empty() { policy.to_owned() } else { format!("{policy} rule {rule}") }
}

/// `file:line`, or nothing where the place is not known.
fn line(range: Option<&Range>) -> String {
    range.map(|range| format!("{}:{}", range.name, range.line)).unwrap_or_default()
}
