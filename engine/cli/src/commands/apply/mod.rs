//! `podsieve apply`: resources evaluated by policies.
//!
//! In: the arguments. Out: on standard output what `kyverno apply` prints, on standard error what is to be said
//! about the files; the exit code. Resources are evaluated on all cores, and their texts come in their order.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/command.go.

use super::inputs;
use crate::args::{Apply, ReportFormat};
use crate::clock;
use crate::exit::{self, Failure};
use crate::files;
use crate::print::{autogen, diagnostics, drift, explain, text};
use crate::report;
use crate::report::problems::{Problem, is_complete, problems};
use crate::report::streamed;
use crate::terminal;
use engine::Bundle;
use engine_lenses::report::{Context, Counts, INCOMPLETE, wgpolicy};
use engine_lenses::run::Positions;

mod arriving;
pub(super) mod beside;
mod drifts;
mod evaluate;
mod flags;
mod gather;
mod in_cluster;
mod live;
mod read;
mod room;
mod settle;
mod stream;

use evaluate::Run;
use gather::{Gathered, Resources};

/// Runs the command.
pub(crate) fn run(arguments: &Apply) -> Result<u8, Failure> {
    flags::check(arguments)?;
    if let Some(output) = &arguments.output {
        files::refuse_input("--output ", output, flags::inputs_of(arguments))?;
    }
    let output = arguments.output.as_deref().map(files::prepare_output).transpose()?;
    let Gathered { bundle, mut diagnostics, unreadable, resources, pairs } = gather::gather(arguments)?;
    let mut run = match resources {
        Resources::Loaded => evaluate::together(arguments, &bundle),
        Resources::Texts => evaluate::apart(arguments, &bundle),
        Resources::Streams => {
            diagnostics::print(&bundle, &diagnostics);
            let problems = problems(&Positions::new(&bundle), &unreadable, &diagnostics);
            return Ok(stream::run(arguments, &bundle, &problems));
        }
        Resources::Live => return live::run(arguments, bundle, &diagnostics, &unreadable),
    };
    diagnostics.append(&mut run.diagnostics);
    diagnostics::print(&bundle, &diagnostics);
    warn_of_nothing(&bundle, run.resources + run.requests);
    if is_text(arguments) && !arguments.stdin {
        terminal::print(&text::header(&bundle, run.resources));
    }
    for (name, document) in &run.writes {
        if let Some(output) = &output {
            files::append(output, name, document)?;
        }
    }
    let (end, code) = exit::of_counts(&run.counts, arguments.warn_exit_code, arguments.warn_no_pass);
    let problems = problems(&Positions::new(&bundle), &unreadable, &diagnostics);
    run.during.iter().for_each(|text| beside(arguments, text));
    if !is_document(arguments) {
        terminal::print(&text::refused(&bundle));
    }
    describe(arguments, &bundle, &problems, &run);
    beside(arguments, &end);
    say_notes(&run.notes);
    terminal::say(&run.differences.lines(&bundle));
    say_lost(run.lost);
    say_unmatched(arguments, &bundle, &run);
    terminal::say(&arriving::gaps(&pairs, &run.responses));
    let is_doubtful = arguments.strict && run.assumed > 0;
    if is_doubtful {
        terminal::say(&doubt(run.assumed));
    }
    let is_complete = is_complete(&problems) && run.lost == 0;
    if !is_complete {
        terminal::say(NOT_COMPLETE);
    }
    let is_complete = is_complete && !is_doubtful;
    // The program ends here: taking ten thousand objects apart would be work for nothing.
    std::mem::forget(run);
    std::mem::forget(bundle);
    // What could not be read was not evaluated, and a job must not take that for a pass.
    Ok(if code == 0 && !is_complete { 1 } else { code })
}

/// That passes rest on answers that nobody gave.
fn doubt(count: usize) -> String {
    format!("Error: {count} verdicts rest on an assumed answer: with --strict that is not a pass\n")
}

/// The last word of a run that has not evaluated all it was given.
const NOT_COMPLETE: &str = "error: not everything was read and evaluated, see the errors above: whatever the counts are, this run is not a pass\n";

/// Says that no rule has spoken, which is not a pass.
fn say_unmatched(arguments: &Apply, bundle: &Bundle, run: &Run<'_>) {
    // What is not given was named, as the reason why a policy is not asked.
    let spoken = run.counts != Counts::default() || !run.writes.is_empty() || run.assumed > 0;
    // What is not evaluated may match: that was said when it was loaded.
    let is_known = bundle.unsupported.is_empty();
    if bundle.policies.is_empty() || run.resources == 0 || spoken || arguments.explain || !is_known {
        return;
    }
    terminal::say("note: no rule matches any of these resources; `--explain` says what each rule wants\n");
}

