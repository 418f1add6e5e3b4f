//! Which steps of a trace decided, and the sentence that says so.
//!
//! In: a verdict with its steps. Out: the places of the decisive steps in the list, and a headline such as
//! `Refused, because this condition holds`. Nothing here touches the browser.

use engine_lenses::wire::Step;

use crate::state::Subject;
use crate::words::results::why as words;

/// More decisive steps than this are not an answer.
const MOST: usize = 6;

/// The steps that decided, by their place.
pub(crate) fn deciding(subject: Subject<'_>) -> Vec<usize> {
    let steps = subject.steps();
    let last = |wanted: &dyn Fn(&Step) -> bool| -> Vec<usize> {
        steps.iter().rposition(wanted).into_iter().collect()
    };
    let Some(rule) = subject.rule else { return last(&|step| step.outcome == "no") };
    let is_body = |step: &Step| {
        matches!(step.kind.as_str(), "condition" | "pattern" | "verdict" | "check" | "expression")
    };
    match rule.status.as_str() {
        "skip" => {
            let exception = last(&|step| step.kind == "exception" && step.outcome == "yes");
            if exception.is_empty() {
                last(&|step| step.outcome == "no" && step.kind != "match")
            } else {
                exception
            }
        }
        "error" => last(&|step| step.outcome == "error"),
        "pass" => {
            let fits = last(&|step| step.kind == "pattern" && step.outcome == "yes");
            if fits.is_empty() { last(&|step| is_body(step)) } else { fits }
        }
        _ => {
            let at_fault = |step: &Step| {
                is_body(step)
                    // Beside the checks that refuse stand those that were lifted.
                    && (!matches!(step.kind.as_str(), "check" | "expression") || step.outcome == "no")
                    && step.policy_range.as_ref().is_some_and(|range| rule.policy_ranges.contains(range))
            };
            let found: Vec<usize> = steps
                .iter()
                .enumerate()
                .filter(|(_, step)| at_fault(step))
                .map(|(at, _)| at)
                .take(MOST)
                .collect();
            if found.is_empty() { last(&|step| is_body(step)) } else { found }
        }
    }
}

/// What decided, in words.
pub(crate) fn headline(subject: Subject<'_>, decisive: &[usize]) -> String {
    let first = decisive.first().and_then(|at| subject.steps().get(*at));
    let kind = first.map_or("", |step| step.kind.as_str());
    let described =
        subject.rule.map_or(words::NO_RULE, |rule| words::headline(&rule.status, kind, decisive.len() > 1));
    described.to_owned()
}

#[cfg(test)]
mod tests;
