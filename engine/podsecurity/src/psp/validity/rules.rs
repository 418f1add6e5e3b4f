//! The rules of a policy: known names, and ranges that hold something.
//!
//! In: the spec of a policy. Out: errors such as `spec.runAsUser.ranges[0].min: Invalid value: -1: min cannot be negative`.

use super::{items, number, unsupported};
use engine_json::Value;

pub(super) fn check(spec: &Value, errors: &mut Vec<String>) {
    rule(spec, "runAsUser", &["MustRunAs", "MustRunAsNonRoot", "RunAsAny"], errors);
    ranges(spec, "runAsUser", errors);
    run_as_group(spec, errors);
    rule(spec, "seLinux", &["MustRunAs", "RunAsAny"], errors);
    for name in ["supplementalGroups", "fsGroup"] {
        rule(spec, name, &["MayRunAs", "MustRunAs", "RunAsAny"], errors);
        ranges(spec, name, errors);
    }
}

fn rule(spec: &Value, name: &str, supported: &[&str], errors: &mut Vec<String>) {
    let rule = spec.find_str(&[name, "rule"]);
    if !supported.contains(&rule) {
        errors.push(unsupported(&format!("spec.{name}.rule"), rule, supported));
    }
}

fn ranges(spec: &Value, name: &str, errors: &mut Vec<String>) {
    for (at, range) in items(spec, &[name, "ranges"]).iter().enumerate() {
        let field = format!("spec.{name}.ranges[{at}]");
        let (min, max) = (number(range, "min"), number(range, "max"));
        if min < 0 {
            errors.push(format!("{field}.min: Invalid value: {min}: min cannot be negative"));
        }
        if max < 0 {
            errors.push(format!("{field}.max: Invalid value: {max}: max cannot be negative"));
        }
        if min > max {
            errors.push(format!("{field}.min: Invalid value: {min}: min cannot be greater than max"));
        }
    }
}

fn run_as_group(spec: &Value, errors: &mut Vec<String>) {
    if spec.get("runAsGroup").is_none_or(Value::is_null) {
        return;
    }
    let list = items(spec, &["runAsGroup", "ranges"]);
    let field = "spec.runAsGroup.ranges";
    match spec.find_str(&["runAsGroup", "rule"]) {
        "RunAsAny" if list.is_empty() => {}
        "RunAsAny" => {
            errors.push(format!("{field}: Invalid value: {}: Ranges must be empty", ranges_text(list)));
        }
        "MustRunAs" | "MayRunAs" => {
            if list.is_empty() {
                // Go: a list that is written as empty prints otherwise than one that is not written.
                let is_set = spec.find(&["runAsGroup", "ranges"]).is_some_and(|list| !list.is_null());
                let value = if is_set { "[]policy.IDRange{}" } else { "[]policy.IDRange(nil)" };
                errors.push(format!("{field}: Invalid value: {value}: must provide at least one range"));
            }
            ranges(spec, "runAsGroup", errors);
        }
        other => {
            errors.push(unsupported("spec.runAsGroup.rule", other, &["MustRunAs", "RunAsAny", "MayRunAs"]));
        }
    }
}

/// Ranges as Go's `%#v` prints them.
fn ranges_text(list: &[Value]) -> String {
    let text = |range: &Value| {
        format!("policy.IDRange{{Min:{}, Max:{}}}", number(range, "min"), number(range, "max"))
    };
    format!("[]policy.IDRange{{{}}}", list.iter().map(text).collect::<Vec<_>>().join(", "))
}
