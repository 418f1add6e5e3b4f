//! Which objects a policy, a binding or a webhook is about: what an API server refuses of that.
//!
//! In: `matchConstraints` and `matchResources`, rules, selectors. Out: what is wrong with them.

use super::found::{At, Found, duplicates};
use crate::objects::valid::names::is_path_segment;
use engine::load::{label_key, label_value};
use std::collections::BTreeSet;

/// What is done with objects.
pub(super) const OPERATIONS: [&str; 5] = ["*", "CREATE", "UPDATE", "DELETE", "CONNECT"];

pub(super) fn match_resources(resources: &At<'_>, found: &mut Found) {
    let policy = resources.at("matchPolicy");
    if !policy.is_missing() {
        found.one_of(&policy, &["Equivalent", "Exact"]);
    }
    for field in ["namespaceSelector", "objectSelector"] {
        selector(&resources.at(field), found);
    }
    for field in ["resourceRules", "excludeResourceRules"] {
        for rule in resources.at(field).items() {
            let names = rule.at("resourceNames").items();
            for name in names.iter().filter(|name| !is_path_segment(name.text())) {
                found.invalid(name, "must be a name in a path");
            }
            duplicates(names.into_iter(), found);
            of_webhook(&rule, true, found);
        }
    }
}

/// A rule as webhooks have it.
pub(super) fn of_webhook(rule: &At<'_>, names_operations: bool, found: &mut Found) {
    if names_operations {
        let operations = alone(&rule.at("operations"), "operations", found);
        for operation in &operations {
            found.one_of(operation, &OPERATIONS);
        }
    }
    alone(&rule.at("apiGroups"), "API groups", found);
    for version in alone(&rule.at("apiVersions"), "API versions", found) {
        if version.text().is_empty() {
            found.required(&version, "");
        }
    }
    resources(&rule.at("resources"), found);
    let scope = rule.at("scope");
    if !scope.is_missing() {
        found.one_of(&scope, &["*", "Cluster", "Namespaced"]);
    }
}

/// The items of a list in which a star stands alone.
fn alone<'v>(list: &At<'v>, what: &str, found: &mut Found) -> Vec<At<'v>> {
    let items = list.items();
    if items.is_empty() {
        found.required(list, "");
    }
    if items.len() > 1 && items.iter().any(|item| item.text() == "*") {
        found.invalid(list, &format!("if '*' is present, must not specify other {what}"));
    }
    items
}

/// `validateResources`.
fn resources(list: &At<'_>, found: &mut Found) {
    let items = list.items();
    if items.is_empty() {
        found.required(list, "");
    }
    let (mut whole, mut of_all) = (BTreeSet::new(), BTreeSet::new());
    // Kubernetes: the last one counts that has no subresource.
    let mut has_plain = false;
    for item in &items {
        let text = item.text();
        if text.is_empty() {
            found.required(item, "");
            continue;
        }
        let Some((resource, sub)) = text.split_once('/') else {
            has_plain = text != "*";
            continue;
        };
        if whole.contains(resource) {
            found.invalid(item, &format!("if '{resource}/*' is present, must not specify {text}"));
        }
        if of_all.contains(sub) {
            found.invalid(item, &format!("if '*/{sub}' is present, must not specify {text}"));
        }
        if sub == "*" {
            whole.insert(resource);
        }
        if resource == "*" {
            of_all.insert(sub);
        }
    }
    let has = |text: &str| items.iter().any(|item| item.text() == text);
    if items.len() > 1 && has("*/*") {
        found.invalid(list, "if '*/*' is present, must not specify other resources");
    }
    if has("*") && has_plain {
        found.invalid(list, "if '*' is present, must not specify other resources without subresources");
    }
}

/// `ValidateLabelSelector`.
pub(super) fn selector(selector: &At<'_>, found: &mut Found) {
    let labels = selector.at("matchLabels");
    for (key, value) in labels.value.as_object().into_iter().flat_map(engine_json::Map::iter) {
        let at = At { value, path: labels.path.join(key.clone()) };
        let words = label_key(key).into_iter().chain(label_value(at.text()));
        for words in words {
            found.invalid(&at, &words);
        }
    }
    for one in selector.at("matchExpressions").items() {
        let (values, operator) = (one.at("values"), one.at("operator"));
        let is_empty = values.items().is_empty();
        match operator.text() {
            "In" | "NotIn" if is_empty => {
                found.required(&values, "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !is_empty => {
                let words = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                found.0.push((values.path.clone(), words.to_owned()));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => found.invalid(&operator, "not a valid selector operator"),
        }
        let key = one.at("key");
        for words in label_key(key.text()) {
            found.invalid(&key, &words);
        }
        for value in values.items() {
            for words in label_value(value.text()) {
                found.invalid(&value, &words);
            }
        }
    }
}
