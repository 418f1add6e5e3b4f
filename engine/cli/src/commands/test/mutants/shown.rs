//! The answer for people, and for programs.
//!
//! In: an [`Answer`]. Out: for each policy how many mistakes are noticed, and what shows the others.

use super::search::{Found, Standing};
use super::{Answer, Missed, Subject};
use crate::commands::compare::headline_of;
use crate::print::paint::Paint;
use crate::terminal::{one_line, plural};
use engine::json::Value;
use engine::yaml::emit::to_yaml_ordered;
use engine_compare::Finding;
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use engine_lenses::wire::Text;
use std::fmt::Write;

/// The sides of a difference.
const SIDES: [&str; 2] = ["the policy", "the mistake"];

/// The whole text.
pub(super) fn text(answer: &Answer, paint: Paint) -> String {
    let mut out = String::new();
    for (at, subject) in answer.subjects.iter().enumerate() {
        let missed: Vec<&Missed> = answer.of(at, Standing::Missed).collect();
        let noticed = answer.noticed.get(at).copied().unwrap_or_default();
        let all = noticed + missed.len();
        let place = format!("{}:{}", subject.file, subject.line);
        let count = format!("{noticed} of {} noticed", plural(all, "mistake"));
        let count = if missed.is_empty() { paint.good(&count) } else { paint.doubtful(&count) };
        let _ = writeln!(out, "{}  {}  {count}", one_line(&subject.name), paint.faint(&one_line(&place)));
        for (mistakes, shows) in alike(&missed, paint) {
            for mistake in mistakes {
                let _ = writeln!(out, "  {} {}", paint.bad("not noticed:"), one_line(mistake));
            }
            out.push_str(&shows);
        }
        for one in answer.of(at, Standing::Beyond) {
            if let Found::Shown { test: Err(why), .. } = &one.found {
                let _ =
                    writeln!(out, "  {} {} ({why})", paint.faint("no test can notice:"), one_line(&one.text));
            }
        }
    }
    let (noticed, all) = answer.counts();
    let policies = plural(answer.subjects.len(), "policy");
    let _ = writeln!(out, "{noticed} of {} noticed, in {policies}", plural(all, "mistake"));
    let beyond = answer.count(Standing::Beyond);
    if beyond > 0 {
        let _ = writeln!(out, "{} more: no test can notice any of them", plural(beyond, "mistake"));
    }
    let idle = answer.count(Standing::None);
    if idle > 0 {
        let _ = writeln!(
            out,
            "{} more: no request was found that any of them decides otherwise",
            plural(idle, "change")
        );
    }
    out
}

/// Mistakes that one object shows, and that object.
fn alike<'a>(missed: &[&'a Missed], paint: Paint) -> Vec<(Vec<&'a str>, String)> {
    let mut found: Vec<(Vec<&str>, String)> = Vec::new();
    for one in missed {
        let shows = shows(one, paint);
        match found.iter_mut().find(|(_, known)| *known == shows) {
            Some((mistakes, _)) => mistakes.push(&one.text),
            None => found.push((vec![&one.text], shows)),
        }
    }
    found
}

fn shows(missed: &Missed, paint: Paint) -> String {
    let mut out = String::new();
    match &missed.found {
        Found::Shown { finding, test } => {
            let _ = writeln!(out, "    {}", paint.faint(&headline_of(finding, SIDES)));
            indented(&mut out, "resource", &to_yaml_ordered(&finding.request.object));
            if let Ok(files) = test {
                indented(&mut out, "results", &to_yaml_ordered(&results(files)));
            }
        }
        Found::NotSearched(why) => {
            let _ = writeln!(out, "    nothing was searched that shows it: {}", one_line(why));
        }
        Found::Same | Found::Nothing => {}
    }
    out
}

fn indented(out: &mut String, title: &str, yaml: &str) {
    let _ = writeln!(out, "    {title}:");
    for line in yaml.lines() {
        let _ = writeln!(out, "      {line}");
    }
}

/// The entries of a test.
fn results(files: &[Text]) -> Value {
    super::written::test_of(files).and_then(|test| test.get("results").cloned()).unwrap_or(Value::Null)
}

/// The whole document.
pub(super) fn json(answer: &Answer) -> String {
    let policy = |(at, subject): (usize, &Subject)| {
        object([
            ("policy", Value::from(subject.name.as_str())),
            ("file", Value::from(subject.file.as_str())),
            ("line", Value::from(i64::from(subject.line))),
            ("noticed", number(answer.noticed.get(at).copied().unwrap_or_default())),
            ("missed", Value::array(answer.of(at, Standing::Missed).map(missed).collect())),
            ("beyondTests", Value::array(answer.of(at, Standing::Beyond).map(missed).collect())),
        ])
    };
    let (noticed, all) = answer.counts();
    let document = object([
        ("version", Value::from(1i64)),
        ("mistakes", number(all)),
        ("noticed", number(noticed)),
        ("policies", Value::array(answer.subjects.iter().enumerate().map(policy).collect())),
    ]);
    pretty(&document) + "\n"
}

fn number(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

fn missed(missed: &Missed) -> Value {
    let of = |finding: &Finding| [Value::from(finding.direction.as_str()), finding.request.object.clone()];
    let [direction, shows] = match &missed.found {
        Found::Shown { finding, .. } => of(finding),
        _ => [Value::Null, Value::Null],
    };
    let (results, why) = match &missed.found {
        Found::Shown { test: Ok(files), .. } => (results(files), Value::Null),
        Found::Shown { test: Err(why), .. } => (Value::Null, Value::from(*why)),
        Found::NotSearched(why) => (Value::Null, Value::from(why.as_str())),
        Found::Same | Found::Nothing => (Value::Null, Value::Null),
    };
    object([
        ("class", Value::from(missed.class)),
        ("mistake", Value::from(missed.text.as_str())),
        ("direction", direction),
        ("object", shows),
        ("results", results),
        ("why", why),
    ])
}
