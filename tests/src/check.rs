//! `conformance check`: every suite, one line each.
//!
//! In: nothing, for all recorded answers, or a folder of them, or one below it. Out: a line for each suite, and for each class of a suite that has
//! classes, with cases, verdicts and words that agree; last lines with the totals and with what was skipped. The run fails if an answer of a
//! complete suite differs, unless docs/limits.md says why its words do.

use crate::compare::{self, Difference, Tally};
use crate::recorded::{Recorded, WHY_SKIPPED};
use crate::suites::{
    Answerer, CLUSTER_KINDS, EXCLUSIONS, FUZZ_PODS, NOT_YET_CLASS, NOT_YET_ON_PAGE, PODS, SUITES, State,
    Suite, state,
};
use crate::{cluster, emit, links, mesh, program, recorded, trees};
use engine::json::{Map, Value, parse, to_json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// What to run and what to show.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder to read; without one, what is in this repository and what lies beside it.
    pub folder: Option<PathBuf>,
    /// How many differences of each suite are shown.
    pub show: usize,
    /// Only suites whose name begins so; all where empty.
    pub only: String,
}

/// Recorded verdicts that this repository holds at least: a clone by itself is evidence.
const IN_CLONE: usize = 120_000;

/// The stack of a thread that asks: what the first thread of a program has.
const STACK: usize = 8 << 20;

/// One line of the report.
#[derive(Clone, Debug)]
struct Line {
    name: String,
    state: State,
    tally: Tally,
    differences: Vec<Difference>,
}

/// What came out of the suites.
#[derive(Debug, Default)]
struct Report {
    lines: Vec<Line>,
    /// Recorded verdicts that are in this repository.
    verdicts_in_clone: usize,
    /// Cases in this repository that are not answered yet.
    not_yet_in_clone: usize,
    /// Suites that were read.
    suites: usize,
}

/// Runs all suites, handing each finished line to `describe`; whether no complete suite has a difference, and none was skipped that must not be.
pub fn run(options: &Options, mut describe: impl FnMut(&str)) -> bool {
    let folder = options.folder.as_deref();
    let recorded = folder.map_or_else(Recorded::all, |folder| Recorded::of(root_of(folder)));
    let is_wanted = |suite: &&Suite| {
        let is_below = |folder: &Path| suite.expected(root_of(folder)).starts_with(folder);
        suite.name.starts_with(&options.only) && folder.is_none_or(is_below)
    };
    let is_skipped = |suite: &&Suite| folder.is_none() && recorded.home(suite.expected).is_none();
    let (skipped, asked): (Vec<&Suite>, Vec<&Suite>) = SUITES.iter().filter(is_wanted).partition(is_skipped);
    describe(&format!("{:<34} {:>7} {:>7} {:>15} {:>15}", "suite", "cases", "agree", "verdicts", "words"));
    let mut report = Report::default();
    ask(&asked, &recorded, |suite, lines| report.add(suite, &recorded, lines, options.show, &mut describe));
    let total = |wanted: &[State]| {
        let mut tally = Tally::default();
        let lines = report.lines.iter().filter(|line| wanted.contains(&line.state));
        lines.for_each(|line| tally.add(line.tally));
        tally
    };
    let (answered, not_yet) = (total(&[State::Complete, State::InProgress]), total(&[State::NotYet]));
    describe(&format!(
        "total {} of {} cases agree, {} of {} verdicts, {} words; not yet: {} cases; {} unanswered by the original",
        answered.agree,
        answered.cases,
        answered.verdicts_agree,
        answered.verdicts,
        answered.words_agree,
        not_yet.cases,
        answered.unanswered + not_yet.unanswered,
    ));
    let unexplained = unexplained(&report.lines);
    for (suite, case) in &unexplained {
        describe(&format!("docs/limits.md does not say why the words of {case} in {suite} differ"));
    }
    let is_whole = folder.is_some() || is_all_there(options, &report, &skipped, &mut describe);
    is_whole
        && report.suites == asked.len()
        && unexplained.is_empty()
        && report.lines.iter().all(|line| line.state != State::Complete || line.tally.is_whole())
}

