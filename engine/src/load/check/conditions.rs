//! Shapes of match blocks, and conditions: operators, missing parts, operations that do not exist.
//! Mirrors: validateResources and what it calls in pkg/validation/policy/validate.go.

use super::refusal::{FieldPath, Refusal, aggregate};
use super::schema::{RESOURCES, is_zero};
use super::{field, given, has_image_validate, items, selectors, text};
use crate::load::decode::nearest;
use crate::policy::Rule;
use engine_json::{Path, Value};

/// The part that the words name, the words, and the place.
type Problem = (String, String, Path);

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize) -> Result<(), Refusal> {
    let named =
        |(part, words, path): Problem| Refusal::new(format!("path: spec.rules[{at}].{part}: {words}"), path);
    check_blocks(rule, at).map_err(named)?;
    check_rule(rule).map_err(|problem| {
        let below = problem.2.iter().skip(rule.path.len());
        let written = rule.raw.at_path(below).and_then(Value::as_str).unwrap_or_default();
        let known = known_operator(written);
        let hint = known.map_or_else(String::new, |known| format!("write `{known}` for `{written}`"));
        named(problem).hinted(hint)
    })
}

/// The operator that is probably meant.
pub(super) fn known_operator(written: &str) -> Option<&'static str> {
    nearest(written, OPERATORS.iter().copied())
}

/// `any`, `all` and the old form do not mix, and something must be matched.
fn check_blocks(rule: &Rule, at: usize) -> Result<(), Problem> {
    let path = |key: &str| rule.path.join(key);
    let filled = |block: &Value, key: &str| !items(block, key).is_empty();
    let direct = |block: &Value| !is_zero(field(block, "resources"), &RESOURCES);
    if let Some(exclude) = given(&rule.raw, "exclude") {
        let mut errors = Vec::new();
        let place = FieldPath::new(format!("spec.rules[{at}].exclude"), path("exclude"));
        selectors::check_user_info(exclude, &place, &mut errors);
        aggregate(errors).map_err(|refusal| ("exclude".to_owned(), refusal.reason, refusal.path))?;
        let (any, all) = (filled(exclude, "any"), filled(exclude, "all"));
        if (any || all) && direct(exclude) {
            let words = "can't specify any/all together with exclude resources";
            return Err(("exclude.".to_owned(), words.to_owned(), path("exclude")));
        }
        if any && all {
            return Err((
                "match.".to_owned(),
                "can't specify any and all together".to_owned(),
                path("exclude"),
            ));
        }
    }
    let matches = field(&rule.raw, "match");
    let (any, all) = (filled(matches, "any"), filled(matches, "all"));
    if (any || all) && direct(matches) {
        let words = "can't specify any/all together with match resources";
        return Err(("match.".to_owned(), words.to_owned(), path("match")));
    }
    let key = if any { "any" } else { "all" };
    let bare = items(matches, key).iter().position(|filter| !direct(filter));
    let bare = match bare {
        Some(filter) => path("match").join(key).join(filter),
        None if !any && !all && !direct(matches) => path("match"),
        None => return Ok(()),
    };
    Err(("match.resources.".to_owned(), "match resources not specified".to_owned(), bare))
}

/// The conditions of a rule, wherever they stand.
fn check_rule(rule: &Rule) -> Result<(), Problem> {
    let raw = &rule.raw;
    check_both(field(raw, "preconditions"), "validate.preconditions", &rule.path.join("preconditions"))?;
    let validate = field(raw, "validate");
    let path = rule.path.join("validate");
    if let Some(conditions) = deny_conditions(validate) {
        check_both(conditions, "validate.deny.conditions", &path.join("deny").join("conditions"))?;
    }
    check_loops(items(validate, "foreach"), "validate.foreach", &path.join("foreach"))?;
    let mutate = field(raw, "mutate");
    check_loops(items(mutate, "foreach"), "mutate.foreach", &rule.path.join("mutate").join("foreach"))?;
    let validates = has_image_validate(raw);
    for (at, image) in items(raw, "verifyImages").iter().enumerate() {
        check_image(image, &rule.path.join("verifyImages").join(at), validates)?;
    }
    Ok(())
}

fn deny_conditions(body: &Value) -> Option<&Value> {
    given(field(body, "deny"), "conditions")
}

fn check_both(conditions: &Value, named: &str, path: &Path) -> Result<(), Problem> {
    check_values(conditions, named, path)?;
    check_operators(conditions, named, path)
}

/// The conditions of loops; nested ones are named by the whole way twice.
// Kyverno: validateValidationForEach and validateMutationForEach; the former looks at deny as well.
fn check_loops(loops: &[Value], named: &str, path: &Path) -> Result<(), Problem> {
    for (at, each) in loops.iter().enumerate() {
        let path = path.join(at);
        let preconditions = field(each, "preconditions");
        check_operators(preconditions, &format!("{named}.conditions"), &path.join("preconditions"))?;
        if let Some(conditions) = deny_conditions(each) {
            let path = path.join("deny").join("conditions");
            check_operators(conditions, &format!("{named}.deny.conditions"), &path)?;
        }
        check_loops(items(each, "foreach"), named, &path.join("foreach"))
            .map_err(|(part, words, path)| (format!("{named}.{part}"), words, path))?;
    }
    Ok(())
}

