//! PolicyExceptions: does one lift this rule for this resource?
//!
//! In: the exceptions, a rule, a resource. Out: the skipped result that names those that apply, or nothing.
//! Mirrors: pkg/engine/exceptions.go, pkg/engine/utils/exceptions.go, pkg/utils/conditions.

use super::conditions::{self, Role};
use super::{RuleResult, Status, Subject};
use crate::context::JsonContext;
use crate::matching::exception_matches;
use crate::policy::{Conditions, Exception};
use crate::trace::{Kind, Step, Trace};
use engine_json::Path;

/// The result of a rule that exceptions lift.
pub(super) fn skip(
    subject: &Subject<'_>,
    context: &mut JsonContext<'_>,
    trace: &mut Trace,
) -> Option<RuleResult> {
    let applying = applying(subject, context, trace);
    if applying.is_empty() {
        return None;
    }
    let keys: Vec<String> = applying.iter().map(|exception| exception.key()).collect();
    // Kyverno: no blank before the first key.
    let message = format!("rule is skipped due to policy exceptions{}", keys.join(", "));
    let mut result = RuleResult::new(subject.rule, Status::Skip, message);
    result.exceptions =
        applying.iter().map(|exception| format!("{}/{}", exception.namespace, exception.name)).collect();
    Some(result)
}

/// The exceptions that name the rule and are for the resource.
pub(super) fn applying<'a>(
    subject: &Subject<'a>,
    context: &mut JsonContext<'_>,
    trace: &mut Trace,
) -> Vec<&'a Exception> {
    if subject.exceptions.is_empty() {
        return Vec::new();
    }
    let policy = subject.policy.key();
    let names_rule = |exception: &&Exception| {
        let mut targets = exception.targets.iter().filter(|target| target.policy == policy);
        targets.any(|target| target.rules.iter().any(|rule| rule.matches(&subject.rule.name)))
    };
    if trace.is_on() {
        subject.exceptions.iter().filter(|exception| !names_rule(exception)).for_each(|exception| {
            let is_for = exception.targets.iter().any(|target| target.policy == policy);
            let (key, rule) = (exception.key(), &subject.rule.name);
            let text = if is_for {
                format!("exception `{key}` is for other rules of the policy than `{rule}`")
            } else {
                format!("exception `{key}` is not for policy `{policy}`")
            };
            let path = Path::root().join("spec").join("exceptions");
            trace.record(|| Step::new(Kind::Exception, false, text).in_document(exception.document, &path));
        });
    }
    let mut found = Vec::new();
    // Each of them is described; else those that cannot be for a resource of this name need no look.
    let asked: Vec<&Exception> = if trace.is_on() {
        subject.exceptions.iter().collect()
    } else {
        subject.exceptions.about(&policy, subject.request.resource.name_or_generate_name())
    };
    for exception in asked.into_iter().filter(names_rule) {
        if !exception_matches(&exception.matches, exception.document, &subject.request, trace) {
            trace.record(|| {
                let text = format!("exception `{}` does not exempt it from the rule", exception.key());
                let path = Path::root().join("spec").join("match");
                Step::new(Kind::Exception, false, text).in_document(exception.document, &path)
            });
            continue;
        }
        // Kyverno: a mistake in the conditions is only logged, and the exception does not apply.
        let holds = match &exception.conditions {
            None => true,
            Some(conditions) => conditions_hold(conditions, context, trace),
        };
        trace.record(|| {
            let verb = if holds { "exempts it" } else { "does not exempt it" };
            Step::new(Kind::Exception, holds, format!("exception `{}` {verb} from the rule", exception.key()))
                .in_document(exception.document, &Path::root())
        });
        if holds {
            found.push(exception);
        }
    }
    found
}

// Kyverno: conditions.CheckAnyAllConditions: all first, then any; an empty any holds.
fn conditions_hold(block: &Conditions, context: &mut JsonContext<'_>, trace: &mut Trace) -> bool {
    let block = match block {
        Conditions::AnyAll { any: Some(any), all } if any.is_empty() => {
            &Conditions::AnyAll { any: None, all: all.clone() }
        }
        other => other,
    };
    conditions::evaluate(context, Some(block), trace, Role::Precondition).is_ok_and(|outcome| outcome.holds)
}
