//! Updates: may a rule fail for what the old object had already?
//!
//! In: a rule that fails for the new object. Out: whether the old one fails it too, where the policy lets that be.
//! Mirrors: validateOldObject of pkg/engine/handlers/validation/{validate_resource,validate_pss}.go.

use super::conditions::{self, Role};
use super::{RuleResult, Status, Subject};
use crate::context::JsonContext;
use crate::matching::{Request, UserInfo, rule_matches};
use crate::policy::{Action, Validate};
use crate::trace::{Kind, Step, StepOutcome, Trace};
use engine_json::Value;

/// The message of a rule that lets in what failed before.
pub const EXISTING_ALLOWED: &str = "skipping the rule evaluation as pre-existing violations are allowed";

/// What a failed result becomes on an update: skipped where the old object fails too.
///
/// `evaluate` runs the rule's body; it is called with the old object as if it were created.
pub(super) fn allow_existing<'a>(
    result: RuleResult,
    subject: &Subject<'a>,
    body: &'a Validate,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
    evaluate: impl FnOnce(&Subject<'a>, &mut JsonContext<'a>, &mut Trace) -> Option<RuleResult>,
) -> RuleResult {
    let action = body.failure_action.unwrap_or(subject.policy.failure_action);
    let lenient =
        action == Action::Enforce && body.allow_existing_violations && subject.operation == "UPDATE";
    let Some(old) = subject.old_resource.filter(|_| lenient && result.status == Status::Fail) else {
        return result;
    };
    trace.record(|| Step::new(Kind::OldObject, StepOutcome::Note, "the old object, as if it were created"));
    trace.enter();
    context.replace(&["request", "object"], old.value.clone());
    context.replace(&["request", "oldObject"], Value::Null);
    context.set_operation("CREATE");
    let fails = {
        let nobody = UserInfo::nobody();
        let request = Request {
            resource: old,
            gvk: &old.gvk,
            subresource: "",
            operation: "CREATE",
            user: &nobody,
            ..subject.request
        };
        let preconditions = subject.rule.preconditions.as_ref();
        let evaluated = conditions::evaluate(context, preconditions, trace, Role::Precondition);
        let applies =
            evaluated.is_ok_and(|outcome| outcome.holds) && rule_matches(subject.rule, &request, trace);
        let as_created = Subject { resource: old, operation: "CREATE", ..*subject };
        applies && evaluate(&as_created, context, trace).is_some_and(|result| result.status == Status::Fail)
    };
    context.replace(&["request", "object"], subject.resource.value.clone());
    context.replace(&["request", "oldObject"], old.value.clone());
    context.set_operation("UPDATE");
    trace.leave();
    trace.record(|| {
        let text = if fails {
            "the old object fails too, and `allowExistingViolations` lets that be"
        } else {
            "the old object did not fail: the update brings the violation"
        };
        Step::new(Kind::OldObject, fails, text)
    });
    if !fails {
        return result;
    }
    RuleResult { message: EXISTING_ALLOWED.to_owned(), status: Status::Skip, ..result }
}
