//! `conformance check`: every suite under a folder, one line each.
//!
//! In: the folder of the recorded answers, or one below it. Out: a line for each suite, and for each class of a suite that has classes, with cases, verdicts
//! and words that agree; a last line with the totals. The run fails if an answer of a complete suite differs, unless
//! docs/differences.md says why its words do.

use crate::compare::{self, Difference, Tally};
use crate::suites::{Answerer, FUZZ_PODS, NOT_YET_CLASS, NOT_YET_ON_PAGE, PODS, SUITES, State, Suite, state};
use crate::{emit, links, mesh, program, recorded, trees};
use engine::json::{Map, Value, parse, to_json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What to run and what to show.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many differences of each suite are shown.
    pub show: usize,
    /// Only suites whose name begins so; all where empty.
    pub only: String,
}

/// One line of the report.
#[derive(Clone, Debug)]
struct Line {
    name: String,
    state: State,
    tally: Tally,
    differences: Vec<Difference>,
}

/// Runs all suites, handing each finished line to `describe`; whether no complete suite has a difference.
pub fn run(folder: &Path, options: &Options, mut describe: impl FnMut(&str)) -> bool {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_good = true;
    describe(&format!("{:<34} {:>7} {:>7} {:>15} {:>15}", "suite", "cases", "agree", "verdicts", "words"));
    let root = root_of(folder);
    let is_wanted =
        |suite: &&Suite| suite.name.starts_with(&options.only) && suite.expected(root).starts_with(folder);
    for suite in SUITES.iter().filter(is_wanted) {
        match lines_of(suite, root) {
            Ok(of_suite) => {
                for line in of_suite {
                    describe(&shown(&line, options.show));
                    lines.push(line);
                }
            }
            Err(error) => {
                is_good = false;
                describe(&format!("{:<34} could not be read: {error}", suite.name));
            }
        }
    }
    let total = |wanted: &[State]| {
        let mut tally = Tally::default();
        lines.iter().filter(|line| wanted.contains(&line.state)).for_each(|line| tally.add(line.tally));
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
    let unexplained = unexplained(&lines);
    for (suite, case) in &unexplained {
        describe(&format!("docs/differences.md does not say why the words of {case} in {suite} differ"));
    }
    is_good
        && unexplained.is_empty()
        && lines.iter().all(|line| line.state != State::Complete || line.tally.is_whole())
}

/// The cases of complete suites that differ, in words at least, and that docs/differences.md does not name.
fn unexplained(lines: &[Line]) -> Vec<(&str, &str)> {
    let explained = include_str!("../../docs/differences.md");
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

fn lines_of(suite: &Suite, folder: &Path) -> Result<Vec<Line>, String> {
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
            let (tally, differences) = mesh::check::run(&mesh::records(folder)?)?;
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
            let pods = Pods::read(folder)?;
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
    fn read(folder: &Path) -> Result<Self, String> {
        let mut pods = BTreeMap::new();
        for file in [PODS, FUZZ_PODS] {
            for row in recorded::rows(&folder.join(file))? {
                pods.insert(row.find_str(&["id"]).to_owned(), row.get("pod").cloned().unwrap_or_default());
            }
        }
        let text = recorded::text(&folder.join("podsecurity/kyverno-excludes.json"))?;
        Ok(Pods { pods, exclusions: parse(&text).map_err(|error| error.to_string())? })
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