/// More notes than this are only counted.
const MAX_NOTES: usize = 100;

/// Says on standard error what the verdicts alone do not say.
fn say_notes(notes: &[String]) {
    notes.iter().take(MAX_NOTES).for_each(|note| terminal::say(note));
    if let Some(more) = notes.len().checked_sub(MAX_NOTES).filter(|more| *more > 0) {
        terminal::say(&format!("… and {more} more notes like these\n"));
    }
}

/// Says that there was no room for some of the mutated and generated objects; their verdicts are counted.
fn say_lost(lost: usize) {
    if lost > 0 {
        terminal::say(&format!(
            "error: {lost} times mutated or generated objects are not printed: together they are too long; give fewer \
             resources at once\n"
        ));
    }
}

fn warn_of_nothing(bundle: &Bundle, resources: usize) {
    if bundle.policies.is_empty() && bundle.refused.is_empty() {
        terminal::say("warning: no policy was loaded: nothing was evaluated (not a pass)\n");
    } else if resources == 0 {
        terminal::say("warning: no resource was loaded: nothing was evaluated (not a pass)\n");
    }
}

/// Whether the answer is text or a table, rather than a report.
fn is_text(arguments: &Apply) -> bool {
    !arguments.policy_report && arguments.report_format.is_none() && !arguments.generate_exceptions
}

/// Whether the answer is one document for a program, in which nothing else may stand.
// Kyverno: its own reports stand behind mutated objects and refused policies on standard output.
fn is_document(arguments: &Apply) -> bool {
    matches!(
        arguments.report_format,
        Some(ReportFormat::Wgpolicy | ReportFormat::Junit | ReportFormat::Sarif | ReportFormat::Ndjson)
    )
}

/// Prints what is not a part of the report: on standard error where a document is asked for.
fn beside(arguments: &Apply, text: &str) {
    if is_document(arguments) { terminal::say(text) } else { terminal::print(text) }
}

/// Prints verdicts, or the report or the table that is asked for, and the reasons.
fn describe(arguments: &Apply, bundle: &Bundle, problems: &[Problem], run: &Run<'_>) {
    let seconds = clock::now() / 1_000_000_000;
    let context = Context { bundle, seconds, is_json: arguments.output_format == "json" };
    let report = match arguments.report_format {
        Some(ReportFormat::Wgpolicy) => {
            let head = if is_complete(problems) || context.is_json { "" } else { INCOMPLETE };
            head.to_owned() + &wgpolicy::print(&context, &run.responses)
        }
        Some(ReportFormat::Junit) => report::junit::print(&context, &run.responses, problems),
        Some(ReportFormat::Sarif) => report::sarif::print(&context, &run.responses, problems),
        Some(ReportFormat::Ndjson) => ndjson(arguments, bundle, problems, run),
        Some(ReportFormat::Openreports) => as_original(&context, run),
        None if arguments.policy_report => as_original(&context, run),
        None if arguments.generate_exceptions => {
            report::exceptions::print(&context, &run.responses, &arguments.generated_exception_ttl)
        }
        None if arguments.table => {
            let colours = terminal::colours_out() && !arguments.remove_color;
            report::table::print(&run.responses, arguments.detailed_results, colours)
        }
        None => {
            run.after.iter().for_each(|text| terminal::print(&text.text()));
            text::summary(&run.counts)
        }
    };
    if is_text(arguments) {
        terminal::print(&report);
    } else {
        terminal::document(&report);
    }
    if arguments.explain {
        beside(arguments, &explain::print(bundle, &run.responses));
    }
    if arguments.show_autogen {
        beside(arguments, &autogen::print(bundle));
    }
    if arguments.drift {
        beside(arguments, &drift::print(bundle, &run.drifts.all()));
    }
}

/// A line a verdict, behind what is wrong with policies and files.
fn ndjson(arguments: &Apply, bundle: &Bundle, problems: &[Problem], run: &Run<'_>) -> String {
    let lines = report::ndjson::Lines::new(bundle, &arguments.cluster_name, !arguments.failures_only);
    let is_complete = is_complete(problems) && run.lost == 0;
    let end = lines.end(&run.counts, run.resources, is_complete);
    report::ndjson::Lines::of_policies(bundle) + &lines.all(bundle, &run.responses, problems) + &end
}

/// Prints the report of the original; nothing is left to print.
fn as_original(context: &Context<'_>, run: &Run<'_>) -> String {
    if streamed::has_own(&run.report) {
        terminal::say(
            "warning: reports of namespaced policies carry `kind: PolicyReport` with an apiVersion that has no such \
             kind, as `kyverno apply` writes them; `--report-format wgpolicy` writes reports that a cluster takes\n",
        );
    }
    streamed::print(context, &run.report, terminal::document);
    String::new()
}
