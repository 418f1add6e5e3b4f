//! The answer for programs.
//!
//! In: a [`Report`]. Out: JSON with every row.

use super::report::{Report, Side};
use crate::report::problems::described;
use engine::json::Value;
use engine_impact::{Class, Constructed, Row, Verdict};
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use engine_lenses::run::Positions;
use engine_lenses::wire::Range;

/// The whole document.
pub(super) fn json(report: &Report) -> String {
    let positions = Positions::new(&report.sources);
    let counts = Class::ALL.map(|class| (class.as_str(), number(report.counts.of(class))));
    let policies = report.sides.changed().map(|(at, pair)| {
        let change = pair.change.map_or("", |change| change.as_str());
        object([
            ("kind", text(&pair.kind)),
            ("name", text(&pair.name)),
            ("change", text(change)),
            ("matched", Value::Bool(report.spoke.contains(&at))),
            ("range", place(report.policy_place(at).as_ref())),
        ])
    });
    let changes = report.rows.iter().enumerate().map(|(at, one)| row(report, &positions, at, one));
    let constructed = report.constructed.iter().map(|one| built(report, one));
    let diagnostics = described(&report.problems).into_iter().map(|said| {
        object([
            ("code", text(&said.code)),
            ("severity", text(&said.severity)),
            ("message", text(&said.message)),
            ("range", place(said.range.as_ref())),
        ])
    });
    let undecided = report.undecided.iter().map(|(one, count)| {
        object([
            ("policy", text(report.name(one.pair))),
            ("rule", text(&one.rule)),
            ("message", text(&one.message)),
            ("objects", number(*count)),
        ])
    });
    let document = object([
        ("version", Value::from(1i64)),
        ("old", side(&report.old)),
        ("new", side(&report.new)),
        ("complete", Value::Bool(report.is_complete)),
        ("objects", number(report.objects)),
        ("evaluated", number(report.sides.evaluated())),
        ("counts", object(counts)),
        ("policies", Value::array(policies.collect())),
        ("changes", Value::array(changes.collect())),
        ("notListed", number(report.lost)),
        ("constructed", Value::array(constructed.collect())),
        ("undecided", Value::array(undecided.collect())),
        ("diagnostics", Value::array(diagnostics.collect())),
    ]);
    pretty(&document) + "\n"
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn number(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

fn side(Side { name, commit }: &Side) -> Value {
    object([("name", text(name)), ("commit", commit.as_deref().map_or(Value::Null, text))])
}

fn place(range: Option<&Range>) -> Value {
    range.map_or(Value::Null, |range| {
        object([
            ("name", text(&range.name)),
            ("line", Value::from(i64::from(range.line))),
            ("column", Value::from(i64::from(range.column))),
        ])
    })
}

fn row(report: &Report, positions: &Positions<'_>, at: usize, row: &Row) -> Value {
    let (object_of, origin, change) = (&row.object, &row.origin, &row.change);
    let [old, new] = &change.verdicts;
    let [old_message, new_message] = report.message(row);
    let range = row.span.and_then(|span| positions.of_span(span));
    let edit = report.details.get(&at).and_then(|shown| shown.edit.as_ref());
    let given = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
    let origin = object([
        ("template", given(&origin.template)),
        ("chart", given(&origin.chart)),
        ("release", given(&origin.release)),
        ("application", given(&origin.application)),
        ("hook", given(&origin.hook)),
    ]);
    object([
        ("class", text(change.class.as_str())),
        ("direction", text(change.class.direction().as_str())),
        ("policy", text(report.name(change.pair))),
        ("rule", text(&change.rule)),
        (
            "object",
            object([
                ("apiVersion", text(&object_of.api_version)),
                ("kind", text(&object_of.kind)),
                ("namespace", text(&object_of.namespace)),
                ("name", text(&object_of.name)),
                ("range", place(range.as_ref())),
            ]),
        ),
        (
            "owner",
            row.owner.as_ref().map_or(Value::Null, |owner| {
                object([("kind", text(&owner.kind)), ("name", text(&owner.name))])
            }),
        ),
        ("origin", if row.origin.is_empty() { Value::Null } else { origin }),
        ("old", verdict(old.as_ref(), old_message)),
        ("new", verdict(new.as_ref(), new_message)),
        ("diff", given(&change.diff)),
        (
            "edit",
            edit.map_or(Value::Null, |edit| {
                object([
                    ("path", text(&edit.path)),
                    ("after", edit.after.as_deref().map_or(Value::Null, text)),
                ])
            }),
        ),
    ])
}

fn verdict(verdict: Option<&Verdict>, message: Option<&str>) -> Value {
    verdict.map_or(Value::Null, |verdict| {
        object([
            ("status", text(verdict.status.as_str())),
            ("effect", text(verdict.effect.as_str())),
            ("message", text(message.unwrap_or_default())),
        ])
    })
}

fn built(report: &Report, one: &Constructed) -> Value {
    let finding = one.finding.as_ref();
    object([
        ("policy", text(report.name(one.pair))),
        ("grade", text(one.grade.as_str())),
        ("direction", finding.map_or(Value::Null, |finding| text(finding.direction.as_str()))),
        ("object", finding.map_or(Value::Null, |finding| finding.request.object.clone())),
        ("reason", if one.reason.is_empty() { Value::Null } else { text(&one.reason) }),
    ])
}