fn check_image(image: &Value, path: &Path, validates: bool) -> Result<(), Problem> {
    for (at, attestation) in items(image, "attestations").iter().enumerate() {
        for (which, conditions) in items(attestation, "conditions").iter().enumerate() {
            let path = path.join("attestations").join(at).join("conditions").join(which);
            check_operators(conditions, "verifyImages.attestations.conditions", &path)?;
        }
    }
    let validate = field(image, "validate");
    if validates && let Some(conditions) = deny_conditions(validate) {
        let path = path.join("validate").join("deny").join("conditions");
        check_both(conditions, "imageVerify.validate.deny.conditions", &path)?;
    }
    Ok(())
}

/// All conditions with the way to each, as the words have it and as it is.
pub(super) fn each(conditions: &Value) -> Vec<(String, Path, &Value)> {
    match conditions {
        Value::Array(list) => {
            let item = |(at, condition)| (format!("[{at}]"), Path::root().join(at), condition);
            list.iter().enumerate().map(item).collect()
        }
        Value::Object(_) => {
            let list = |key: &'static str| {
                let item = move |(at, condition)| {
                    (format!(".{key}[{at}]"), Path::root().join(key).join(at), condition)
                };
                items(conditions, key).iter().enumerate().map(item)
            };
            list("any").chain(list("all")).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

// Kyverno: validateConditions.
fn check_values(conditions: &Value, named: &str, path: &Path) -> Result<(), Problem> {
    for (step, inner, condition) in each(conditions) {
        let (key, value) = (field(condition, "key"), field(condition, "value"));
        let fault = |part: &str, words: String| (format!("{named}{step}.{part}"), words, path.concat(&inner));
        if key.is_null() || value.is_null() || text(condition, "operator").is_empty() {
            return Err(fault(
                "",
                "entered value of `key`, `value` or `operator` is missing or misspelled".to_owned(),
            ));
        }
        if key.as_str().is_some_and(|key| key.replace(' ', "") == "{{request.operation}}") {
            check_operation(value).map_err(|(part, words)| fault(&part, words))?;
        }
    }
    Ok(())
}

// Kyverno: validateConditionValuesKeyRequestOperation.
fn check_operation(value: &Value) -> Result<(), (String, String)> {
    let known = |text: &str| matches!(text, "CREATE" | "UPDATE" | "DELETE" | "CONNECT");
    let unknown = |text: &str| {
        format!(
            "unknown value '{text}' found under the 'value' field. Only the following values are allowed: [CREATE, UPDATE, DELETE, CONNECT]"
        )
    };
    let kind = match value {
        Value::String(text) if text.len() >= 4 && text.starts_with("{{") && text.ends_with("}}") => {
            return Ok(());
        }
        Value::String(text) if known(text) => return Ok(()),
        Value::String(text) => return Err((format!("value: {text}"), unknown(text))),
        Value::Array(list) => {
            for (at, item) in list.iter().enumerate() {
                let words = match item.as_str() {
                    Some(text) if known(text) => continue,
                    Some(text) => unknown(text),
                    None => {
                        let kind = item.go_type();
                        format!(
                            "'value[{at}]' found to be of the type {kind}. The provided values are expected to be strings"
                        )
                    }
                };
                return Err((format!("value[{at}]"), words));
            }
            return Ok(());
        }
        Value::Object(_) => "map",
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other.go_type(),
    };
    let words = format!(
        "'value' field found to be of the type {kind}. The provided value/values are expected to be either in the form of a string or list"
    );
    Err(("value".to_owned(), words))
}

pub(super) const OPERATORS: &[&str] = &[
    "Equal",
    "Equals",
    "NotEqual",
    "NotEquals",
    "In",
    "AnyIn",
    "AllIn",
    "NotIn",
    "AnyNotIn",
    "AllNotIn",
    "GreaterThanOrEquals",
    "GreaterThan",
    "LessThanOrEquals",
    "LessThan",
    "DurationGreaterThanOrEquals",
    "DurationGreaterThan",
    "DurationLessThanOrEquals",
    "DurationLessThan",
];

// Kyverno: the list comes in the random order of a Go map; conditions under `all` are named `any`.
fn check_operators(conditions: &Value, named: &str, path: &Path) -> Result<(), Problem> {
    for (step, inner, condition) in each(conditions) {
        if !OPERATORS.contains(&text(condition, "operator")) {
            let list =
                OPERATORS.iter().map(|operator| format!("\"{operator}\"")).collect::<Vec<_>>().join(" ");
            let words = format!("entered value of `operator` is invalid. valid values: [{list}]");
            let step = step.replacen(".all[", ".any[", 1);
            return Err((format!("{named}{step}."), words, path.concat(&inner).join("operator")));
        }
    }
    Ok(())
}
