//! Which steps of a trace decided.
//!
//! In: a verdict and its steps. Out: places in the list of steps, the decisive one first.

use engine::apply::Status;
use engine::pattern::anchor::{self, Anchor};
use engine::trace::{Detail, Kind, Step, StepOutcome};
use engine_json::arrange::Arrange as _;
use engine_json::{Path, Segment};

/// More steps than this are not an answer.
const MOST: usize = 6;

/// What a rule came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is not for the resource.
    NoMatch,
    /// It said something.
    Decided(Status),
}

/// The steps that decided.
pub(super) fn of(verdict: Verdict, steps: &[Step]) -> Vec<usize> {
    let by_expression =
        all(steps, |step| matches!(&step.detail, Some(Detail::Expression(part)) if part.decides));
    let found = match verdict {
        Verdict::Decided(_) if !by_expression.is_empty() => by_expression,
        Verdict::NoMatch => not_matched(steps),
        Verdict::Decided(Status::Error) => last(steps, |step| step.outcome == StepOutcome::Error),
        Verdict::Decided(Status::Skip) => skipped(steps),
        Verdict::Decided(Status::Fail | Status::Warn) => failed(steps),
        Verdict::Decided(Status::Pass) => passed(steps),
    };
    let mut found = if found.is_empty() { last(steps, is_body) } else { found };
    found.truncate(MOST);
    found
}

/// Whether a rule that did not match did not match for the kind.
pub(super) fn is_about_kind(steps: &[Step]) -> bool {
    let decided = not_matched(steps).first().and_then(|at| steps.get(*at));
    decided.is_some_and(looks_at_kind)
}

fn looks_at_kind(step: &Step) -> bool {
    step.resource_path.as_ref().is_some_and(|path| *path == Path::root().join("kind"))
}

fn last(steps: &[Step], wanted: impl Fn(&Step) -> bool) -> Vec<usize> {
    steps.iter().rposition(wanted).into_iter().collect()
}

fn all(steps: &[Step], wanted: impl Fn(&Step) -> bool) -> Vec<usize> {
    steps.iter().enumerate().filter(|(_, step)| wanted(step)).map(|(at, _)| at).collect()
}

fn is_body(step: &Step) -> bool {
    matches!(step.kind, Kind::Condition | Kind::Expression | Kind::Pattern | Kind::Check | Kind::Verdict)
}

/// An exclude that took it out, or else each match block that refused it, the one that came furthest first.
fn not_matched(steps: &[Step]) -> Vec<usize> {
    let excluded = last(steps, |step| step.kind == Kind::Exclude && step.outcome == StepOutcome::Yes);
    if !excluded.is_empty() {
        return excluded;
    }
    let refuses = |step: &Step| step.kind == Kind::Match && step.outcome == StepOutcome::No;
    let mut refused = all(steps, |step| refuses(step) && !looks_at_kind(step));
    refused.extend(all(steps, |step| refuses(step) && looks_at_kind(step)));
    refused
}

