//! Pods created in namespaces with a level of pod security, by a real API server.
//!
//! In: a Pod, and the answer for each level and version. Out: how many agree, and their words.

use super::{code, decision, hold, items, texts};
use crate::compare::{Difference, Tally};
use engine::json::Value;
use engine::podsecurity::{Level, PodView, Version, aggregate, evaluate};
use engine_celpolicy::as_stored;

/// The newest version that the server knows.
const LATEST: &str = "v1.36";

/// Holds a row.
pub fn check(row: &Value, tally: &mut Tally, differences: &mut Vec<Difference>) {
    // What is not valid did not come to admission.
    let answers = || items(row, "answers").iter().filter(|answer| code(answer) != 422);
    let wanted = answers().map(|answer| {
        let message = answer.find_str(&["message"]);
        let words = message.find("violates PodSecurity").and_then(|at| message.get(at..)).unwrap_or_default();
        // Some warn of fields of the Pod.
        let warned = texts(answer, "warn").filter(|text| text.starts_with("would violate"));
        said(answer, code(answer) < 300, words, warned.map(str::to_owned).collect())
    });
    let pod = as_stored(row.get("pod").unwrap_or(&Value::Null));
    let decided = answers().map(|answer| {
        let level = Level::parse(answer.find_str(&["level"])).unwrap_or(Level::Privileged);
        let version = answer.find_str(&["version"]);
        let known =
            Version::parse(if version == "latest" { LATEST } else { version }).unwrap_or(Version::Latest);
        let results = evaluate(level, known, &PodView::whole(&pod));
        let (is_allowed, detail) = (aggregate::is_allowed(&results), aggregate::detail(&results));
        let violates = format!("PodSecurity \"{}:{version}\": {detail}", answer.find_str(&["level"]));
        let words = if is_allowed { String::new() } else { format!("violates {violates}") };
        let warned = if is_allowed { Vec::new() } else { vec![format!("would violate {violates}")] };
        said(answer, is_allowed, &words, warned)
    });
    hold(row, wanted.collect(), decided.collect(), tally, differences);
}

fn said(answer: &Value, is_allowed: bool, words: &str, warned: Vec<String>) -> Value {
    let name = format!("{} {}", answer.find_str(&["level"]), answer.find_str(&["version"]));
    let warned = Value::array(warned.into_iter().map(Value::from).collect());
    let verdict = if is_allowed { "admitted" } else { "denied" };
    decision(name, verdict, Value::array(vec![Value::from(words), warned]))
}
