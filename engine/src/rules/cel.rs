//! `validate.cel`: the request as the language sees it, and what the rule says of it.
//!
//! In: a rule that matched, and what evaluates it. Out: its verdict.
//! Mirrors: pkg/engine/handlers/validation/validate_cel.go.

use super::{RuleResult, Status, Subject};
use crate::body::{AskedRule, RuleCheck, SaidByRule};
use crate::context::JsonContext;
use crate::load::Host;
use crate::trace::{Kind, Step, StepOutcome, Trace};

/// Runs the rule.
pub(super) fn run(
    subject: &Subject<'_>,
    rule: &dyn RuleCheck,
    context: &JsonContext<'_>,
    trace: &mut Trace,
) -> RuleResult {
    // Kyverno: the CLI's own request knows no CONNECT, whatever the context says.
    let operation = match subject.operation {
        operation @ ("UPDATE" | "DELETE") => operation,
        _ if subject.host == Host::Cli => "CREATE",
        operation => operation,
    };
    // Kyverno: an object that goes is the old one, and there is no other.
    let (object, old_object) = if subject.operation == "DELETE" {
        (None, Some(subject.resource))
    } else {
        (Some(subject.resource), subject.old_resource)
    };
    let SaidByRule { status, message, place, note, steps } = rule.evaluate(&AskedRule {
        object,
        old_object,
        gvk: subject.request.gvk,
        operation,
        user: subject.request.user,
        namespace_labels: subject.request.namespace_labels,
        host: subject.host,
        objects: context.evaluator.directory(),
        world: context.evaluator.world(),
        is_traced: trace.is_on(),
    });
    let mut result = RuleResult { note, ..RuleResult::new(subject.rule, status, message) };
    result.policy_paths.extend(place.map(|place| subject.rule.path.concat(&place)));
    if !steps.is_empty() {
        trace.extend(steps.into_iter().map(|step| {
            let place = step.policy_path.clone().unwrap_or_default();
            step.in_policy(&subject.rule.path.concat(&place))
        }));
        return result;
    }
    trace.record(|| {
        let outcome = match status {
            Status::Pass => StepOutcome::Yes,
            Status::Error => StepOutcome::Error,
            Status::Fail | Status::Warn | Status::Skip => StepOutcome::No,
        };
        let place = result.policy_paths.first().cloned();
        let place = place.unwrap_or_else(|| subject.rule.path.join("validate"));
        Step::new(Kind::Condition, outcome, result.message.clone()).in_policy(&place)
    });
    result
}
