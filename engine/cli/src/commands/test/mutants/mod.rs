//! `podsieve test --mutants`: mistakes put into the policies of tests on purpose, and which of them no test notices.
//!
//! In: the tests of folders, all of which pass. Out: for each policy how many mistakes its tests notice, and for each that they do not the smallest
//! object that shows it, as a test that can be added; the exit code.
//!
//! A mistake is noticed where the run of the tests would end with another exit code. One that changes no decision is none, and does not count; nor does
//! one that no test can show, as tests make each object anew.

mod search;
mod shown;
mod written;

use super::evaluate;
use super::file::{Entry, TestFile};
use super::find::folder_of;
use super::prepare::{Printed, prepare, prepare_changed};
use super::selector::Selector;
use super::{check, check::Outcome};
use crate::args::Test;
use crate::exit::Failure;
use crate::files::Anywhere;
use crate::parallel;
use crate::print::paint::Paint;
use crate::terminal::{self, Progress, one_line, plural};
use engine::Bundle;
use engine::json::Value;
use engine::load::Role;
use engine::yaml::{LineIndex, Parsed, Source};
use engine_compare::mutants::{Mutant, mutants};
use search::{Found, Search, Standing};

/// A test that passes as it is.
struct Ready {
    test: TestFile,
    entries: Vec<Entry>,
    bundle: Bundle,
    /// How many of its successes are none.
    doubts: usize,
}

/// A policy with the tests that name it.
struct Subject {
    file: String,
    /// Where its document begins in the file.
    start: u32,
    line: u32,
    name: String,
    value: Value,
    /// By their places.
    tests: Vec<usize>,
}

/// What became of a mistake.
enum Fate {
    /// No policy that is loaded: nothing has to notice it.
    NoPolicy,
    Noticed,
    Missed(Box<Found>),
}

/// A mistake that no test notices.
struct Missed {
    /// Which policy.
    subject: usize,
    /// What kind of mistake, and where and what.
    class: &'static str,
    text: String,
    found: Found,
}

/// What all mistakes came to.
struct Answer {
    subjects: Vec<Subject>,
    /// For each policy how many mistakes are noticed.
    noticed: Vec<usize>,
    missed: Vec<Missed>,
}

impl Answer {
    /// The mistakes of a policy that are not noticed, of one standing.
    fn of(&self, subject: usize, standing: Standing) -> impl Iterator<Item = &Missed> {
        self.missed
            .iter()
            .filter(move |missed| missed.subject == subject && missed.found.standing() == standing)
    }

    /// How many mistakes of one standing are not noticed.
    fn count(&self, standing: Standing) -> usize {
        self.missed.iter().filter(|missed| missed.found.standing() == standing).count()
    }

    /// How many mistakes are noticed, and of how many that tests can notice.
    fn counts(&self) -> (usize, usize) {
        let noticed = self.noticed.iter().sum();
        (noticed, noticed + self.count(Standing::Missed))
    }
}

/// Runs the command over tests that were read.
pub(super) fn run(
    arguments: &Test,
    selector: &Selector,
    tests: &[TestFile],
    broken: usize,
) -> Result<u8, Failure> {
    let is_json = match arguments.output_format.as_str() {
        "" => false,
        "json" => true,
        _ => return Err(Failure("--mutants has one output format beside its text: json".to_owned())),
    };
    let mut unable = broken;
    let mut ready = Vec::new();
    for (test, outcome) in tests.iter().zip(parallel::map(tests, |test| begin(arguments, selector, test))) {
        match outcome {
            Ok(one) => ready.extend(one),
            Err(why) => {
                terminal::say(&format!("error: {}: {}\n", test.path, one_line(&why)));
                unable += 1;
            }
        }
    }
    let answer = tried(arguments, &ready);
    if is_json {
        terminal::document(&shown::json(&answer));
    } else {
        terminal::print(&shown::text(&answer, Paint::out()));
    }
    let mut reasons = Vec::new();
    if let Some(folder) = &arguments.mutants.write_tests {
        let bad = written::write(folder, arguments, &ready, &answer)?;
        if bad > 0 {
            reasons.push(format!("{} written that does not pass", plural(bad, "test")));
        }
    }
    let (noticed, all) = answer.counts();
    if let Some(percent) =
        arguments.mutants.min_noticed.filter(|percent| noticed * 100 < all * usize::from(*percent))
    {
        reasons
            .push(format!("{noticed} of {} noticed, and --min-noticed is {percent}", plural(all, "mistake")));
    }
    if unable > 0 {
        reasons.push(format!("{} could not be tried", plural(unable, "test file")));
    }
    if reasons.is_empty() { Ok(0) } else { Err(Failure(reasons.join(", "))) }
}

