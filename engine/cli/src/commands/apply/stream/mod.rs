//! `apply --open-lists`: resources read, evaluated and forgotten one after the other, however many there are.
//!
//! In: policies that look at nothing but the resource they evaluate, and streams. Out: what [`super`] prints, as it is decided, and the
//! exit code. Policies that look at other objects need all of them at once: then [`collect`] reads the streams as texts.

use super::evaluate::{options, seeded};
use super::{MAX_NOTES, NOT_COMPLETE, is_text};
use crate::args::{Apply, ReportFormat};
use crate::clock;
use crate::commands::inputs::Input;
use crate::commands::running::{Batch, Batches, Live};
use crate::exit;
use crate::files::{Unreadable, streams};
use crate::parallel;
use crate::print::text;
use crate::report::ndjson;
use crate::report::problems::{Problem, is_complete};
use crate::terminal::{self, one_line};
use engine::Bundle;
use engine::apply::{Directory, Driver};
use engine::load::Host;
use engine::world::World;
use engine_lenses::report::Counts;
use std::collections::HashSet;

mod collect;
mod judge;

pub(super) use collect::collect;

use judge::{Judge, Judged, Part};

/// Whether the answer can be given while the streams are read.
pub(super) fn is_possible(arguments: &Apply) -> bool {
    let Apply { table, explain, drift, check_resources, exceptions_within_resources, .. } = arguments;
    let is_line = arguments.report_format == Some(ReportFormat::Ndjson) || is_text(arguments);
    let needs_all = *table || *explain || *drift || *check_resources || *exceptions_within_resources;
    let is_given = arguments.asked.is_given() || arguments.mesh.is_some() || arguments.output.is_some();
    is_line
        && !needs_all
        && !is_given
        && arguments.by.host() == Host::Cli
        && arguments.old_resource.is_empty()
}

/// What the run has come to so far.
#[derive(Default)]
struct Total {
    counts: Counts,
    objects: usize,
    repeated: usize,
    assumed: usize,
    errors: usize,
    notes: usize,
    /// What was evaluated already, of objects with a uid: 8 bytes each.
    seen: HashSet<u64>,
}

/// Evaluates the streams, beside what is wrong with everything else.
pub(super) fn run(arguments: &Apply, bundle: &Bundle, problems: &[Problem]) -> u8 {
    let (streams, lost) = streams(&arguments.resource);
    let lost: Vec<(String, String)> =
        lost.into_iter().map(|Unreadable { path, original }| (path, original)).collect();
    let names: Vec<&str> = streams.iter().map(|stream| stream.name.as_str()).collect();
    let given = Given { names: &names, lost: &lost, ask: None };
    evaluate(arguments, bundle, problems, &given, Batches::new(&streams))
}

/// What is evaluated, beside the batches themselves.
pub(super) struct Given<'a> {
    /// The names of the streams.
    pub(super) names: &'a [&'a str],
    /// What cannot be read, and why.
    pub(super) lost: &'a [(String, String)],
    /// The cluster that answers what rules ask, where there is one: objects are known by their uid alone.
    pub(super) ask: Option<&'a Live>,
}

