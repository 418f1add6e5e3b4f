//! Resources evaluated on all cores, and what is kept of it.
//!
//! In: a bundle with the resources, or with their texts. Out: counts, texts, and for reports the responses. Texts are
//! read, evaluated and forgotten piece by piece, so that memory holds them and little more. Both ways say the same.

use super::drifts::Drifts;
use super::in_cluster::Differences;
use super::is_text;
use super::room::Room;
use crate::args::{Apply, ReportFormat};
use crate::clock;
use crate::commands::inputs::{self, Loaded};
use crate::parallel;
use crate::print::repeated::{Finished, Repeated};
use crate::print::text;
use crate::report::streamed::{Part, Streamed};
use crate::report::withheld;
use crate::terminal::Progress;
use engine::Bundle;
use engine::apply::{
    self, Directory, Driver, Locations, Options, PolicyResult, Recording, RuleResult, Status, evaluated_text,
};
use engine::diag::Diagnostic;
use engine::json::Path;
use engine::load::{Host, place};
use engine::resource::{DocumentId, Resource};
use engine::world::StaticWorld;
use engine::yaml::Span;
use engine_lenses::report::{Context, Counts, Response};
use std::ops::Range;

/// What evaluating all resources came to.
#[derive(Default)]
pub(super) struct Run<'a> {
    /// How many resources there are.
    pub(super) resources: usize,
    /// How many requests, which the header does not count.
    pub(super) requests: usize,
    /// What is to be said about their texts.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) counts: Counts,
    /// What is said while it happens: mutated and generated objects.
    pub(super) during: Vec<String>,
    /// What is said at the end: failures.
    pub(super) after: Vec<Finished>,
    /// How many rules passed or were skipped by an answer that was assumed.
    pub(super) assumed: usize,
    /// How many texts about objects are left out, for there is no room.
    pub(super) lost: usize,
    /// What the verdicts alone do not say.
    pub(super) notes: Vec<String>,
    /// Where a cluster would decide otherwise.
    pub(super) differences: Differences,
    /// What policies change in each object, where that is asked for.
    pub(super) drifts: Drifts,
    /// Names and documents for `--output`.
    pub(super) writes: Vec<(String, String)>,
    /// The report of `--policy-report`, where that is asked for.
    pub(super) report: Vec<Part>,
    /// The responses, where a table, another report or an explanation is made of them.
    pub(super) responses: Vec<Response<'a>>,
}

impl<'a> Run<'a> {
    fn of(bundle: &Bundle, parts: Vec<Run<'a>>) -> Self {
        let mut run = Run::default();
        for part in parts {
            run.resources += part.resources;
            run.requests += part.requests;
            run.diagnostics.extend(part.diagnostics);
            run.counts.merge(part.counts);
            run.during.extend(part.during);
            run.after.extend(part.after);
            run.lost += part.lost;
            run.assumed += part.assumed;
            run.notes.extend(part.notes);
            run.differences.extend(part.differences);
            run.drifts.extend(part.drifts);
            run.writes.extend(part.writes);
            run.report.extend(part.report);
            run.responses.extend(part.responses);
        }
        for _ in &bundle.refused {
            run.counts.count(engine::apply::Status::Error);
        }
        run
    }
}

/// Whether something is made of the responses when all is evaluated.
pub(super) fn keeps_responses(arguments: &Apply) -> bool {
    let needs = arguments.table || arguments.explain || arguments.mesh.is_some();
    needs || !(is_text(arguments) || streams(arguments))
}

/// Whether the report is written while resources are evaluated.
pub(super) fn streams(arguments: &Apply) -> bool {
    match arguments.report_format {
        None => arguments.policy_report,
        Some(format) => format == ReportFormat::Openreports,
    }
}

/// The report so far, where one is written.
struct Writing<'a> {
    context: Context<'a>,
    report: Streamed,
}

impl<'a> Writing<'a> {
    fn new(arguments: &Apply, bundle: &'a Bundle, now: i64) -> Option<Self> {
        let context =
            Context { bundle, seconds: now / 1_000_000_000, is_json: arguments.output_format == "json" };
        streams(arguments).then(|| Writing { context, report: Streamed::default() })
    }

    fn add(&mut self, response: &Response<'_>) {
        self.report.add(&self.context, response);
    }
}

/// How many resources one thread takes at once.
const AT_ONCE: usize = 128;

