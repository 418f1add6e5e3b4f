//! What has to be true of a field and stands in no table: a function for each row that names it.

use super::expressions::Part;
use super::words::{by_release, label_key_of};
use super::{At, Said, is_absent, items};
use crate::compile::Wanted;
use crate::functions::names;
use engine_json::{Map, Value};
use std::collections::BTreeSet;

fn text<'v>(at: &At<'v>) -> &'v str {
    at.value.as_str().unwrap_or("")
}

fn each(said: &mut Said<'_>, at: &At<'_>, wrong: Vec<String>) {
    for detail in wrong {
        said.invalid(&at.path, at.value, &detail);
    }
}

pub(super) fn name(at: &At<'_>, said: &mut Said<'_>) {
    match (text(at), at.parent.find_str(&["generateName"])) {
        ("", "") => said.required(&at.path, "name or generateName is required"),
        ("", start) => {
            let wrong = names::subdomain(&names::before_suffix(start));
            for detail in wrong {
                said.invalid("metadata.generateName", &Value::from(start), &detail);
            }
        }
        (name, _) => each(said, at, names::subdomain(name)),
    }
}

/// Labels, or what a selector wants of them.
pub(super) fn labels(at: &At<'_>, said: &mut Said<'_>) {
    for (key, value) in at.value.as_object().into_iter().flat_map(Map::iter) {
        for detail in label_key_of(said, key) {
            said.invalid(&at.path, &Value::String(key.clone()), &detail);
        }
        for detail in names::label_value(value.as_str().unwrap_or("")) {
            said.invalid(&at.path, value, &detail);
        }
    }
}

pub(super) fn annotations(at: &At<'_>, said: &mut Said<'_>) {
    for key in at.value.as_object().into_iter().flat_map(Map::keys) {
        for detail in label_key_of(said, &key.to_lowercase()) {
            said.invalid(&at.path, &Value::String(key.clone()), &detail);
        }
    }
}

/// An owner: the server does not say which one.
pub(super) fn owner(at: &At<'_>, said: &mut Said<'_>) {
    let list = "metadata.ownerReferences";
    for (field, detail) in [
        ("apiVersion", "version must not be empty"),
        ("kind", "must not be empty"),
        ("name", "must not be empty"),
        ("uid", "must not be empty"),
    ] {
        if at.value.find_str(&[field]).is_empty() {
            said.invalid(&format!("{list}.{field}"), &Value::from(""), detail);
        }
    }
}

pub(super) fn operator(at: &At<'_>, said: &mut Said<'_>) {
    let values = at.value.get("values").map(items).unwrap_or_default();
    let (field, operator) = (format!("{}.values", at.path), at.value.find_str(&["operator"]));
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            said.required(&field, "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            said.forbidden(&field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => {
            said.invalid(
                &format!("{}.operator", at.path),
                &Value::from(other),
                "not a valid selector operator",
            );
        }
    }
}

pub(super) fn label_key(at: &At<'_>, said: &mut Said<'_>) {
    for detail in label_key_of(said, text(at)) {
        said.invalid(&at.path, &Value::from(text(at)), &detail);
    }
}

pub(super) fn label_values(at: &At<'_>, said: &mut Said<'_>) {
    for (place, value) in items(at.value).iter().enumerate() {
        for detail in names::label_value(value.as_str().unwrap_or("")) {
            said.invalid(&format!("{}[{place}]", at.path), value, &detail);
        }
    }
}

/// What is wrong with a name that becomes a part of a path.
// apimachinery: content.IsPathSegmentName.
fn path_segment(name: &str) -> Vec<String> {
    if [".", ".."].contains(&name) {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|part| name.contains(part))
        .map(|part| format!("may not contain '{part}'"))
        .collect()
}

pub(super) fn resource_names(at: &At<'_>, said: &mut Said<'_>) {
    let mut known = BTreeSet::new();
    for (place, name) in items(at.value).iter().enumerate() {
        let field = format!("{}[{place}]", at.path);
        for detail in path_segment(name.as_str().unwrap_or("")) {
            said.invalid(&field, name, &detail);
        }
        if !known.insert(name.as_str()) {
            said.duplicate(&field, name);
        }
    }
}

