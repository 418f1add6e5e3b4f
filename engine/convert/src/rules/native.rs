//! Rules in CEL: what they say goes over as it is, but for blanks at the ends of lines.
//!
//! In: `validate.cel`. Out: the same expressions, variables and conditions.

use crate::refusal::{Class, Converted, below, refuse};
use crate::rules::validate::{Parts, Validation};
use engine_json::{Path, Value};

/// A rule in CEL.
pub(crate) fn rule(rule: &Value, cel: &Value, path: &Path, mut parts: Parts) -> Converted<Parts> {
    let place = below(path, ["validate", "cel"]);
    for (field, why) in [
        ("paramKind", "parameters, which are objects of the cluster"),
        ("paramRef", "parameters, which are objects of the cluster"),
        ("auditAnnotations", "annotations for the log of the API server"),
    ] {
        if cel.get(field).is_some() {
            return refuse(Class::Setting, &place.join(field), why);
        }
    }
    let list = |value: Option<&Value>| value.and_then(Value::as_array).unwrap_or_default().to_vec();
    let pair = |one: &Value| (one.find_str(&["name"]).to_owned(), tidied(one.find_str(&["expression"])));
    parts.conditions.extend(list(rule.get("celPreconditions")).iter().map(pair));
    parts.variables.extend(list(cel.get("variables")).iter().map(pair));
    let own = rule.find(&["validate", "message"]).and_then(Value::as_str).map(str::to_owned);
    let text = |one: &Value, field: &str| one.get(field).and_then(Value::as_str).map(str::to_owned);
    parts.validations = list(cel.get("expressions"))
        .iter()
        .map(|one| Validation {
            expression: tidied(one.find_str(&["expression"])),
            message: text(one, "message").or_else(|| own.clone()),
            message_expression: text(one, "messageExpression").map(|text| tidied(&text)),
        })
        .collect();
    Ok(parts)
}

/// An expression without blanks at the ends of its lines, with which YAML cannot write it as a block; they are part of it only in texts of several lines.
fn tidied(expression: &str) -> String {
    if expression.contains("\"\"\"") || expression.contains("'''") {
        return expression.to_owned();
    }
    let lines: Vec<&str> = expression.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}
