//! The `reportProperties` of a rule, which its results carry into reports.
//!
//! In: a rule. Out: names and texts; with variables in them once the preconditions hold, as they are written before.
//! Mirrors: pkg/engine/internal/rule.go (SubstitutePropertiesInRule), pkg/engine/engine.go (invokeRuleHandler).

use super::RuleResult;
use crate::context::{JsonContext, variables};
use crate::policy::Rule;
use engine_json::Value;

/// The properties as they are written.
pub(super) fn written(rule: &Rule) -> Vec<(String, String)> {
    texts(&rule.report_properties).unwrap_or_default()
}

/// What a body said, with the properties as they were when its preconditions held.
pub(super) fn over<'a, R>(
    rule: &Rule,
    context: &mut JsonContext<'a>,
    body: impl FnOnce(&mut JsonContext<'a>) -> R,
) -> R
where
    for<'r> &'r mut R: IntoIterator<Item = &'r mut RuleResult>,
{
    let resolved = resolved(rule, context);
    let mut results = body(context);
    if let Some(resolved) = resolved {
        for result in &mut results {
            result.properties.clone_from(&resolved);
        }
    }
    results
}

/// Nothing where there are none, or where they do not resolve to texts: then all stay as written.
// Kyverno: the error is logged only.
fn resolved(rule: &Rule, context: &mut JsonContext<'_>) -> Option<Vec<(String, String)>> {
    if rule.report_properties.is_null() {
        return None;
    }
    texts(&variables::substitute(context, &rule.report_properties).ok()?)
}

/// A map of texts; nothing where a value is of another type.
// Go: null is the empty text.
fn texts(properties: &Value) -> Option<Vec<(String, String)>> {
    let Value::Object(map) = properties else { return None };
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.to_string()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    map.iter().map(|(key, value)| Some((key.to_string(), text(value)?))).collect()
}
