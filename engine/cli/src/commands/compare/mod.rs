//! `podsieve compare`: whether two policies decide the same.
//!
//! In: two files, two folders, or a list of pairs. Out: for each pair its grade, with the smallest requests that show a difference;
//! the exit code: 1 where a pair is different, 2 where none is and one cannot be compared, or the command cannot do its work.

mod beside;
mod json;
mod pairs;
mod text;
mod written;

use crate::args::{Compare, CompareGap, CompareOperation, Format};
use crate::exit::Failure;
use crate::files;
use crate::parallel;
use crate::print::paint::Paint;
use crate::report::sarif::{Finding as Found, Scan, document, rule};
use crate::terminal::{self, Progress};
use engine::yaml::{Source, SourceId, parse};
use engine_compare::{
    Actions, Comparison, Criterion, Finding, Grade, KindGap, Operation, Options, RuleVerdict, compare,
};
use engine_lenses::wire::Text;
use pairs::Pair;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
pub(super) use text::{describe_finding, headline, headline_of};

/// Something is not compared.
const NOT_COMPARED: u8 = 2;
/// How many differences of a pair are shown where not all are asked for.
const SHOWN: usize = 3;

/// A pair and its answer.
struct Answered {
    pair: Pair,
    answer: Comparison,
}

/// Runs the command. What keeps it from its work is not a difference, so it has another exit code.
pub(crate) fn run(arguments: &Compare) -> Result<u8, Failure> {
    compared(arguments).or_else(|Failure(text)| {
        terminal::say(&format!("Error: {text}\n"));
        Ok(NOT_COMPARED)
    })
}

fn compared(arguments: &Compare) -> Result<u8, Failure> {
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
        Format::Text => {
            let most = if arguments.all { usize::MAX } else { SHOWN };
            terminal::print(&text::text(&answered, most, Paint::out()));
        }
        Format::Json => terminal::document(&json::json(&answered)),
        Format::Sarif => terminal::document(&document(&[], scan(&answered))),
    }
    if let Some(folder) = &arguments.write_test {
        written::write_tests(folder, &answered)?;
    }
    let has = |grade: Grade| answered.iter().any(|answered| answered.answer.grade == grade);
    let is_doubtful = arguments.min_noticed.is_some_and(|percent| say_doubtful(&answered, percent));
    Ok(match (has(Grade::Different), has(Grade::NotCompared) || is_doubtful) {
        (true, _) => 1,
        (false, true) => NOT_COMPARED,
        (false, false) => 0,
    })
}

/// Names the pairs without a difference of which the search notices fewer mistakes than that; whether there is any.
fn say_doubtful(answered: &[Answered], percent: u8) -> bool {
    let mut is_any = false;
    for Answered { pair, answer } in answered {
        if answer.grade != Grade::NoDifference || text::notices(answer, percent) {
            continue;
        }
        is_any = true;
        let (noticed, mutants) = (answer.counts.noticed, answer.counts.mutants);
        terminal::say(&format!(
            "too few mistakes are noticed: {} → {}: {noticed} of {mutants}, and --min-noticed is {percent}\n",
            pair.old.name, pair.new.name
        ));
    }
    is_any
}

fn resources(paths: &[String]) -> Result<Vec<Text>, Failure> {
    let opened = files::opened(paths);
    if let Some(lost) = opened.lost.first() {
        return Err(Failure(lost.original.clone()));
    }
    let texts: Vec<Text> = opened.paths.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    match texts.iter().find(|text| !holds_object(text)) {
        Some(text) => Err(Failure(format!("there is no object in {}", text.name))),
        None => Ok(texts),
    }
}

/// Whether a document of the text is an object of Kubernetes.
fn holds_object(text: &Text) -> bool {
    let source = Source { id: SourceId(0), name: String::new(), text: text.text.as_str().into() };
    let documents = parse(&source, &engine::yaml::Options::default()).documents;
    documents.iter().any(|document| !document.value.find_str(&["kind"]).is_empty())
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
        ignored_gaps: ignored_gaps(&arguments.ignore_gaps),
        ..Options::default()
    }
}