impl Report {
    /// Takes what came out of a suite, and shows it.
    fn add(
        &mut self,
        suite: &Suite,
        recorded: &Recorded,
        lines: Result<Vec<Line>, String>,
        show: usize,
        describe: &mut impl FnMut(&str),
    ) {
        let lines = match lines {
            Ok(lines) => lines,
            Err(error) => return describe(&format!("{:<34} could not be read: {error}", suite.name)),
        };
        self.suites += 1;
        let is_in_clone = recorded.home(suite.expected) == Some(&recorded::in_clone());
        for line in lines {
            describe(&shown(&line, show));
            match line.state {
                _ if !is_in_clone => {}
                State::NotYet => self.not_yet_in_clone += line.tally.cases,
                State::Complete | State::InProgress => self.verdicts_in_clone += line.tally.verdicts,
            }
            self.lines.push(line);
        }
    }
}

/// Says what this repository holds and what was skipped; whether that is enough.
fn is_all_there(
    options: &Options,
    report: &Report,
    skipped: &[&Suite],
    describe: &mut impl FnMut(&str),
) -> bool {
    let is_enough = !options.only.is_empty() || report.verdicts_in_clone >= IN_CLONE;
    if options.only.is_empty() {
        describe(&format!(
            "in this repository {} recorded verdicts (at least {IN_CLONE}), and {} cases that are not answered yet",
            report.verdicts_in_clone, report.not_yet_in_clone
        ));
    }
    if skipped.is_empty() {
        return is_enough;
    }
    let names: Vec<&str> = skipped.iter().map(|suite| suite.name).collect();
    let names = names.join(", ");
    let Some(folder) = recorded::folder() else {
        describe(&format!("skipped: {names}: {WHY_SKIPPED}"));
        return is_enough;
    };
    describe(&format!("skipped: {names}: not in {}", folder.display()));
    // Where everything must run, nothing is skipped that could be there.
    is_enough && std::env::var_os("CI").is_none_or(|ci| ci != "true")
}

/// Asks all suites, as many at once as there are cores, and hands over what came out of each, in their order.
fn ask(suites: &[&Suite], recorded: &Recorded, mut done: impl FnMut(&Suite, Result<Vec<Line>, String>)) {
    let next = AtomicUsize::new(0);
    let (answered, answers) = mpsc::channel();
    let work = &|answered: mpsc::Sender<(usize, Result<Vec<Line>, String>)>| {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(suite) = suites.get(at) else { break };
            let home = recorded.home(suite.expected).ok_or_else(|| format!("there is no {}", suite.expected));
            if answered.send((at, home.and_then(|home| lines_of(suite, home, recorded)))).is_err() {
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let answered = answered.clone();
            let thread = thread::Builder::new().stack_size(STACK);
            // Fewer threads take longer; without any, no suite is read and the run fails.
            drop(thread.spawn_scoped(scope, move || work(answered)));
        }
        drop(answered);
        let mut early = BTreeMap::new();
        let mut waiting = suites.iter().enumerate().peekable();
        for (at, lines) in answers {
            early.insert(at, lines);
            while let Some((suite, lines)) =
                waiting.peek().and_then(|(at, suite)| Some((*suite, early.remove(at)?)))
            {
                done(suite, lines);
                waiting.next();
            }
        }
    });
}

/// The cases of complete suites that differ, in words at least, and that docs/limits.md does not name.
fn unexplained(lines: &[Line]) -> Vec<(&str, &str)> {
    let explained = include_str!("../../docs/limits.md");
    let complete = lines.iter().filter(|line| line.state == State::Complete);
    let cases =
        complete.flat_map(|line| line.differences.iter().map(|of| (line.name.as_str(), of.case.as_str())));
    // A case of another suite may have the same name.
    cases.filter(|(suite, case)| !explained.contains(&format!("| `{suite}` | `{case}` |"))).collect()
}

/// The class of a case, apart for cases of the page with policies of kinds that it does not evaluate.
fn class_with(class: &str, case: &Value) -> String {
    let is_beyond = case.find_str(&["state", "policy"]).lines().any(|line| {
        let kind = line.trim().strip_prefix("kind: ").unwrap_or("").trim_matches(['"', '\'']);
        NOT_YET_ON_PAGE.contains(&kind.strip_prefix("Namespaced").unwrap_or(kind))
    });
    match (class, is_beyond) {
        ("", true) => NOT_YET_CLASS.to_owned(),
        (class, true) => format!("{class} {NOT_YET_CLASS}"),
        (class, false) => class.to_owned(),
    }
}