// Kubernetes: validateResources.
pub(super) fn resources(at: &At<'_>, said: &mut Said<'_>) {
    let all = items(at.value);
    if all.is_empty() {
        said.required(&at.path, "");
    }
    let (mut any_of, mut any_with) = (BTreeSet::new(), BTreeSet::new());
    // Kubernetes: the last of them that has no subresource decides.
    let mut is_last_named = false;
    for (place, item) in all.iter().enumerate() {
        let (field, text) = (format!("{}[{place}]", at.path), item.as_str().unwrap_or(""));
        if text.is_empty() {
            said.required(&field, "");
            continue;
        }
        let Some((resource, sub)) = text.split_once('/') else {
            is_last_named = text != "*";
            continue;
        };
        if any_of.contains(resource) {
            said.invalid(&field, item, &format!("if '{resource}/*' is present, must not specify {text}"));
        }
        if any_with.contains(sub) {
            said.invalid(&field, item, &format!("if '*/{sub}' is present, must not specify {text}"));
        }
        if sub == "*" {
            any_of.insert(resource);
        }
        if resource == "*" {
            any_with.insert(sub);
        }
    }
    let has = |wanted: &str| all.iter().any(|item| item.as_str() == Some(wanted));
    if all.len() > 1 && has("*/*") {
        said.invalid(&at.path, at.value, "if '*/*' is present, must not specify other resources");
    }
    if has("*") && is_last_named {
        let detail = "if '*' is present, must not specify other resources without subresources";
        said.invalid(&at.path, at.value, detail);
    }
}

// Kubernetes: validateParamKind.
pub(super) fn param_kind(at: &At<'_>, said: &mut Said<'_>) {
    if at.value.is_null() {
        return;
    }
    let (version, kind) = (at.value.find_str(&["apiVersion"]), at.value.find_str(&["kind"]));
    let field = format!("{}.apiVersion", at.path);
    let given = Value::from(version);
    match version.split('/').collect::<Vec<_>>().as_slice() {
        [""] => said.required(&field, ""),
        ["", ""] => said.invalid(&field, &given, "version must be specified"),
        [_] | [_, _] => {
            let (group, version) = version.rsplit_once('/').unwrap_or(("", version));
            let wrong = if group.is_empty() { Vec::new() } else { names::subdomain(group) };
            if !wrong.is_empty() {
                said.invalid(&field, &Value::from(group), &wrong.join(","));
            }
            let wrong = names::old_label(version);
            if version.is_empty() {
                said.invalid(&field, &given, "version must be specified");
            } else if !wrong.is_empty() {
                said.invalid(&field, &Value::from(version), &wrong.join(","));
            }
        }
        _ => said.invalid(&field, &given, &format!("unexpected GroupVersion string: {version}")),
    }
    let field = format!("{}.kind", at.path);
    let wrong = names::old_label(&kind.to_lowercase());
    if kind.is_empty() {
        said.required(&field, "");
    } else if !wrong.is_empty() {
        let detail = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
        said.invalid(&field, &Value::from(kind), &detail);
    }
}

pub(super) fn at_most_64(at: &At<'_>, said: &mut Said<'_>) {
    const MOST: usize = 64;
    let count = items(at.value).len();
    if count > MOST {
        said.push(&at.path, format!("Too many: {count}: must have at most {MOST} items"));
    }
}

pub(super) fn at_most_20(at: &At<'_>, said: &mut Said<'_>) {
    const MOST: usize = 20;
    if items(at.value).len() <= MOST {
        return;
    }
    // Go: the list is of a type whose fields have no other names.
    let named = |annotation: &Value| -> Value {
        let field = |name: &str| Value::from(annotation.find_str(&[name]));
        [("Key", field("key")), ("ValueExpression", field("valueExpression"))]
            .into_iter()
            .collect::<Map>()
            .into()
    };
    let shown = Value::array(items(at.value).iter().map(named).collect());
    said.invalid(&at.path, &shown, &format!("must not have more than {MOST} auditAnnotations"));
}

/// A name that none of those before it has; one that is empty was named already.
pub(super) fn unique(at: &At<'_>, said: &mut Said<'_>) {
    let name = at.path.rsplit('.').next().unwrap_or("");
    let before = at.siblings.iter().take(at.place);
    let is_known = before.into_iter().any(|other| other.find_str(&[name]) == text(at));
    // Kubernetes: an empty key is one all the same.
    if is_known && (name == "key" || !text(at).is_empty()) {
        said.duplicate(&at.path, &Value::from(text(at)));
    }
}

fn expression(at: &At<'_>, said: &mut Said<'_>, part: Part, (text, shown): (&str, &str), wanted: Wanted) {
    if let Some(words) = said.expressions.fault(part, text, shown, wanted) {
        said.push(&at.path, words);
    }
}