/// The gaps that do not count, each once.
fn ignored_gaps(named: &[CompareGap]) -> Vec<KindGap> {
    let gaps = |gap: &CompareGap| match gap {
        CompareGap::All => KindGap::ALL.to_vec(),
        CompareGap::EphemeralContainers => vec![KindGap::EphemeralContainers],
        CompareGap::ReplicationControllers => vec![KindGap::ReplicationControllers],
        CompareGap::ExistingViolations => vec![KindGap::ExistingViolations],
        CompareGap::UnreadableImages => vec![KindGap::UnreadableImages],
        CompareGap::Wildcards => vec![KindGap::Wildcards],
        CompareGap::ElementOrder => vec![KindGap::ElementOrder],
        CompareGap::JobAnnotations => vec![KindGap::JobAnnotations],
    };
    let mut all: Vec<KindGap> = named.iter().flat_map(gaps).collect();
    all.sort_unstable();
    all.dedup();
    all
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
    let world = crate::world::as_written();
    let begun = Instant::now();
    let shown = AtomicUsize::new(0);
    let mut goes_on = |tried: usize| {
        progress.advance(tried.saturating_sub(shown.swap(tried, Ordering::Relaxed)));
        begun.elapsed() < limit
    };
    let mut answer = compare(old, new, options, &world, &mut goes_on);
    if begun.elapsed() >= limit {
        answer.assumptions.push(ended_after(limit, "--max-seconds"));
    }
    progress.advance(options.max_requests.saturating_sub(shown.load(Ordering::Relaxed)));
    answer
}

/// How it is said that a comparison was ended by its time.
pub(super) const ENDED: &str = "ended after ";

/// What is said where a comparison was ended by its time.
pub(super) fn ended_after(limit: Duration, by: &str) -> String {
    format!("{ENDED}{} s ({by}): what was not tried by then is not known", limit.as_secs())
}

fn scan(answered: &[Answered]) -> Scan {
    let mut findings = Vec::new();
    for Answered { pair, answer } in answered {
        let about = format!("{} against {}", pair.new.name, pair.old.name);
        findings.extend(answer.findings.iter().map(|finding| difference(&about, finding)));
        if !answer.but_for.is_empty() {
            let text = format!("{about}: differs and is not compared: {}", answer.but_for.join(", "));
            findings.push(Found::at(None, LEFT_OUT, "warning", text));
        }
        for reason in &answer.reasons {
            let text = format!("{about}: not compared: {}", reason.text);
            findings.push(Found::at(reason.range.clone(), NOT, "warning", text));
        }
    }
    (
        vec![
            rule(DIFFERENT, "Policies that decide differently"),
            rule(NOT, "Policies that are not compared"),
            rule(LEFT_OUT, "Settings that differ and are not compared"),
        ],
        findings,
    )
}

/// A request on which the sides differ: at the line of the new side that decided, with those of either side beside it.
fn difference(about: &str, finding: &Finding) -> Found {
    let of_side = |(side, verdicts): (&'static str, &'_ [RuleVerdict])| {
        let said = verdicts.iter().filter_map(|verdict| {
            let text = format!("{side}: {}", text::spoken(verdict));
            verdict.range.clone().map(|range| (text, range))
        });
        said.collect::<Vec<_>>()
    };
    let [old, new] = &finding.verdicts;
    let [old, new] = [("old", old.as_slice()), ("new", new.as_slice())].map(of_side);
    let main = new.first().or(old.first()).map(|(_, range)| range.clone());
    let text = format!("{about}: {}", text::headline(finding));
    let mut found = Found::at(main, DIFFERENT, "error", text);
    found.related = old.into_iter().chain(new).collect();
    found
}

const DIFFERENT: &str = "policies-differ";
const NOT: &str = "policies-not-compared";
const LEFT_OUT: &str = "settings-not-compared";
