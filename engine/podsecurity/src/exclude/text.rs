//! How Kyverno prints failed checks.
//!
//! In: results. Out: `(Forbidden reason: privileged, field error list: [spec.containers[0].securityContext.privileged
//! is forbidden, forbidden values found: true])`, one after the other with nothing between.
//!
//! Mirrors: pkg/pss/evaluate.go FormatChecksPrint

use crate::{CheckResult, Fault, Violation};
use engine_json::{Number, Value};
use std::fmt::Write;

/// All failed checks in one text; `rename` rewrites each field, as Kyverno does for workloads.
pub fn failure_text(results: &[CheckResult], rename: &dyn Fn(&str) -> String) -> String {
    let mut out = String::new();
    for result in results {
        let listed = result.violations.iter().filter(|_| result.check.lists_fields);
        let errors: Vec<String> = listed.map(|error| listed_text(error, &rename(&error.field()))).collect();
        let (reason, errors) = (result.reason, errors.join(", "));
        // Writing to a String cannot fail.
        let _ = write!(out, "(Forbidden reason: {reason}, field error list: [{errors}])");
    }
    out
}

/// One error of the list, for the given spelling of the field.
pub fn listed_text(violation: &Violation, field: &str) -> String {
    match (violation.fault, go_text(&violation.bad_value())) {
        (Fault::Forbidden | Fault::Unset, value) if !value.is_empty() => {
            format!("{field} is forbidden, forbidden values found: {value}")
        }
        (Fault::Forbidden | Fault::Unset | Fault::Required | Fault::WrongType(_), _) => {
            violation.error_text(field)
        }
    }
}

/// The containers that a detail names, as Kyverno finds them to add their images to a report: the text between the
/// first `container` or `containers` and the next `must`, cut at commas.
// Kyverno: the regular expression `container(?:s)?\s*(.*?)\s*must` in validate_pss.go.
pub fn named_containers(detail: &str) -> Option<Vec<String>> {
    let mut rest = detail;
    while let Some((_, after)) = rest.split_once("container") {
        let names = after.strip_prefix('s').unwrap_or(after).trim_start();
        if let Some((names, _)) = names.split_once("must")
            && !names.trim_end().contains('\n')
        {
            let names = names.trim_end().replace(['"', ' '], "");
            return Some(names.split(',').map(str::to_owned).collect());
        }
        rest = after;
    }
    None
}

/// A bad value as Go's `%+v` prints it: lists in brackets, nothing quoted.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::Bool(b) => b.to_string(),
        Value::Number(Number::Int(number)) => number.to_string(),
        Value::Number(number @ (Number::Uint(_) | Number::Float(_))) => {
            engine_json::to_json(&Value::from(*number))
        }
        Value::String(text) => text.to_string(),
        Value::Array(list) => format!("[{}]", list.iter().map(go_text).collect::<Vec<_>>().join(" ")),
    }
}