pub(super) fn condition(at: &At<'_>, said: &mut Said<'_>) {
    match text(at).trim() {
        "" => said.required(&at.path, ""),
        trimmed => expression(at, said, Part::Condition, (trimmed, trimmed), Wanted::Bool),
    }
}

pub(super) fn condition_name(at: &At<'_>, said: &mut Said<'_>) {
    match text(at) {
        "" => said.required(&at.path, ""),
        name => each(said, at, label_key_of(said, name)),
    }
}

/// Words that are no name in CEL.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

pub(super) fn variable_name(at: &At<'_>, said: &mut Said<'_>) {
    let name = text(at);
    if name.trim().is_empty() {
        return said.required(&at.path, "name is not specified");
    }
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_name || RESERVED.contains(&name) {
        let words = by_release(said, "name is not a valid CEL identifier", "must be a valid CEL identifier");
        said.invalid(&at.path, at.value, words);
    }
}

pub(super) fn variable(at: &At<'_>, said: &mut Said<'_>) {
    if text(at).trim().is_empty() {
        return said.required(&at.path, "expression is not specified");
    }
    if let Some(words) = said.expressions.declare(at.parent.find_str(&["name"]), text(at)) {
        said.push(&at.path, words);
    }
}

pub(super) fn asks_something(at: &At<'_>, said: &mut Said<'_>) {
    const FIELDS: [&str; 2] = ["validations", "auditAnnotations"];
    if FIELDS.iter().all(|field| at.value.get(field).is_none_or(is_absent)) {
        let detail = "validations or auditAnnotations must contain at least one item";
        for field in FIELDS {
            said.required(&format!("{}.{field}", at.path), detail);
        }
    }
}

pub(super) fn validation(at: &At<'_>, said: &mut Said<'_>) {
    match text(at) {
        text if text.trim().is_empty() => said.required(&at.path, "expression is not specified"),
        text => expression(at, said, Part::General, (text, text), Wanted::Bool),
    }
}

const EMPTY: &str = "must be non-empty if specified";

pub(super) fn message_expression(at: &At<'_>, said: &mut Said<'_>) {
    match text(at) {
        "" => {}
        text if text.trim().is_empty() => said.invalid(&at.path, at.value, EMPTY),
        text => expression(at, said, Part::Message, (text, text), Wanted::Text),
    }
}

pub(super) fn message(at: &At<'_>, said: &mut Said<'_>) {
    let message = text(at);
    if !message.is_empty() && message.trim().is_empty() {
        said.invalid(&at.path, at.value, by_release(said, "message must be non-empty if specified", EMPTY));
    } else if message.trim().contains(['\n', '\r']) {
        let words = by_release(said, "message must not contain line breaks", "must not contain line breaks");
        said.invalid(&at.path, at.value, words);
    }
}

pub(super) fn annotation_key(at: &At<'_>, said: &mut Said<'_>) {
    let (name, key) = (said.document.find_str(&["metadata", "name"]), text(at));
    if name.is_empty() {
        return said.invalid(&at.path, &Value::from(key), "requires metadata.name be non-empty");
    }
    let whole = format!("{name}/{key}");
    for detail in label_key_of(said, &whole) {
        said.invalid(&at.path, &Value::from(whole.as_str()), &detail);
    }
}

pub(super) fn annotation(at: &At<'_>, said: &mut Said<'_>) {
    const MOST: usize = 5 * 1024;
    match text(at).trim() {
        "" => said.required(&at.path, "valueExpression is not specified"),
        long if long.len() > MOST => {
            said.required(&at.path, &format!("must not exceed {MOST} bytes in length"));
        }
        trimmed => expression(at, said, Part::General, (trimmed, text(at)), Wanted::TextOrNull),
    }
}

/// What changes objects is not asked about deletions.
pub(super) fn no_deletion(at: &At<'_>, said: &mut Said<'_>) {
    const SUPPORTED: &[&str] = &["*", "CONNECT", "CREATE", "UPDATE"];
    let rules = at.value.get("resourceRules").map(items).unwrap_or_default();
    let operations = rules.iter().flat_map(|rule| rule.get("operations").map(items).unwrap_or_default());
    for operation in operations.filter(|operation| !SUPPORTED.contains(&operation.as_str().unwrap_or(""))) {
        said.not_supported(&format!("{}.resourceRules.operations", at.path), operation, SUPPORTED);
    }
}

