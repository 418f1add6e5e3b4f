//! The answer as SARIF 2.1.0 with `baselineState`.
//!
//! In: a [`Report`]. Out: a result for each row: `new` where more is held up, `absent` where less is, `updated` otherwise. Code scanning that reads no
//! `baselineState` is given those that are not absent.

use super::report::Report;
use crate::report::sarif::{Finding, document, fingerprint, logical, rule};
use engine::json::Value;
use engine_impact::{Direction, Row};
use engine_lenses::report::object;
use engine_lenses::run::Positions;

/// Which results are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Baseline {
    /// All of them.
    All,
    /// Those that are not absent from the new side.
    New,
}

/// The whole document.
pub(super) fn sarif(report: &Report, baseline: Baseline) -> String {
    let positions = Positions::new(&report.sources);
    let (mut rules, mut findings): (Vec<(String, Value)>, Vec<Finding>) = (Vec::new(), Vec::new());
    let rows = report.rows.iter().filter(|row| report.has_quiet || !row.change.class.is_quiet());
    for row in rows.filter(|row| baseline == Baseline::All || state(row) != "absent") {
        let id = id(report, row);
        if !rules.iter().any(|(known, _)| *known == id) {
            rules.push(rule(&id, &id));
        }
        findings.push(finding(report, &positions, row, &id));
    }
    document(&report.problems, (rules, findings))
}

fn id(report: &Report, row: &Row) -> String {
    format!("{}/{}", report.name(row.change.pair), row.change.rule).trim_end_matches('/').to_owned()
}

fn state(row: &Row) -> &'static str {
    match row.change.class.direction() {
        Direction::Stricter if row.change.verdicts.first().is_none_or(Option::is_none) => "new",
        Direction::Stricter => match &row.change.verdicts {
            [Some(old), _] if old.effect == engine::apply::Effect::Allow => "new",
            _ => "updated",
        },
        Direction::Wider => match &row.change.verdicts {
            [_, Some(new)] if new.effect != engine::apply::Effect::Allow => "updated",
            _ => "absent",
        },
        Direction::Otherwise => "updated",
    }
}

fn finding(report: &Report, positions: &Positions<'_>, row: &Row, id: &str) -> Finding {
    let level = match row.change.class.direction() {
        Direction::Stricter => "error",
        Direction::Wider => "note",
        Direction::Otherwise => "warning",
    };
    let [old, new] = report.message(row);
    let words = new.or(old).unwrap_or_default();
    let text = format!(
        "{}: {}{}{words}",
        row.object.words(),
        row.change.class.words(),
        if words.is_empty() { "" } else { ": " }
    );
    let range = row.span.and_then(|span| positions.of_span(span));
    let identity = [id, &row.object.kind, &row.object.namespace, &row.object.name];
    let mut finding = Finding::at(range, id, level, text);
    finding.related = report
        .policy_place(row.change.pair)
        .map(|range| ("the policy".to_owned(), range))
        .into_iter()
        .collect();
    finding.logical = logical(&row.origin);
    finding.more = vec![
        ("baselineState", Value::from(state(row))),
        ("partialFingerprints", object([("podsieve/v1", Value::from(fingerprint(&identity)))])),
    ];
    finding
}
