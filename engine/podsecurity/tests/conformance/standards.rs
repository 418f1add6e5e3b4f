//! Suites `psa` and `psa-order`: Pods by level and version, and which checks run in which order.

use crate::{hold_each, object, rows, unless_empty};
use engine_json::{Value, parse};
use engine_podsecurity::{CheckResult, Level, PodView, Version, aggregate, applicable, evaluate};
use std::collections::BTreeMap;

/// The level and the version of a case.
pub(crate) fn policy(case: &Value) -> (Level, Version) {
    let level = Level::parse(case.find_str(&["level"])).unwrap();
    (level, Version::parse(case.find_str(&["version"])).unwrap_or(Version::Latest))
}

/// A case of suite `psa` as a row of the results.
fn answer(case: &Value) -> Value {
    let (level, version) = policy(case);
    let results = evaluate(level, version, &PodView::whole(&case.get("pod").cloned().unwrap_or_default()));
    let check = |result: &CheckResult| {
        object([
            ("id", Value::from(result.check.id)),
            ("allowed", Value::from(result.allowed)),
            ("reason", unless_empty(result.reason)),
            ("detail", unless_empty(&result.detail)),
        ])
    };
    object([
        ("id", case.get("id").cloned().unwrap_or_default()),
        ("level", case.get("level").cloned().unwrap_or_default()),
        ("version", case.get("version").cloned().unwrap_or_default()),
        ("allowed", Value::from(aggregate::is_allowed(&results))),
        ("forbiddenReason", unless_empty(&aggregate::reason(&results))),
        ("forbiddenDetail", unless_empty(&aggregate::detail(&results))),
        ("checks", Value::array(results.iter().map(check).collect())),
    ])
}

/// The Pods of a file by id.
pub(crate) fn pods(file: &str) -> Option<BTreeMap<String, Value>> {
    let rows = rows(file)?;
    Some(
        rows.into_iter()
            .map(|row| (row.find_str(&["id"]).to_owned(), row.get("pod").cloned().unwrap()))
            .collect(),
    )
}

fn hold_results(file: &str, pods_file: &str) {
    let (Some(rows), Some(pods)) = (rows(file), pods(pods_file)) else { return };
    hold_each(file, &rows, |row| {
        let (id, pod) = (row.get("id").cloned().unwrap(), pods[row.find_str(&["id"])].clone());
        let case = object([("id", id), ("pod", pod)]);
        let (level, version) = (row.get("level").cloned().unwrap(), row.get("version").cloned().unwrap());
        answer(&crate::with(&case, [("level", level), ("version", version)]))
    });
}

#[test]
fn the_projects_own_pods_get_the_verdicts_and_words_of_the_original() {
    hold_results("results.jsonl.gz", "pods.jsonl");
    hold_results("results-boundaries.jsonl.gz", "pods.jsonl");
}

#[test]
fn random_pods_get_the_verdicts_and_words_of_the_original() {
    hold_results("fuzz-results.jsonl.gz", "fuzz-pods.jsonl.gz");
    hold_results("fuzz-results-more.jsonl.gz", "fuzz-pods.jsonl.gz");
}

#[test]
fn the_checks_of_each_level_and_version_run_in_the_order_of_the_original() {
    let Some(rows) = rows("check-order.jsonl") else { return };
    hold_each("check-order.jsonl", &rows, |row| {
        let (level, version) = policy(row);
        let ids = applicable(level, version).map(|(check, _)| Value::from(check.id)).collect();
        crate::with(row, [("checks", Value::array(ids))])
    });
}

#[test]
fn a_case_reads_as_documented() {
    let case =
        parse(r#"{"id":"a","level":"baseline","version":"v1.99","pod":{"spec":{"hostIPC":true}}}"#).unwrap();
    assert_eq!(answer(&case).find_str(&["forbiddenDetail"]), "host namespaces (hostIPC=true)");
}
