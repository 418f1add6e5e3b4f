//! What stands before the body of a rule, of a target and of an element of a loop: context entries, then preconditions.
//!
//! In: these parts, and the context. Out: nothing where the body is asked; else the verdict, in Kyverno's words.
//! Mirrors: pkg/engine/engine.go (invokeRuleHandler), pkg/engine/internal/preconditions.go.

use super::conditions::{self, Role};
use super::{Status, Subject, add_entries, join_non_empty};
use crate::context::JsonContext;
use crate::policy::{Conditions, ContextEntry};
use crate::trace::Trace;

/// The verdict where the body is not asked, and its message.
pub(super) type Stop = (Status, String);

/// Adds the entries to the context, then asks the preconditions.
pub(super) fn open<'a>(
    subject: &Subject<'a>,
    entries: &'a [ContextEntry],
    preconditions: Option<&Conditions>,
    context: &mut JsonContext<'a>,
    trace: &mut Trace,
) -> Result<(), Stop> {
    load(subject, entries, context)?;
    ask(preconditions, context, trace)
}

/// Adds the entries to the context.
pub(super) fn load<'a>(
    subject: &Subject<'a>,
    entries: &'a [ContextEntry],
    context: &mut JsonContext<'a>,
) -> Result<(), Stop> {
    add_entries(context, entries, subject)
        .map_err(|error| (Status::Error, format!("failed to load context: {error}")))
}

/// Asks the preconditions.
pub(super) fn ask(
    preconditions: Option<&Conditions>,
    context: &mut JsonContext<'_>,
    trace: &mut Trace,
) -> Result<(), Stop> {
    match conditions::evaluate(context, preconditions, trace, Role::Precondition) {
        Err(error) => Err((Status::Error, format!("failed to evaluate preconditions: {error}"))),
        Ok(outcome) if outcome.holds => Ok(()),
        Ok(outcome) => {
            Err((Status::Skip, join_non_empty(&["preconditions not met", &outcome.message], "; ")))
        }
    }
}
