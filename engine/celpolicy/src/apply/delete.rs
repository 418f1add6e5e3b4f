//! Whether a DeletingPolicy would delete an object.
//!
//! In: a policy, the exceptions for it, an object. Out: deleted or not, or nothing where the policy is not for it, or why that
//! cannot be said. Mirrors: `pkg/cel/policies/dpol/engine/engine.go`, `dpol/compiler/policy.go` of Kyverno 1.19.

use super::frame::Frame;
use super::known::mapping;
use super::matching::matches;
use super::{Conditions, Subject};
use crate::policy::Deleting;
use crate::why::Steps;
use engine::apply::Status;
use engine::trace::Step;
use engine_cel::error::Outcome;
use engine_cel::eval::Binding;
use engine_cel::function::Outside;
use engine_cel::value::Value;
use engine_json::Path;

/// Whether the policy deletes the object, whose kind may be known by its definition; nothing where it is not for it.
///
/// # Errors
/// Kyverno's words for what cannot be matched or evaluated.
pub fn deletes(
    policy: &Deleting,
    exceptions: Conditions<'_>,
    (subject, is_known): (&Subject, bool),
    is_payload: bool,
    outside: &dyn Outside,
) -> Result<Option<bool>, String> {
    if !is_payload {
        if !is_known {
            mapping(subject)?;
        }
        let Some(constraints) = &policy.policy.match_constraints else { return Ok(None) };
        let selected = matches(constraints, subject);
        if !selected.map_err(|error| format!("Internal error occurred: {error}"))? {
            return Ok(None);
        }
    }
    let frame = frame(policy, subject, outside);
    let mut is_exempt = false;
    for (_, conditions) in exceptions.present() {
        is_exempt |= frame.conditions(conditions)?;
    }
    if is_exempt {
        return Ok(Some(false));
    }
    frame.conditions(&policy.conditions).map(Some)
}

/// What the expressions of the policy are evaluated with.
fn frame<'w>(policy: &'w Deleting, subject: &'w Subject, outside: &'w dyn Outside) -> Frame<'w> {
    let mut frame = Frame::new(&policy.environment, &policy.variables, subject, outside);
    // Kyverno: declared, but of no value here.
    for name in ["request", "oldObject"] {
        frame.bind(name, Binding::Missing);
    }
    frame.bind("variables", Binding::Lazy);
    frame
}

/// The steps to whether the policy at this place deletes the object, where nothing exempts it.
pub(super) fn explained<W: Steps>(
    policy: &Deleting,
    subject: &Subject,
    outside: &dyn Outside,
    root: &Path,
) -> Vec<Step> {
    let frame = frame(policy, subject, outside);
    let mut questions =
        frame.questions((&policy.policy, root), &subject.object, ("conditions", &policy.conditions));
    // They decide as validations do: the first that does not hold keeps the object.
    questions.validations = std::mem::take(&mut questions.conditions);
    let outcomes: Vec<_> = policy.conditions.iter().map(|condition| frame.run(condition)).collect();
    let is_false = |outcome: &Outcome<'_>| matches!(outcome, Ok(Value::Bool(false)));
    let kept = outcomes.iter().position(is_false);
    let at = kept.or_else(|| outcomes.iter().position(|outcome| !matches!(outcome, Ok(Value::Bool(true)))));
    let status = if at.is_some() { Status::Fail } else { Status::Pass };
    W::steps(&questions, status, at)
}