/// Evaluates the resources that were read into the bundle.
pub(super) fn together<'a>(arguments: &Apply, bundle: &'a Bundle) -> Run<'a> {
    let total = bundle.resources.len();
    let progress = Progress::new(total, "resources");
    let ranges: Vec<Range<usize>> =
        (0..total).step_by(AT_ONCE).map(|start| start..(start + AT_ONCE).min(total)).collect();
    let now = clock::now();
    let directory = Directory::of(bundle);
    let share = PartOfRun { now, parts: ranges.len() };
    let parts = parallel::map_by_worker(&ranges, |mine, done| {
        let (world, options) = (seeded(now, mine.worker), options(arguments));
        let driver = Driver::new(bundle, &directory, &world, &options);
        for (at, range) in mine {
            let evaluated = bundle.resources.get(range.clone()).unwrap_or_default();
            let place = |document, path: &Path| Some(place(&bundle.spans(document)?, path));
            done.push((at, evaluate_some(arguments, bundle, evaluated, &place, &directory, &driver, share)));
            progress.advance(range.len());
        }
    });
    progress.clear();
    let mut run = Run::of(bundle, parts);
    clean_up(arguments, bundle, now, &mut run);
    run
}

/// Why rules ended in an error.
// The original counts them and says no more.
fn note_errors(notes: &mut Vec<String>, response: &Response<'_>) {
    let free = super::MAX_NOTES.saturating_sub(notes.len());
    let errors = text::errors(response).enumerate();
    notes.extend(errors.map(|(at, error)| if at < free { error() } else { String::new() }));
}

/// What policies of images, those that delete and cleanup policies say, after everything else.
fn clean_up<'a>(arguments: &Apply, bundle: &'a Bundle, now: i64, run: &mut Run<'a>) {
    let trace = if arguments.explain { Recording::On } else { Recording::Off };
    let options = Options { host: arguments.by.host(), trace, places: Locations::Omit };
    let mut after = Repeated::default();
    let mut writing = Writing::new(arguments, bundle, now);
    apply::cleanup(bundle, &crate::world::at(now), &options, |result| {
        let response = Response::new(bundle, &bundle.resources, result, arguments.audit_warn);
        let Some(response) = response else { return };
        run.counts.add(&response);
        if is_text(arguments) && !arguments.table {
            text::failures(&mut after, &response);
            note_errors(&mut run.notes, &response);
        }
        if let Some(writing) = &mut writing {
            writing.add(&response);
        }
        run.responses.push(response);
    });
    run.after.push(after.finish());
    run.report.extend(writing.map(|writing| writing.report.finish()));
}

/// Reads, evaluates and forgets the resources piece by piece; their texts are in the bundle.
pub(super) fn apart<'a>(arguments: &Apply, bundle: &'a Bundle) -> Run<'a> {
    let pieces = inputs::resource_pieces(bundle);
    let kilobytes = |text: &str| text.len() / 1024;
    let progress = Progress::new(pieces.iter().map(|piece| kilobytes(piece.text)).sum(), "kB");
    let now = clock::now();
    let directory = Directory::of(bundle);
    let share = PartOfRun { now, parts: pieces.len() };
    let parts = parallel::map_by_worker(&pieces, |mine, done| {
        let (world, options) = (seeded(now, mine.worker), options(arguments));
        let driver = Driver::new(bundle, &directory, &world, &options);
        for (at, piece) in mine {
            let Loaded { bundle: of_piece, mut diagnostics } =
                inputs::load_piece(piece, Host::Cli, engine_celpolicy::WITH_STEPS);
            let place = |document, path: &Path| Some(piece.moved(place(&of_piece.spans(document)?, path)));
            let part =
                evaluate_some(arguments, bundle, &of_piece.resources, &place, &directory, &driver, share);
            // The responses, of which there are none, speak of resources that go here; the rest stays.
            let Run {
                resources,
                requests,
                diagnostics: evaluated,
                counts,
                during,
                after,
                assumed,
                lost,
                notes,
                differences,
                drifts,
                writes,
                report,
                ..
            } = part;
            diagnostics.extend(evaluated);
            let part = Run {
                resources,
                requests,
                diagnostics,
                counts,
                during,
                after,
                assumed,
                lost,
                notes,
                differences,
                drifts,
                writes,
                report,
                responses: Vec::new(),
            };
            done.push((at, part));
            progress.advance(kilobytes(piece.text));
        }
    });
    progress.clear();
    Run::of(bundle, parts)
}