/// The folder above this one that holds all suites; the folder itself where there is none.
fn root_of(folder: &Path) -> &Path {
    let holds = |root: &&Path| {
        let mut suites = SUITES.iter().map(|suite| suite.expected(root));
        suites.any(|file| file.starts_with(folder) && file.is_file())
    };
    folder.ancestors().find(holds).unwrap_or(folder)
}

fn shown(line: &Line, show: usize) -> String {
    let Tally { cases, agree, verdicts, verdicts_agree, words_agree, .. } = line.tally;
    let state = match line.state {
        State::Complete if line.tally.is_whole() => "complete",
        State::Complete => "COMPLETE, BUT DIFFERS",
        State::InProgress => "",
        State::NotYet => "not yet",
    };
    let mut out = format!(
        "{:<34} {cases:>7} {agree:>7} {:>15} {:>15} {state}",
        line.name,
        format!("{verdicts_agree}/{verdicts}"),
        format!("{words_agree}/{verdicts_agree}"),
    );
    for difference in line.differences.iter().take(show) {
        let cut = |text: &str| text.chars().take(600).collect::<String>();
        let _ = write!(
            out,
            "\n- {}: {}\n    expected {}\n    got      {}",
            difference.case,
            difference.what,
            cut(&difference.expected),
            cut(&difference.got)
        );
    }
    out
}

fn lines_of(suite: &Suite, folder: &Path, recorded: &Recorded) -> Result<Vec<Line>, String> {
    match suite.answerer {
        Answerer::NotYet => {
            let text = recorded::text(&suite.input(folder))?;
            let cases = text.lines().filter(|line| !line.trim().is_empty()).count();
            let tally = Tally { cases, ..Tally::default() };
            Ok(vec![Line { name: suite.name.into(), state: State::NotYet, tally, differences: Vec::new() }])
        }
        Answerer::Links => {
            let (tally, differences) = links::check(folder)?;
            Ok(vec![Line { name: suite.name.into(), state: state(suite.name, ""), tally, differences }])
        }
        Answerer::Mesh => {
            let (tally, differences) = mesh::check::run(&mesh::records(recorded)?)?;
            Ok(vec![Line { name: suite.name.into(), state: state(suite.name, ""), tally, differences }])
        }
        Answerer::Trees => {
            let trees = trees::check(folder, &suite.input(folder))?;
            let name = suite.name.to_owned();
            let state = state(&name, "");
            Ok(vec![Line { name, state, tally: trees.tally, differences: trees.differences }])
        }
        Answerer::Emit(name) => {
            let wanted = suite.answers(folder)?;
            let wanted: BTreeMap<String, &Value> =
                wanted.iter().map(|row| (compare::key(row), row)).collect();
            by_class(suite, folder, |case, tally, differences| {
                let Some(want) = wanted.get(&compare::key(case)) else { return };
                let got = emit::answer(name, &to_json(case));
                compare::case(want, Some(&got), tally, differences);
            })
        }
        Answerer::Pods(name) => {
            let pods = Pods::read(recorded)?;
            by_class(suite, folder, |row, tally, differences| {
                let got = emit::answer(name, &to_json(&pods.case(row)));
                compare::case(row, Some(&got), tally, differences);
            })
        }
        Answerer::Rows(name) => by_class(suite, folder, |row, tally, differences| {
            let mut case = row.clone();
            if let Some(map) = case.object_mut() {
                map.retain(|key, _| !ANSWERED.contains(&key));
            }
            compare::case(row, Some(&emit::answer(name, &to_json(&case))), tally, differences);
        }),
        Answerer::Crash => by_class(suite, folder, crash),
        Answerer::ClusterReleases => by_class(suite, folder, cluster::releases::check),
        Answerer::ClusterPods => by_class(suite, folder, cluster::psa::check),
        Answerer::ClusterKyverno => by_class(suite, folder, cluster::kyverno::check),
        Answerer::Cluster(given) => {
            let kinds = recorded::text(&folder.join(CLUSTER_KINDS))?;
            by_class(suite, folder, |row, tally, differences| {
                cluster::check((&kinds, given), row, tally, differences);
            })
        }
        Answerer::Program(deprecations) => {
            let program = program::find()?;
            by_class(suite, folder, |case, tally, differences| {
                program::check((&program, deprecations), folder, case, tally, differences);
            })
        }
    }
}

