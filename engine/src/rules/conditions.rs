//! Evaluates blocks of conditions over a context.
//!
//! In: conditions with variables. Out: whether they hold, and the messages of those that decided.
//! Mirrors: pkg/engine/variables/evaluate.go.

use super::described;
use super::join_non_empty;
use crate::condition;
use crate::context::{JsonContext, variables};
use crate::policy::{Condition, Conditions};
use crate::trace::{Compared, Detail, Kind, Step, StepOutcome, Trace};
use engine_json::Value;

/// What conditions came to.
pub(crate) struct Outcome {
    pub(crate) holds: bool,
    /// Messages, variables not yet put in.
    pub(crate) message: String,
}

/// What the conditions are for; only the trace shows the difference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// They decide whether the rule applies.
    Precondition,
    /// They decide whether it fails.
    Deny,
}

/// Whether the conditions hold; no conditions hold.
pub(crate) fn evaluate(
    context: &mut JsonContext<'_>,
    conditions: Option<&Conditions>,
    trace: &mut Trace,
    role: Role,
) -> Result<Outcome, String> {
    match conditions {
        None => Ok(Outcome { holds: true, message: String::new() }),
        Some(Conditions::List(list)) => evaluate_list(context, list, trace, role),
        Some(Conditions::AnyAll { any, all }) => evaluate_any_all(context, any.as_deref(), all, trace, role),
    }
}

// Kyverno: evaluateOldConditions; the messages are joined by a semicolon alone.
fn evaluate_list(
    context: &mut JsonContext<'_>,
    list: &[Condition],
    trace: &mut Trace,
    role: Role,
) -> Result<Outcome, String> {
    let mut messages = Vec::new();
    for condition in list {
        if !evaluate_one(context, condition, trace, role)? {
            return Ok(Outcome { holds: false, message: condition.message.to_string() });
        }
        messages.push(condition.message.as_str());
    }
    Ok(Outcome { holds: true, message: join_non_empty(&messages, ";") })
}

// Kyverno: evaluateAnyAllConditionsWithContext; an `any` that is there but empty does not hold.
fn evaluate_any_all(
    context: &mut JsonContext<'_>,
    any: Option<&[Condition]>,
    all: &[Condition],
    trace: &mut Trace,
    role: Role,
) -> Result<Outcome, String> {
    let (mut held, mut failed) = (Vec::new(), Vec::new());
    let mut any_holds = any.is_none();
    for condition in any.unwrap_or_default() {
        if evaluate_one(context, condition, trace, role)? {
            any_holds = true;
            held.push(condition.message.as_str());
            break;
        }
        failed.push(condition.message.as_str());
    }
    let mut all_hold = true;
    for condition in all {
        if !evaluate_one(context, condition, trace, role)? {
            all_hold = false;
            failed.push(condition.message.as_str());
            break;
        }
        held.push(condition.message.as_str());
    }
    let holds = any_holds && all_hold;
    Ok(Outcome { holds, message: join_non_empty(if holds { &held } else { &failed }, "; ") })
}

fn evaluate_one(
    context: &mut JsonContext<'_>,
    condition: &Condition,
    trace: &mut Trace,
    role: Role,
) -> Result<bool, String> {
    let kind = match role {
        Role::Precondition => Kind::Precondition,
        Role::Deny => Kind::Condition,
    };
    described::listen(context, trace);
    let decided = decide(context, condition);
    let holds = decided.as_ref().map(|(holds, _, _)| *holds).map_err(String::clone);
    trace.record(|| match decided {
        Ok((holds, key, value)) => {
            let compared = Compared {
                operator: condition.operator.clone(),
                written: (condition.key.clone(), condition.value.clone()),
                resolved: (key, value),
                elements: context.elements(),
            };
            Step::of(kind, holds, Detail::Condition(Box::new(compared))).in_policy(&condition.path)
        }
        Err(error) => Step::new(kind, StepOutcome::Error, error).in_policy(&condition.path),
    });
    described::variables(context, trace, &condition.path);
    holds
}

fn decide(context: &mut JsonContext<'_>, condition: &Condition) -> Result<(bool, Value, Value), String> {
    let key = variables::substitute(context, &condition.key)
        .map_err(|error| format!("failed to substitute variables in condition key: {error}"))?;
    let value = variables::substitute(context, &condition.value)
        .map_err(|error| format!("failed to substitute variables in condition value: {error}"))?;
    let operator = condition::operator(&condition.operator)
        .ok_or_else(|| "failed to create handler for condition operator: %!w(<nil>)".to_owned())?;
    Ok((condition::holds(operator, &key, &value)?, key, value))
}
