//! Cleanup policies: do the conditions say that an object goes?
//!
//! In: an object that a policy is for. Out: pass where it would be deleted, in the words of the original.
//! Mirrors: cmd/cli/kubectl-kyverno/commands/apply/command.go applyCleanupPolicies, pkg/utils/conditions.

use super::{RuleResult, Status, Subject, add_entries, conditions};
use crate::context::JsonContext;
use crate::policy::{Conditions, Rule};
use crate::trace::{StepOutcome, Trace};

/// A result of a cleanup policy; the note says why.
pub(crate) fn result(rule: &Rule, status: Status, message: &str, note: String) -> RuleResult {
    RuleResult { note, ..RuleResult::new(rule, status, message) }
}

/// Runs a policy that is for the object.
pub(crate) fn run<'a>(subject: &Subject<'a>, context: &mut JsonContext<'a>, trace: &mut Trace) -> RuleResult {
    let rule = subject.rule;
    if let Err(error) = add_entries(context, &rule.context, subject) {
        return result(rule, Status::Error, &error, "it is not decided, so nothing is deleted".to_owned());
    }
    let Some(block) = &rule.preconditions else {
        return result(
            rule,
            Status::Pass,
            "resource matched",
            "it matches, and there are no conditions".to_owned(),
        );
    };
    // Kyverno: CheckAnyAllConditions: all first, then any; an empty any holds.
    let block = match block {
        Conditions::AnyAll { any: Some(any), all } if any.is_empty() => {
            &Conditions::AnyAll { any: None, all: all.clone() }
        }
        other => other,
    };
    match conditions::evaluate(context, Some(block), trace, conditions::Role::Precondition) {
        Err(error) => {
            result(rule, Status::Error, &error, "it is not decided, so nothing is deleted".to_owned())
        }
        Ok(outcome) if outcome.holds => {
            result(rule, Status::Pass, "resource matched", "it matches, and the conditions hold".to_owned())
        }
        Ok(_) => {
            let steps = trace.take();
            let against = steps.iter().rfind(|step| step.outcome == StepOutcome::No);
            let reason = against.map_or_else(
                || "the conditions do not hold".to_owned(),
                |step| format!("a condition does not hold: {}", step.text()),
            );
            result(rule, Status::Fail, "resource did not match", reason)
        }
    }
}
