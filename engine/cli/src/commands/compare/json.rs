//! The answer for programs.
//!
//! In: pairs with their answers. Out: JSON.

use super::Answered;
use engine::json::Value;
use engine_compare::{Comparison, Finding, RuleVerdict};
use engine_lenses::report::json::pretty;
use engine_lenses::report::object;
use engine_lenses::wire::Range;

/// `{"version": …, "pairs": […]}`.
pub(super) fn json(answered: &[Answered]) -> String {
    let pairs = answered.iter().map(pair).collect();
    let version = Value::from(engine_lenses::run::version().podsieve);
    pretty(&object([("version", version), ("pairs", Value::array(pairs))])) + "\n"
}

fn text(text: &str) -> Value {
    Value::from(text)
}

fn count(count: usize) -> Value {
    Value::from(i64::try_from(count).unwrap_or(i64::MAX))
}

fn range(range: Option<&Range>) -> Value {
    range.map_or(Value::Null, |range| {
        object([
            ("name", text(&range.name)),
            ("line", Value::from(i64::from(range.line))),
            ("column", Value::from(i64::from(range.column))),
        ])
    })
}

fn list(texts: &[String]) -> Value {
    Value::array(texts.iter().map(|one| text(one)).collect())
}

fn pair(Answered { pair, answer }: &Answered) -> Value {
    let reasons = answer.reasons.iter().map(|reason| {
        let place = range(reason.range.as_ref());
        object([("side", text(reason.side)), ("text", text(&reason.text)), ("range", place)])
    });
    let missed = answer.missed.iter();
    let missed = missed.map(|missed| object([("class", text(&missed.class)), ("text", text(&missed.text))]));
    object([
        ("old", text(&pair.old.name)),
        ("new", text(&pair.new.name)),
        ("grade", text(answer.grade.as_str())),
        ("findings", Value::array(answer.findings.iter().map(finding).collect())),
        ("reasons", Value::array(reasons.collect())),
        ("search", search(answer)),
        ("notNoticed", Value::array(missed.collect())),
        ("butFor", list(&answer.but_for)),
        ("assumptions", list(&answer.assumptions)),
    ])
}

fn search(answer: &Comparison) -> Value {
    let counts = &answer.counts;
    object([
        ("cases", count(counts.cases)),
        ("requests", count(counts.requests)),
        ("undecided", count(counts.undecided)),
        ("assumed", count(counts.assumed)),
        ("onlyWritten", count(counts.only_written)),
        ("places", count(counts.places)),
        ("oldBranches", count(counts.old_branches)),
        ("newBranches", count(counts.new_branches)),
        ("pairsMet", count(counts.pairs_met)),
        ("pairsNotMet", count(counts.pairs_not_met)),
        ("mutants", count(counts.mutants)),
        ("noticed", count(counts.noticed)),
    ])
}

fn finding(finding: &Finding) -> Value {
    let attributes = &finding.request.attributes;
    let [old, new] = finding.effects;
    let side = |at: usize| {
        let verdict = finding.verdicts.get(at).map(Vec::as_slice).unwrap_or_default();
        let left = finding.left.get(at).cloned().flatten();
        let generated = finding.generated.get(at).map(Vec::as_slice).unwrap_or_default();
        object([
            ("effect", text(if at == 0 { old } else { new }.as_str())),
            ("rules", Value::array(verdict.iter().map(rule_verdict).collect())),
            ("object", left.map_or(Value::Null, Value::from)),
            ("generated", list(generated)),
        ])
    };
    object([
        ("direction", text(finding.direction.as_str())),
        ("operation", text(attributes.operation.as_str())),
        ("subresource", finding.request.subresource().map_or(Value::Null, text)),
        ("gap", finding.gap.map_or(Value::Null, |gap| text(gap.as_str()))),
        ("object", finding.request.object.clone()),
        ("oldObject", attributes.old.clone().unwrap_or_default()),
        ("user", text(&attributes.user.username)),
        ("dryRun", Value::Bool(attributes.is_dry_run)),
        ("cluster", Value::array(attributes.cluster.as_deref().cloned().unwrap_or_default())),
        ("old", side(0)),
        ("new", side(1)),
    ])
}

fn rule_verdict(verdict: &RuleVerdict) -> Value {
    object([
        ("policy", text(&verdict.policy)),
        ("rule", text(&verdict.rule)),
        ("status", text(&verdict.status)),
        ("message", text(&verdict.message)),
        ("range", range(verdict.range.as_ref())),
    ])
}