/// A test as it is; nothing where no entry is wanted. Where it does not pass, nobody can say what it notices.
fn begin(arguments: &Test, selector: &Selector, test: &TestFile) -> Result<Option<Ready>, String> {
    let entries: Vec<Entry> = test.results.iter().filter_map(|entry| selector.apply(entry)).collect();
    if entries.is_empty() {
        return Ok(None);
    }
    if test.is_deprecated {
        return Err("it is of an old form: `podsieve fix test` writes it anew".to_owned());
    }
    let mut printed = Printed::default();
    let bundle = prepare(test, arguments, &Anywhere, &mut printed)?;
    let checked = checked(test, &entries, bundle.clone())?;
    let failed =
        checked.rows.iter().filter(|row| matches!(row.outcome, Outcome::Fail | Outcome::NotYet)).count();
    if failed > 0 || printed.errors > 0 {
        return Err("it does not pass as it is: no mistake is tried with it".to_owned());
    }
    Ok(Some(Ready { test: test.clone(), entries, bundle, doubts: checked.doubts.len() }))
}

fn checked(test: &TestFile, entries: &[Entry], bundle: Bundle) -> Result<check::Checked, String> {
    let bundles = evaluate::by_operation(bundle, &test.results)?;
    let runs = evaluate::evaluate(&bundles);
    let Some((_, bundle)) = bundles.first() else { return Ok(check::Checked::default()) };
    Ok(check::check(entries, &test.json_payloads, bundle, &runs, &folder_of(&test.path), &Anywhere))
}

/// The policies that entries name, each once.
fn subjects(ready: &[Ready]) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    let bare = |key: &str| key.rsplit('/').next().unwrap_or_default().to_owned();
    for (at, Ready { entries, bundle, .. }) in ready.iter().enumerate() {
        let is_named = |key: &str| entries.iter().any(|entry| bare(&entry.policy) == bare(key));
        for policy in bundle.policies.iter().filter(|policy| is_named(&policy.key())) {
            let Some(document) = bundle.document(policy.document) else { continue };
            let Some((_, source)) = bundle.source(document.source) else { continue };
            let start = document.span.start;
            match found.iter_mut().find(|known| known.file == source.name && known.start == start) {
                Some(known) => known.tests.push(at),
                None => found.push(Subject {
                    file: source.name.clone(),
                    start,
                    line: LineIndex::new(&source.text).position(start).0,
                    name: policy.key(),
                    value: document.value.clone(),
                    tests: vec![at],
                }),
            }
        }
    }
    found
}

fn tried(arguments: &Test, ready: &[Ready]) -> Answer {
    let subjects = subjects(ready);
    let tasks: Vec<(usize, Mutant)> = subjects
        .iter()
        .enumerate()
        .flat_map(|(at, subject)| {
            let all = mutants(&subject.value);
            spread(all, arguments.mutants.most).into_iter().map(move |mutant| (at, mutant))
        })
        .collect();
    let progress = Progress::shown(tasks.len(), "mistakes");
    let search = Search::begin(arguments.mutants.max_seconds);
    let fates = parallel::map(&tasks, |(at, mutant)| {
        let fate = subjects.get(*at).map(|subject| fate(arguments, ready, subject, mutant, &search));
        progress.advance(1);
        fate.unwrap_or(Fate::NoPolicy)
    });
    progress.clear();
    let mut answer = Answer { noticed: vec![0; subjects.len()], subjects, missed: Vec::new() };
    for ((subject, mutant), fate) in tasks.into_iter().zip(fates) {
        match fate {
            Fate::NoPolicy => {}
            Fate::Noticed => answer.noticed.get_mut(subject).into_iter().for_each(|count| *count += 1),
            Fate::Missed(found) => {
                let (class, text) = (mutant.class.as_str(), mutant.text);
                answer.missed.push(Missed { subject, class, text, found: *found });
            }
        }
    }
    answer
}

/// So many of them, from all parts of the list.
fn spread(all: Vec<Mutant>, most: usize) -> Vec<Mutant> {
    let count = all.len();
    let is_drawn = |at: usize| count <= most || (at + 1) * most / count > at * most / count;
    all.into_iter().enumerate().filter(|(at, _)| is_drawn(*at)).map(|(_, mutant)| mutant).collect()
}

/// What the tests of a policy make of a mistake in it.
fn fate(arguments: &Test, ready: &[Ready], subject: &Subject, mutant: &Mutant, search: &Search) -> Fate {
    let change = |(role, source): &(Role, Source), mut parsed: Parsed| {
        if *role == Role::Policies && source.name == subject.file {
            let mut documents = parsed.documents.iter_mut();
            if let Some(document) = documents.find(|document| document.span.start == subject.start) {
                document.value = mutant.policy.clone();
            }
        }
        parsed
    };
    let mut first = None;
    for Ready { test, entries, bundle, doubts } in subject.tests.iter().filter_map(|at| ready.get(*at)) {
        let prepared = prepare_changed(test, arguments, &Anywhere, &mut Printed::default(), change);
        let Ok(changed) = prepared else { return Fate::NoPolicy };
        if changed.policies.len() < bundle.policies.len() {
            return Fate::NoPolicy;
        }
        let Ok(checked) = checked(test, entries, changed.clone()) else { return Fate::Noticed };
        let is_noticed =
            checked.rows.iter().any(|row| matches!(row.outcome, Outcome::Fail | Outcome::NotYet));
        if is_noticed || (arguments.strict && checked.doubts.len() > *doubts) {
            return Fate::Noticed;
        }
        first.get_or_insert_with(|| [bundle.clone(), changed]);
    }
    first.map_or(Fate::NoPolicy, |bundles| Fate::Missed(Box::new(search.find(bundles))))
}
