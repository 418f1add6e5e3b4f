//! `podsieve apply`: resources judged by policies.
//!
//! In: the arguments. Out: on standard output what `kyverno apply` prints, on standard error what is to be said
//! about the files; the exit code. Resources are judged on all cores, and their texts come in their order.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/command.go.

use super::inputs;
use crate::args::{Apply, ReportFormat};
use crate::clock;
use crate::exit::{self, Failure};
use crate::files;
use crate::parallel;
use crate::print::{autogen, diagnostics, drift, explain, text};
use crate::report::{self, Context};
use crate::response::{Counts, Response};
use crate::terminal::{self, Progress};
use engine::Bundle;
use engine::apply::{self, Options, Places, Recording, apply_each};
use engine::drift::Drift;
use engine::json::Value;
use engine::load::Host;
use engine::world::StaticWorld;
use std::ops::Range;

mod gather;

use gather::Gathered;

/// Runs the command.
pub(crate) fn run(arguments: &Apply) -> Result<u8, Failure> {
    gather::check(arguments)?;
    let output = arguments.output.as_deref().map(files::prepare_output).transpose()?;
    let Gathered { bundle, diagnostics, is_complete } = gather::gather(arguments)?;
    diagnostics::print(&bundle, &diagnostics);
    if is_text(arguments) && !arguments.stdin {
        terminal::print(&text::header(&bundle));
    }
    let run = judge(arguments, &bundle);
    for (name, document) in &run.writes {
        if let Some(output) = &output {
            files::append(output, name, document)?;
        }
    }
    let (end, code) = exit::of_counts(&run.counts, arguments.warn_exit_code, arguments.warn_no_pass);
    run.during.iter().for_each(|text| terminal::print(text));
    terminal::print(&text::refused(&bundle));
    tell(arguments, &bundle, &run);
    terminal::print(&end);
    run.notes.iter().for_each(|note| terminal::say(note));
    // The program ends here: taking ten thousand objects apart would be work for nothing.
    std::mem::forget(run);
    std::mem::forget(bundle);
    // What could not be read was not judged, and a job must not take that for a pass.
    Ok(if code == 0 && !is_complete { 1 } else { code })
}

/// Whether the answer is text or a table, rather than a report.
fn is_text(arguments: &Apply) -> bool {
    !arguments.policy_report && arguments.report_format.is_none() && !arguments.generate_exceptions
}

/// What judging all resources came to.
#[derive(Default)]
struct Run<'a> {
    counts: Counts,
    /// What is told while it happens: mutated and generated objects.
    during: Vec<String>,
    /// What is told at the end: failures.
    after: Vec<String>,
    /// What the verdicts alone do not tell.
    notes: Vec<String>,
    /// What policies change in each object, where that is asked for.
    drifts: Vec<Drift>,
    /// Names and documents for `--output`.
    writes: Vec<(String, String)>,
    /// The responses, where a table, a report or an explanation is made of them.
    responses: Vec<Response<'a>>,
}

/// How many resources one thread takes at once.
const AT_ONCE: usize = 128;

fn judge<'a>(arguments: &Apply, bundle: &'a Bundle) -> Run<'a> {
    let total = bundle.resources.len();
    let progress = Progress::new(total);
    let ranges: Vec<Range<usize>> =
        (0..total).step_by(AT_ONCE).map(|start| start..(start + AT_ONCE).min(total)).collect();
    let now = clock::now();
    let parts = parallel::map(&ranges, |range| {
        let part = judge_range(arguments, bundle, range.clone(), now);
        progress.advance(range.len());
        part
    });
    progress.clear();
    let mut run = Run::default();
    for part in parts {
        run.counts.merge(part.counts);
        run.during.extend(part.during);
        run.after.extend(part.after);
        run.notes.extend(part.notes);
        run.drifts.extend(part.drifts);
        run.writes.extend(part.writes);
        run.responses.extend(part.responses);
    }
    clean_up(arguments, bundle, now, &mut run);
    for _ in &bundle.refused {
        run.counts.count(engine::apply::Status::Error);
    }
    run
}

