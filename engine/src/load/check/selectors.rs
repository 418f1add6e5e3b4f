//! Match and exclude blocks: users, names, label selectors.
//! Mirrors: the Validate methods of match_resources_types.go, user_info_types.go, resource_description_types.go.

use super::refusal::{FieldError, FieldPath};
use super::schema::{LABEL_SELECTOR, MATCH, RESOURCES, go_json, label_key, label_value};
use super::{field, given, items, text, texts};
use crate::value::{go_text, wildcard};
use engine_json::{Segment, Value, to_json};

/// A `match` or an `exclude`.
pub(super) fn check_match(block: &Value, place: &FieldPath, namespaced: bool, errors: &mut Vec<FieldError>) {
    if !items(block, "any").is_empty() && !items(block, "all").is_empty() {
        errors.push(place.invalid(&go_json(block, &MATCH), "Can't specify any and all together"));
    }
    for key in ["any", "all"] {
        for (at, filter) in items(block, key).iter().enumerate() {
            check_filter(filter, &place.child(key).index(at), namespaced, errors);
        }
    }
    check_filter(block, place, namespaced, errors);
}

fn check_filter(filter: &Value, place: &FieldPath, namespaced: bool, errors: &mut Vec<FieldError>) {
    check_user_info(filter, place, errors);
    // The words leave `resources` out.
    let real = place.really(&[Segment::from("resources")]);
    check_resources(field(filter, "resources"), &real, namespaced, errors);
}

/// Subjects and roles.
pub(super) fn check_user_info(filter: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    for (at, subject) in items(filter, "subjects").iter().enumerate() {
        let place = place.child("subjects").index(at);
        let kind = text(subject, "kind");
        match kind {
            "" => errors.push(place.child("kind").required("")),
            "User" | "Group" | "ServiceAccount" => {}
            _ => {
                let detail = "kind must be 'User', 'Group', or 'ServiceAccount'";
                errors.push(place.child("kind").invalid_text(kind, detail));
            }
        }
        if text(subject, "name").is_empty() {
            errors.push(place.child("name").required(""));
        }
        if kind == "ServiceAccount" && text(subject, "namespace").is_empty() {
            errors
                .push(place.child("namespace").required("namespace is required when Kind is ServiceAccount"));
        }
    }
    for (at, role) in texts(filter, "roles").into_iter().enumerate() {
        if role.split(':').count() != 2 {
            let place = place.child("roles").index(at);
            errors.push(place.invalid_text(role, "Role is expected to be in namespace:name format"));
        }
    }
}

fn check_resources(resources: &Value, place: &FieldPath, namespaced: bool, errors: &mut Vec<FieldError>) {
    if !text(resources, "name").is_empty() && !items(resources, "names").is_empty() {
        errors.push(
            place.invalid(
                &go_json(resources, &RESOURCES),
                "Both name and names can not be specified together",
            ),
        );
    }
    if let Some(selector) = given(resources, "selector").filter(|selector| !has_wildcard(selector)) {
        let place = place.child("selector");
        let mut refuse =
            |detail: &str| errors.push(place.invalid(&go_json(selector, &LABEL_SELECTOR), detail));
        match requirements(selector) {
            Err(words) => refuse(&words),
            Ok(0) => refuse("The requirements are not specified in selector"),
            Ok(_) => {}
        }
    }
    if namespaced && !items(resources, "namespaces").is_empty() {
        errors.push(
            place.child("namespaces").forbidden("Filtering namespaces not allowed in namespaced policies"),
        );
    }
}

// Kyverno: kubeutils.LabelSelectorContainsWildcard looks at matchLabels alone.
fn has_wildcard(selector: &Value) -> bool {
    let labels = field(selector, "matchLabels").as_object();
    let wild = wildcard::contains_wildcard;
    labels
        .is_some_and(|labels| labels.iter().any(|(key, value)| wild(key) || value.as_str().is_some_and(wild)))
}

/// How many requirements a selector makes, or Kubernetes' words for why it is none.
// Go: metav1.LabelSelectorAsSelector.
fn requirements(selector: &Value) -> Result<usize, String> {
    let labels = field(selector, "matchLabels").as_object().cloned().unwrap_or_default();
    for (key, value) in labels.sorted() {
        requirement(key, None, &[value.as_str().unwrap_or("")])?;
    }
    let expressions = items(selector, "matchExpressions");
    for expression in expressions {
        let operator = text(expression, "operator");
        if !matches!(operator, "In" | "NotIn" | "Exists" | "DoesNotExist") {
            return Err(format!("{} is not a valid label selector operator", go_text::quote(operator)));
        }
        requirement(text(expression, "key"), Some(operator), &texts(expression, "values"))?;
    }
    Ok(labels.len() + expressions.len())
}

// Go: labels.NewRequirement.
fn requirement(key: &str, operator: Option<&str>, values: &[&str]) -> Result<(), String> {
    let mut errors = Vec::new();
    let words = label_key(key);
    if !words.is_empty() {
        errors.push(format!("key: Invalid value: {}: {}", go_text::quote(key), words.join("; ")));
    }
    match operator {
        Some("In" | "NotIn") if values.is_empty() => {
            errors.push(
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned(),
            );
        }
        Some("Exists" | "DoesNotExist") if !values.is_empty() => {
            let json = to_json(&Value::array(values.iter().map(|value| Value::from(*value)).collect()));
            errors.push(format!(
                "values: Invalid value: {json}: values set must be empty for exists and does not exist"
            ));
        }
        Some(_) | None => {}
    }
    for (at, value) in values.iter().enumerate() {
        let words = label_value(value);
        if !words.is_empty() {
            let quoted = go_text::quote(value);
            errors.push(format!("values[{at}][{key}]: Invalid value: {quoted}: {}", words.join("; ")));
        }
    }
    match errors.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}