/// Evaluates batches, beside what is wrong with everything else.
pub(super) fn evaluate(
    arguments: &Apply,
    bundle: &Bundle,
    problems: &[Problem],
    given: &Given<'_>,
    batches: impl Iterator<Item = Batch>,
) -> u8 {
    let is_lines = arguments.report_format == Some(ReportFormat::Ndjson);
    let lines = ndjson::Lines::new(bundle, &arguments.cluster_name, !arguments.failures_only);
    if is_lines {
        terminal::document(&(ndjson::Lines::of_policies(bundle) + &lines.all(bundle, &[], problems)));
    } else {
        terminal::print(&text::header_of_stream(bundle));
    }
    let mut total = Total::default();
    for _ in &bundle.refused {
        total.counts.count(engine::apply::Status::Error);
    }
    for (path, why) in given.lost {
        total.fault(is_lines, path, None, why);
    }
    let (now, directory) = (clock::now(), Directory::of(bundle));
    let keys = std::hash::RandomState::new();
    let worker = |number: usize, batches: parallel::Take<'_, Batch>, put: &dyn Fn(Part)| {
        let (world, options) = (seeded(now, number), options(arguments));
        let live = given.ask.map(|live| live.world(&world));
        let world: &dyn World = live.as_ref().map_or(&world, |live| live);
        let driver = Driver::new(bundle, &directory, world, &options);
        let (names, by_uid) = (given.names, live.is_some());
        let judge = Judge { arguments, bundle, names, lines: &lines, driver: &driver, by_uid, keys: &keys };
        batches.for_each(|batch| put(judge.batch(batch)));
    };
    parallel::in_order(batches, worker, |part| total.take(&part, is_lines));
    if !is_lines {
        terminal::print(&text::refused(bundle));
        terminal::print(&text::summary(&total.counts));
    }
    let is_whole = is_complete(problems) && total.errors == 0;
    let (end, code) = exit::of_counts(&total.counts, arguments.warn_exit_code, arguments.warn_no_pass);
    if is_lines {
        terminal::document(&lines.end(&total.counts, total.objects, is_whole));
    }
    terminal::say(&end);
    total.end(arguments, bundle, is_whole, code)
}

impl Total {
    /// Prints what was decided of a part, and adds it up.
    fn take(&mut self, part: &Part, is_lines: bool) {
        for fault in &part.faults {
            self.fault(is_lines, &fault.name, Some(fault.line), &fault.message);
        }
        let mut out = String::new();
        for judged in &part.judged {
            let Judged { key, counts, assumed, range, notes } = judged;
            if key.is_some_and(|key| !self.seen.insert(key)) {
                self.repeated += 1;
                continue;
            }
            self.objects += 1;
            self.counts.merge(*counts);
            self.assumed += assumed;
            out.push_str(part.text.get(range.clone()).unwrap_or_default());
            for note in notes {
                self.note(note);
            }
        }
        if is_lines { terminal::document(&out) } else { terminal::print(&out) }
    }

    fn note(&mut self, note: &str) {
        self.notes += 1;
        if self.notes <= MAX_NOTES {
            terminal::say(note);
        }
    }

    /// Something that is not evaluated.
    fn fault(&mut self, is_lines: bool, name: &str, line: Option<usize>, message: &str) {
        self.errors += 1;
        if is_lines {
            terminal::document(&ndjson::error(name, line, message));
        }
        if self.errors <= MAX_NOTES {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            let said = one_line(&format!("error: {name}{line}: {message}")).into_owned();
            terminal::say(&format!("{said}\n"));
        }
    }

    /// The last words, and the exit code.
    fn end(&self, arguments: &Apply, bundle: &Bundle, is_whole: bool, code: u8) -> u8 {
        let Total { repeated, assumed, errors, notes, objects, .. } = self;
        for (count, what) in [(errors, "errors"), (notes, "notes")] {
            if let Some(more) = count.checked_sub(MAX_NOTES).filter(|more| *more > 0) {
                terminal::say(&format!("… and {more} more {what} like these\n"));
            }
        }
        if *repeated > 0 {
            let is_are = if *repeated == 1 { "object is" } else { "objects are" };
            terminal::say(&format!(
                "note: {repeated} {is_are} given more than once with one uid and text, and evaluated once\n"
            ));
        }
        super::warn_of_nothing(bundle, *objects);
        let is_doubtful = arguments.strict && *assumed > 0;
        if is_doubtful {
            terminal::say(&super::doubt(*assumed));
        }
        if !is_whole {
            terminal::say(NOT_COMPLETE);
        }
        if code == 0 && (!is_whole || is_doubtful) { 1 } else { code }
    }
}