fn judge_range<'a>(arguments: &Apply, bundle: &'a Bundle, range: Range<usize>, now: i64) -> Run<'a> {
    let points = arguments.explain
        || matches!(arguments.report_format, Some(ReportFormat::Junit | ReportFormat::Sarif));
    let keeps = arguments.table || arguments.explain || !is_text(arguments);
    let options = Options {
        host: Host::Cli,
        trace: if arguments.explain { Recording::On } else { Recording::Off },
        places: if points { Places::Told } else { Places::Untold },
    };
    let seed = u64::try_from(now).unwrap_or_default() ^ u64::try_from(range.start).unwrap_or_default();
    let world = StaticWorld { now, seed: std::cell::Cell::new(seed) };
    let mut run = Run::default();
    let (mut during, mut after) = (String::new(), String::new());
    apply_each(bundle, &world, &options, range, |result| {
        let Some(response) = Response::new(bundle, result, arguments.audit_warn) else { return };
        run.counts.add(&response);
        run.notes.extend(text::notes(&response));
        if arguments.drift {
            note_drift(&mut run.drifts, &response);
        }
        if arguments.output.is_some() {
            run.writes.extend(text::documents(&response));
            during.push_str(&text::successes(&response));
        } else {
            during.push_str(&text::blocks(&response, arguments.stdin));
        }
        if is_text(arguments) && !arguments.table {
            text::failures(&mut after, &response);
        }
        if keeps {
            run.responses.push(response);
        }
    });
    run.during.push(during);
    run.after.push(after);
    run
}

/// Keeps what policies have changed in the object so far, in place of what was known before.
fn note_drift(drifts: &mut Vec<Drift>, response: &Response<'_>) {
    let is_left = |live: &&Value| live.as_object().is_some_and(|object| !object.is_empty());
    let Some(live) = response.patched.as_ref().filter(is_left) else { return };
    let drift = Drift::of(response.resource, live);
    drifts.retain(|known| {
        (&known.group, &known.kind, &known.namespace, &known.name)
            != (&drift.group, &drift.kind, &drift.namespace, &drift.name)
    });
    drifts.push(drift);
}

/// What cleanup policies say, after everything else.
fn clean_up<'a>(arguments: &Apply, bundle: &'a Bundle, now: i64, run: &mut Run<'a>) {
    let trace = if arguments.explain { Recording::On } else { Recording::Off };
    let options = Options { host: Host::Cli, trace, places: Places::Untold };
    let mut after = String::new();
    apply::cleanup(bundle, &StaticWorld::at(now), &options, |result| {
        let Some(response) = Response::new(bundle, result, arguments.audit_warn) else { return };
        run.counts.add(&response);
        if is_text(arguments) && !arguments.table {
            text::failures(&mut after, &response);
        }
        run.responses.push(response);
    });
    run.after.push(after);
}

/// Prints verdicts, or the report or the table that is asked for, and the reasons.
fn tell(arguments: &Apply, bundle: &Bundle, run: &Run<'_>) {
    let seconds = clock::now() / 1_000_000_000;
    let context = Context { bundle, seconds, is_json: arguments.output_format == "json" };
    let report = match arguments.report_format {
        Some(ReportFormat::Wgpolicy) => report::wgpolicy::print(&context, &run.responses),
        Some(ReportFormat::Junit) => report::junit::print(&context, &run.responses),
        Some(ReportFormat::Sarif) => report::sarif::print(&context, &run.responses),
        Some(ReportFormat::Openreports) => openreports(&context, &run.responses),
        None if arguments.policy_report => openreports(&context, &run.responses),
        None if arguments.generate_exceptions => {
            report::exceptions::print(&context, &run.responses, &arguments.generated_exception_ttl)
        }
        None if arguments.table => {
            let colours = terminal::colours_out() && !arguments.remove_color;
            report::table::print(&run.responses, arguments.detailed_results, colours)
        }
        None => {
            run.after.iter().for_each(|text| terminal::print(text));
            text::summary(&run.counts)
        }
    };
    terminal::print(&report);
    if arguments.explain {
        terminal::print(&explain::print(bundle, &run.responses));
    }
    if arguments.show_autogen {
        terminal::print(&autogen::print(bundle));
    }
    if arguments.drift {
        terminal::print(&drift::print(bundle, &run.drifts));
    }
}

fn openreports(context: &Context<'_>, responses: &[Response<'_>]) -> String {
    if responses.iter().any(|response| !response.policy.namespace.is_empty() && !response.rules.is_empty()) {
        terminal::say(
            "warning: reports of namespaced policies carry `kind: PolicyReport` with an apiVersion that has no such \
             kind, as `kyverno apply` writes them; `--report-format wgpolicy` writes reports that a cluster takes\n",
        );
    }
    report::openreports::print(context, responses)
}
