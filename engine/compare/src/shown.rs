//! Which findings are shown, in which order.
//!
//! In: the findings of a search. Out: each cause once, what is let in first.

use crate::answer::{Finding, RuleVerdict};
use crate::difference::Direction;
use crate::objects::kinds::CONTROLLERS;
use crate::request::Operation;

/// Puts findings in order: what the policies themselves differ in, then what lies between their kinds or in odd texts; wider ones first, and of
/// several causes those of Pods before those of what makes them, and that with the smallest object. Of two
/// that the same lines decide in the same way, that of an update is left out: who reads the creation knows it.
pub(crate) fn arrange(findings: &mut Vec<Finding>) {
    findings.sort_by_cached_key(|finding| {
        let size = engine_json::to_json(&finding.request.object).len();
        let kind = finding.request.object.find_str(&["kind"]);
        let is_controller = CONTROLLERS.iter().any(|(_, known)| *known == kind);
        (finding.gap, finding.direction, finding.request.attributes.operation, is_controller, size)
    });
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        if !kept.iter().any(|before| says_as_much(before, &finding)) {
            kept.push(finding);
        }
    }
    *findings = kept;
}

/// How many findings that lie in the policies themselves are shown.
const MAX_SHOWN: usize = 9;

/// Leaves out findings where there are too many: the last of that kind of objects and direction of which there are most. Whether any was.
pub(crate) fn cut(findings: &mut Vec<Finding>) -> bool {
    let of = |finding: &Finding| (finding.request.object.find_str(&["kind"]).to_owned(), finding.direction);
    let before = findings.len();
    loop {
        let own = || findings.iter().filter(|finding| finding.gap.is_none());
        if own().count() <= MAX_SHOWN {
            return findings.len() < before;
        }
        let alike = |finding: &Finding| own().filter(|other| of(other) == of(finding)).count();
        let is_own = |(_, finding): &(usize, &Finding)| finding.gap.is_none();
        let last =
            findings.iter().enumerate().filter(is_own).max_by_key(|(at, finding)| (alike(finding), *at));
        let Some((at, _)) = last else { return findings.len() < before };
        findings.remove(at);
    }
}

/// Whether one finding says what the other would.
fn says_as_much(one: &Finding, other: &Finding) -> bool {
    let is_same_request = one.request == other.request && one.direction == other.direction;
    let operation = |finding: &Finding| finding.request.attributes.operation;
    let operations = (operation(one), operation(other));
    let is_of_update = operations == (Operation::Create, Operation::Update);
    // Two causes may become one when the requests are made smaller.
    let is_again = operations.0 == operations.1 && other.direction != Direction::Otherwise;
    let has_same_cause = (one.gap, one.direction, one.effects) == (other.gap, other.direction, other.effects)
        && other.request.subresource().is_none()
        && one.request.object.get("kind") == other.request.object.get("kind")
        && one.verdicts.each_ref().map(|all| cause(all)) == other.verdicts.each_ref().map(|all| cause(all));
    is_same_request || (is_of_update || is_again) && has_same_cause
}

/// The rules with their verdicts and the lines that decided, and not what they say.
fn cause(verdicts: &[RuleVerdict]) -> Vec<(&str, &str, &str, Option<u32>)> {
    let line = |verdict: &RuleVerdict| verdict.range.as_ref().map(|range| range.line);
    verdicts
        .iter()
        .map(|verdict| {
            (verdict.policy.as_str(), verdict.rule.as_str(), verdict.status.as_str(), line(verdict))
        })
        .collect()
}