/// The fields of a row that are its answer.
const ANSWERED: &[&str] = &["response", "ok", "stage", "error", "out"];

/// The Pods and the exclusions that rows name.
struct Pods {
    pods: BTreeMap<String, Value>,
    exclusions: Value,
}

impl Pods {
    /// Of the files that are there: rows that name a Pod of another do not lie apart from it.
    fn read(recorded: &Recorded) -> Result<Self, String> {
        let mut pods = BTreeMap::new();
        for file in [PODS, FUZZ_PODS].into_iter().filter(|file| recorded.home(file).is_some()) {
            for row in recorded.rows(file)? {
                pods.insert(row.find_str(&["id"]).to_owned(), row.get("pod").cloned().unwrap_or_default());
            }
        }
        let exclusions = match recorded.home(EXCLUSIONS) {
            Some(_) => parse(&recorded.text(EXCLUSIONS)?).map_err(|error| error.to_string())?,
            None => Value::Null,
        };
        Ok(Pods { pods, exclusions })
    }

    /// The case of a row: what was asked, without what was answered.
    fn case(&self, row: &Value) -> Value {
        let field = |name: &&'static str| Some((*name, row.get(name)?.clone()));
        let mut case: Map = ["id", "level", "version", "exclude"].iter().filter_map(field).collect();
        if let Some(pod) = self.pods.get(row.find_str(&["id"])) {
            case.insert("pod", pod.clone());
        }
        if let Some(list) = self.exclusions.get(row.find_str(&["exclude"])) {
            case.insert("excludes", list.clone());
        }
        Value::object(case)
    }
}

/// One line for each class of the cases.
fn by_class(
    suite: &Suite,
    folder: &Path,
    mut check: impl FnMut(&Value, &mut Tally, &mut Vec<Difference>),
) -> Result<Vec<Line>, String> {
    let mut lines: Vec<Line> = Vec::new();
    for case in recorded::rows(&suite.input(folder))? {
        // Commands have no class: what is run stands for it.
        let command = || case.get("args").and_then(|args| args.at(0)).and_then(Value::as_str).unwrap_or("");
        let class = match case.find_str(&["class"]) {
            "" => command(),
            class => class,
        };
        let class = &class_with(class, &case);
        let name = if class.is_empty() { suite.name.to_owned() } else { format!("{}/{class}", suite.name) };
        let at = lines.iter().position(|line| line.name == name).unwrap_or_else(|| {
            let state = state(&name, class);
            lines.push(Line { name, state, tally: Tally::default(), differences: Vec::new() });
            lines.len() - 1
        });
        let Some(line) = lines.get_mut(at) else { continue };
        if line.state == State::NotYet && matches!(suite.answerer, Answerer::Program(_)) {
            line.tally.cases += 1;
        } else {
            check(&case, &mut line.tally, &mut line.differences);
        }
    }
    lines.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(lines)
}

/// A case on which the original crashes: the answer holds an `error` result, or a refused policy, and names it.
fn crash(case: &Value, tally: &mut Tally, differences: &mut Vec<Difference>) {
    let got = emit::answer("apply", &to_json(case));
    tally.cases += 1;
    tally.verdicts += 1;
    let rules = got.get("results").and_then(Value::as_array).unwrap_or_default().iter();
    let has_error = rules
        .flat_map(|result| result.get("rules").and_then(Value::as_array).unwrap_or_default())
        .any(|rule| rule.find_str(&["status"]) == "error" && !rule.find_str(&["message"]).is_empty());
    let is_refused =
        got.get("refusedPolicies").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    if has_error || is_refused {
        tally.verdicts_agree += 1;
        tally.words_agree += 1;
        tally.agree += 1;
    } else {
        differences.push(Difference {
            case: compare::key(case),
            what: "no error is named".into(),
            expected: "an error result or a refused policy".into(),
            got: to_json(&got),
        });
    }
}
