//! The decisive step of every kind of verdict.

use engine_lenses::wire::{PolicyResult, Range, RuleResult, Step};

use super::{deciding, headline};
use crate::state::Subject;

fn step(kind: &str, outcome: &str, line: u32) -> Step {
    let range = Range { input: "policies".into(), line, ..Range::default() };
    Step { kind: kind.to_owned(), outcome: outcome.to_owned(), policy_range: Some(range), ..Step::default() }
}

/// The decisive steps' places and the headline of a rule with these steps, which decided in this line.
fn described(status: &str, steps: &[Step], line: u32) -> (Vec<usize>, String) {
    let range = Range { input: "policies".into(), line, ..Range::default() };
    let rule = RuleResult {
        status: status.into(),
        steps: steps.to_vec(),
        policy_ranges: vec![range],
        ..RuleResult::default()
    };
    let result = PolicyResult { rules: vec![rule], ..PolicyResult::default() };
    let subject = Subject { result: &result, rule: result.rules.first() };
    let decisive = deciding(subject);
    let words = headline(subject, &decisive);
    (decisive, words)
}

#[test]
fn a_failure_is_decided_by_the_condition_at_its_lines() {
    let steps = [step("match", "yes", 1), step("condition", "no", 5), step("condition", "yes", 7)];
    assert_eq!(
        described("fail", &steps, 7),
        (vec![2], "Fails, because a condition of deny holds".to_owned())
    );
}

#[test]
fn a_skip_is_decided_by_the_exception_or_the_precondition() {
    let steps = [step("match", "no", 1), step("match", "yes", 1), step("precondition", "no", 3)];
    assert_eq!(
        described("skip", &steps, 1),
        (vec![2], "Skipped, because a precondition does not hold".to_owned())
    );
    let steps = [step("exception", "yes", 1), step("precondition", "no", 3)];
    assert_eq!(described("skip", &steps, 1), (vec![0], "Skipped, because an exception applies".to_owned()));
}

#[test]
fn a_pass_is_decided_by_the_pattern_that_fits() {
    let steps = [step("pattern", "no", 3), step("pattern", "yes", 8)];
    assert_eq!(described("pass", &steps, 1), (vec![1], "Passes, because the pattern fits".to_owned()));
}

#[test]
fn no_match_is_told_by_the_last_refusal() {
    let steps = vec![step("match", "no", 1), step("match", "no", 4)];
    let result = PolicyResult { steps, ..PolicyResult::default() };
    let subject = Subject { result: &result, rule: None };
    assert_eq!(deciding(subject), [1]);
}

#[test]
fn a_failure_of_a_pod_security_rule_is_decided_by_its_checks() {
    let steps = [step("match", "yes", 1), step("check", "yes", 7), step("check", "no", 7)];
    assert_eq!(described("fail", &steps, 7), (vec![2], "Fails, because of this check".to_owned()));
    let steps = [step("check", "no", 7), step("check", "no", 7)];
    assert_eq!(described("warn", &steps, 7), (vec![0, 1], "Fails, because of these checks".to_owned()));
    assert_eq!(described("pass", &[step("check", "yes", 7)], 7), (vec![0], "Passes, because".to_owned()));
}