fn skipped(steps: &[Step]) -> Vec<usize> {
    // The step about an exception as a whole stands at its root.
    let by_exception = |step: &Step| {
        step.kind == Kind::Exception
            && step.outcome == StepOutcome::Yes
            && step.policy_path.as_ref().is_some_and(|path| path.is_empty())
    };
    let exception = last(steps, by_exception);
    if !exception.is_empty() {
        return exception;
    }
    let existing = last(steps, |step| step.kind == Kind::OldObject && step.outcome == StepOutcome::Yes);
    let anchors = last(steps, |step| step.kind == Kind::Pattern && step.outcome == StepOutcome::No);
    let mut preconditions = all(steps, |step| {
        step.kind == Kind::Precondition && step.outcome == StepOutcome::No && step.depth == 0
    });
    preconditions.reverse();
    [existing, anchors, preconditions].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

fn failed(steps: &[Step]) -> Vec<usize> {
    // What was asked of the old object comes behind what was asked of the new one.
    let end = steps.iter().position(|step| step.kind == Kind::OldObject).unwrap_or(steps.len());
    let steps = steps.get(..end).unwrap_or(steps);
    // In loops the last element is the one at which the rule stopped.
    let element = steps.iter().rposition(|step| step.kind == Kind::Foreach && step.depth == 0).unwrap_or(0);
    let of_element = steps.get(element..).unwrap_or_default();
    let is_at_fault = |step: &Step| match step.kind {
        Kind::Condition => step.outcome == StepOutcome::Yes,
        Kind::Pattern => matches!(step.outcome, StepOutcome::No | StepOutcome::Error),
        Kind::Check => step.outcome == StepOutcome::No,
        _ => false,
    };
    let mut found: Vec<usize> = all(of_element, is_at_fault).into_iter().map(|at| at + element).collect();
    if found.is_empty() {
        // A deny without conditions: what let the rule begin decides.
        return last(steps, |step| step.kind == Kind::Precondition && step.outcome == StepOutcome::Yes);
    }
    // Of several patterns the one that was followed furthest is the likeliest to be meant.
    let depth = |at: &usize| {
        let step = steps.get(*at).filter(|step| step.kind == Kind::Pattern);
        step.and_then(|step| step.policy_path.as_ref()).map_or(0, |path| path.len())
    };
    found.arrange_by_key(|at| std::cmp::Reverse(depth(at)));
    found
}

/// The field of a pattern that fits, if possible one that is there and behind no condition; or the condition that
/// does not hold.
fn passed(steps: &[Step]) -> Vec<usize> {
    let Some(end) = steps.iter().rposition(|step| {
        (step.kind == Kind::Pattern && step.outcome == StepOutcome::Yes)
            || (step.kind == Kind::Condition && step.outcome == StepOutcome::No)
    }) else {
        return Vec::new();
    };
    let Some(decided) = steps.get(end) else { return Vec::new() };
    if decided.kind == Kind::Condition {
        let mut all = all(steps, |step| step.kind == Kind::Condition && step.outcome == StepOutcome::No);
        all.reverse();
        return all;
    }
    let begin = steps.iter().take(end).rposition(|step| step.depth <= decided.depth).map_or(0, |at| at + 1);
    let within = steps.get(begin..end).unwrap_or_default();
    let mut fields: Vec<(usize, usize)> = Vec::new();
    for (at, step) in within.iter().enumerate().filter(|(_, step)| step.outcome == StepOutcome::Yes) {
        let weight = match step.kind {
            Kind::Field => conditions_around(step),
            Kind::Anchor if anchor_of(step) == Some(Anchor::Negation) => 1 + conditions_around(step),
            Kind::Anchor if anchor_of(step) == Some(Anchor::Equality) && is_absent(step) => {
                1 + conditions_around(step)
            }
            _ => continue,
        };
        fields.push((weight, begin + at));
    }
    fields.arrange_by_key(|(weight, _)| *weight);
    let mut found: Vec<usize> = fields.into_iter().map(|(_, at)| at).collect();
    found.push(end);
    found
}

/// The anchor of the field of a pattern that a step is about.
pub(super) fn anchor_of(step: &Step) -> Option<Anchor> {
    step.policy_path.as_ref()?.last().and_then(anchor_at)
}

fn anchor_at(segment: &Segment) -> Option<Anchor> {
    match segment {
        Segment::Key(key) => anchor::parse(key).map(|(anchor, _)| anchor),
        Segment::Index(_) => None,
    }
}

fn is_absent(step: &Step) -> bool {
    matches!(&step.detail, Some(Detail::Pattern(part)) if part.found.is_null())
}

/// How many keys with conditions stand around a field of a pattern.
fn conditions_around(step: &Step) -> usize {
    let is_condition = |segment: &&Segment| {
        matches!(anchor_at(segment), Some(Anchor::Condition | Anchor::Global | Anchor::Equality))
    };
    step.policy_path.as_ref().map_or(0, |path| path.iter().filter(is_condition).count() * 2)
}