/// A world of this time; every worker has random numbers of its own.
pub(super) fn seeded(now: i64, worker: usize) -> StaticWorld {
    let seed = u64::try_from(now).unwrap_or_default() ^ u64::try_from(worker).unwrap_or_default();
    StaticWorld { seed: std::cell::Cell::new(seed), ..crate::world::at(now) }
}

pub(super) fn options(arguments: &Apply) -> Options {
    let points = arguments.explain
        || matches!(arguments.report_format, Some(ReportFormat::Junit | ReportFormat::Sarif));
    Options {
        host: arguments.by.host(),
        trace: if arguments.explain { Recording::On } else { Recording::Off },
        places: if points { Locations::Include } else { Locations::Omit },
    }
}

/// How many warnings about text that was evaluated are kept of the resources that a thread takes at once.
const MAX_EVALUATED: usize = 101;

/// Warnings about text of a resource that was evaluated as an expression.
fn evaluated<'r>(
    bundle: &'r Bundle,
    evaluated: &'r [Resource],
    result: &'r PolicyResult,
    place: &'r dyn Fn(DocumentId, &Path) -> Option<Span>,
) -> impl Iterator<Item = Diagnostic> + 'r {
    result.evaluated.iter().filter_map(move |text| {
        let (policy, resource) = (bundle.policies.get(result.policy)?, evaluated.get(result.resource)?);
        let root = Path::root();
        let span = place(resource.document, text.path.as_ref().unwrap_or(&root));
        Some(evaluated_text(policy, resource, text, span))
    })
}

/// What a part of the resources has of the run.
#[derive(Clone, Copy)]
struct PartOfRun {
    now: i64,
    /// How many parts there are.
    parts: usize,
}

fn evaluate_some<'a>(
    arguments: &Apply,
    bundle: &'a Bundle,
    resources: &'a [Resource],
    place: &dyn Fn(DocumentId, &Path) -> Option<Span>,
    directory: &Directory<'_>,
    driver: &Driver<'_>,
    share: PartOfRun,
) -> Run<'a> {
    let counted = resources.iter().filter(|resource| resource.protocol.is_none()).count();
    let mut run = Run { resources: counted, requests: resources.len() - counted, ..Run::default() };
    let mut room = Room::of(share.parts);
    let (mut during, mut after) = (String::new(), Repeated::default());
    let mut writing = Writing::new(arguments, bundle, share.now);
    driver.each(resources, |result| {
        let free = MAX_EVALUATED.saturating_sub(run.diagnostics.len());
        run.diagnostics.extend(evaluated(bundle, resources, &result, place).take(free));
        let Some(mut response) = Response::new(bundle, resources, result, arguments.audit_warn) else {
            return;
        };
        if arguments.open_lists {
            withheld::withhold(&mut response);
        }
        room.cut(&mut response);
        run.counts.add(&response);
        let in_doubt = |rule: &&RuleResult| {
            !rule.assumed.is_empty() && matches!(rule.status, Status::Pass | Status::Skip)
        };
        run.assumed += response.rules.iter().filter(in_doubt).count();
        run.notes.extend(text::notes(&response));
        if arguments.drift {
            run.drifts.note(directory, &response);
        }
        if arguments.output.is_some() {
            let mut documents = text::documents(&response);
            documents.retain(|(_, document)| room.keeps(document));
            run.writes.append(&mut documents);
            during.push_str(&text::successes(&response));
        } else {
            let is_withheld = arguments.open_lists && withheld::is_secret(response.resource);
            let blocks = if is_withheld { String::new() } else { text::blocks(&response, arguments.stdin) };
            if room.keeps(&blocks) {
                during.push_str(&blocks);
            }
        }
        if is_text(arguments) && !arguments.table {
            text::failures(&mut after, &response);
            note_errors(&mut run.notes, &response);
        }
        if let Some(writing) = &mut writing {
            writing.add(&response);
        }
        if keeps_responses(arguments) {
            run.responses.push(response);
        }
    });
    if arguments.by.host() != Host::Cluster {
        run.differences = Differences::find(bundle, resources, directory, driver.world());
    }
    run.during.push(during);
    run.after.push(after.finish());
    run.lost = room.lost;
    run.report.extend(writing.map(|writing| writing.report.finish()));
    run
}