/// How objects are changed: the type, the field that says how, and what its expression has to be.
const CHANGES: [(&str, &str, Wanted); 2] = [
    ("JSONPatch", "jsonPatch", Wanted::JsonPatches),
    ("ApplyConfiguration", "applyConfiguration", Wanted::Configuration),
];

pub(super) fn mutation(at: &At<'_>, said: &mut Said<'_>) {
    let of = at.value.find_str(&["patchType"]);
    let field = format!("{}.patchType", at.path);
    let Some((_, own, wanted)) = CHANGES.iter().find(|(known, ..)| *known == of) else {
        return match of {
            "" => said.required(&field, ""),
            _ => said.not_supported(&field, &Value::from(of), &["ApplyConfiguration", "JSONPatch"]),
        };
    };
    let has = |name: &str| at.value.get(name).is_some_and(|body| !body.is_null());
    let field = format!("{}.{own}", at.path);
    if has(own) {
        let path = format!("{field}.expression");
        match at.value.find_str(&[own, "expression"]).trim() {
            "" => said.required(&path, ""),
            trimmed => {
                if let Some(words) = said.expressions.fault(Part::Change, trimmed, trimmed, *wanted) {
                    said.push(&path, words);
                }
            }
        }
    } else {
        said.required(&field, &format!("must be specified when patchType is {of}"));
    }
    for (_, other, _) in CHANGES.iter().filter(|(_, other, _)| other != own && has(other)) {
        let shown = Value::from(format!("{{{other}}}"));
        said.invalid(
            &format!("{}.{other}", at.path),
            &shown,
            &format!("must not be specified when patchType is {of}"),
        );
    }
}

pub(super) fn reinvocation(at: &At<'_>, said: &mut Said<'_>) {
    const SUPPORTED: &[&str] = &["IfNeeded", "Never"];
    if !is_absent(at.value) && !SUPPORTED.contains(&text(at)) {
        said.not_supported(&at.path, at.value, SUPPORTED);
    }
}

const EXCLUSIVE: &str = "name and selector are mutually exclusive";

fn has_selector(reference: &Value) -> bool {
    reference.get("selector").is_some_and(|selector| !selector.is_null())
}

pub(super) fn parameter_name(at: &At<'_>, said: &mut Said<'_>) {
    if text(at).is_empty() {
        return;
    }
    each(said, at, path_segment(text(at)));
    if has_selector(at.parent) {
        said.forbidden(&at.path, EXCLUSIVE);
    }
}

pub(super) fn not_beside_name(at: &At<'_>, said: &mut Said<'_>) {
    if !at.value.is_null() && !at.parent.find_str(&["name"]).is_empty() {
        said.forbidden(&at.path, EXCLUSIVE);
    }
}

pub(super) fn name_or_selector(at: &At<'_>, said: &mut Said<'_>) {
    if at.value.find_str(&["name"]).is_empty() && !has_selector(at.value) {
        said.required(&at.path, "one of name or selector must be specified");
    }
}

// Kubernetes: v1alpha1/defaults.go says it where nobody does; the other versions want to hear it.
pub(super) fn not_found_action(at: &At<'_>, said: &mut Said<'_>) {
    const SUPPORTED: &[&str] = &["Deny", "Allow"];
    let is_defaulted = said.document.find_str(&["apiVersion"]).ends_with("/v1alpha1");
    match text(at) {
        "" if is_defaulted && at.value.is_null() => {}
        "" => said.required(&at.path, ""),
        action if SUPPORTED.contains(&action) => {}
        _ => said.not_supported(&at.path, at.value, SUPPORTED),
    }
}

pub(super) fn policy_name(at: &At<'_>, said: &mut Said<'_>) {
    match text(at) {
        "" => said.required(&at.path, ""),
        name => each(said, at, names::subdomain(name)),
    }
}

pub(super) fn actions(at: &At<'_>, said: &mut Said<'_>) {
    const SUPPORTED: &[&str] = &["Audit", "Deny", "Warn"];
    let mut known = BTreeSet::new();
    for (place, action) in items(at.value).iter().enumerate() {
        let (field, text) = (format!("{}[{place}]", at.path), action.as_str().unwrap_or(""));
        if !SUPPORTED.contains(&text) {
            said.not_supported(&field, action, SUPPORTED);
        }
        if !known.insert(text) {
            said.duplicate(&field, action);
        }
    }
    if known.contains("Deny") && known.contains("Warn") {
        let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                      response and headers serves no purpose)";
        said.invalid(&at.path, at.value, detail);
    }
    if known.is_empty() {
        said.required(&at.path, "at least one validation action is required");
    }
}
