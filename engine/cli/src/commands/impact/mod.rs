//! `podsieve impact`: which objects are decided otherwise once policies change.
//!
//! In: two sets of policies as folders, files or commits, and objects. Out: a row for each object and rule that decides otherwise, collapsed, in the forms
//! that are asked for; the exit code: 0 nothing changes, 2 something does, 1 something could not be read or decided.

mod json;
mod markdown;
mod read;
mod refs;
mod report;
mod run;
mod sarif;
mod text;

use crate::args::{CompareWhich, FailOn, Impact, ImpactFormat};
use crate::clock;
use crate::exit::Failure;
use crate::files;
use crate::print::paint::Paint;
use crate::terminal::{self, one_line};
use engine_impact::{Class, Constructed, Counts, Editor, Sides, constructed};
use report::Report;
use std::time::{Duration, Instant};

/// The longest that one pair of policies is searched.
const EACH: Duration = Duration::from_secs(5);
/// A summary of a job may have so many bytes.
// GitHub: 1 MiB a step, looked up in November 2026.
const SUMMARY: usize = 1_000_000;
/// Rules that cannot be decided are named so often; the others are counted.
const MAX_UNDECIDED: usize = 10;

/// Runs the command.
pub(crate) fn run(arguments: &Impact) -> Result<u8, Failure> {
    let writes = writes(arguments)?;
    let given = read::sides(&arguments.sides)?;
    let mut report = run::run(arguments, given)?;
    look_closer(arguments, &mut report);
    say_undecided(&report);
    let output = match arguments.format {
        ImpactFormat::Text => text::text(&report, Paint::out()),
        ImpactFormat::Markdown => markdown::markdown(&report, arguments.max_characters),
        ImpactFormat::Json => json::json(&report),
        ImpactFormat::Sarif => sarif::sarif(&report, sarif::Baseline::All),
    };
    match arguments.format {
        ImpactFormat::Text => terminal::print(&output),
        _ => terminal::document(&output),
    }
    for (form, path) in writes {
        files::overwrite(path, &form.of(&report, arguments)).map_err(Failure)?;
    }
    Ok(code(arguments, &report))
}

/// A form that is written into a file.
#[derive(Clone, Copy)]
enum Form {
    Markdown,
    Summary,
    Json,
    Sarif,
    SarifNew,
}

/// The names of the forms.
const FORMS: [(&str, Form); 5] = [
    ("markdown", Form::Markdown),
    ("summary", Form::Summary),
    ("json", Form::Json),
    ("sarif", Form::Sarif),
    ("sarif-new", Form::SarifNew),
];

impl Form {
    fn of(self, report: &Report, arguments: &Impact) -> String {
        match self {
            Form::Markdown => markdown::markdown(report, arguments.max_characters),
            Form::Summary => markdown::markdown(report, SUMMARY / 4),
            Form::Json => json::json(report),
            Form::Sarif => sarif::sarif(report, sarif::Baseline::All),
            Form::SarifNew => sarif::sarif(report, sarif::Baseline::New),
        }
    }
}

/// The files that are written, none of which is read.
fn writes(arguments: &Impact) -> Result<Vec<(Form, &str)>, Failure> {
    let form = |write: &'_ String| {
        let (name, path) = write.split_once('=').unwrap_or((write, ""));
        let known = FORMS.iter().find(|(known, _)| *known == name).filter(|_| !path.is_empty());
        let names = || FORMS.map(|(name, _)| format!("{name}=FILE")).join(", ");
        known
            .map(|(_, form)| *form)
            .ok_or_else(|| Failure(format!("--write {write}: write one of {}", names())))
    };
    let mut all = Vec::new();
    for write in &arguments.write {
        let form = form(write)?;
        let (name, path) = write.split_once('=').unwrap_or_default();
        let inputs = arguments.sides.iter().chain(&arguments.resource);
        files::refuse_input(&format!("--write {name}="), path, inputs).map_err(Failure)?;
        all.push((form, path));
    }
    Ok(all)
}

/// What rows that are shown have beside their verdicts, and what no object shows.
fn look_closer(arguments: &Impact, report: &mut Report) {
    let world = engine::world::StaticWorld {
        extension: Some(engine_celpolicy::AS_WRITTEN),
        ..crate::world::at(clock::now())
    };
    let mut editor = Editor::new(&report.sides, &world);
    let mut details = std::mem::take(&mut report.details);
    for at in report.first_rows() {
        let Some(row) = report.rows.get(at).filter(|row| row.change.class == Class::NewlyDenied) else {
            continue;
        };
        details.insert(at, editor.edit(row, || report.again(row)));
    }
    drop(editor);
    report.details = details;
    report.constructed = compared(arguments, &report.sides, report, &world);
}

/// What comparing the policies that changed comes to, of which no object shows a change.
fn compared(
    arguments: &Impact,
    sides: &Sides,
    report: &Report,
    world: &engine::world::StaticWorld,
) -> Vec<Constructed> {
    let begun = Instant::now();
    let all = Duration::from_secs(arguments.max_seconds);
    let is_shown = |at: usize| report.groups.iter().any(|group| group.pair == at && !group.class.is_quiet());
    let mut found = Vec::new();
    for (at, pair) in sides.changed() {
        let is_wanted = match arguments.compare {
            CompareWhich::All => true,
            CompareWhich::Unshown => !is_shown(at),
            CompareWhich::None => false,
        };
        if !is_wanted || begun.elapsed() >= all {
            continue;
        }
        let own = Instant::now();
        let mut goes_on = |_: usize| own.elapsed() < EACH && begun.elapsed() < all;
        found.extend(constructed(at, pair, &[], world, &mut goes_on));
    }
    found
}

/// Names what could not be decided: it is no change, and no pass either.
fn say_undecided(report: &Report) {
    for (undecided, count) in report.undecided.iter().take(MAX_UNDECIDED) {
        let name = report.name(undecided.pair);
        let rule = if undecided.rule.is_empty() { String::new() } else { format!("/{}", undecided.rule) };
        let times = if *count > 1 { format!(" ({count} objects)") } else { String::new() };
        terminal::say(&format!(
            "error: {}{} cannot be decided{times}: {}\n",
            one_line(name),
            one_line(&rule),
            one_line(&undecided.message)
        ));
    }
    let more = report.undecided.len().saturating_sub(MAX_UNDECIDED);
    if more > 0 {
        terminal::say(&format!("error: {more} more cannot be decided\n"));
    }
    if !report.is_complete {
        terminal::say(
            "error: not everything was read and decided, see above: whatever the counts are, this is no answer\n",
        );
    }
}

/// The exit code.
fn code(arguments: &Impact, report: &Report) -> u8 {
    if !report.is_complete {
        return 1;
    }
    let counts: &Counts = &report.counts;
    let is_met = |what: &FailOn| match what {
        FailOn::Changed => counts.changes(),
        FailOn::NewlyDenied => counts.of(Class::NewlyDenied) > 0,
        FailOn::NewlyReported => counts.of(Class::NewlyReported) > 0,
        FailOn::NewlyAllowed => counts.of(Class::NewlyAllowed) > 0,
        FailOn::Constructed => report.constructed.iter().any(|one| one.finding.is_some()),
    };
    let wanted = if arguments.fail_on.is_empty() { &[FailOn::Changed][..] } else { &arguments.fail_on };
    if !arguments.exit_zero && wanted.iter().any(is_met) { 2 } else { 0 }
}
