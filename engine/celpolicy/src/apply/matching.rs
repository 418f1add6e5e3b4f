//! Whether a policy is for a resource: selectors, excluded rules, rules.
//!
//! In: `matchConstraints` as written, and what is asked about. Out: matched or not, or a selector's error.
//! Mirrors: k8s.io/apiserver pkg/admission/plugin/webhook/predicates as Kyverno copies it (pkg/cel/matching).

use super::Subject;
use super::labels::{Selector, list, of as labels};
use engine_json::Value;

/// Whether it matches.
///
/// # Errors
/// A selector that cannot be read, where nothing else decided against it.
pub fn matches(constraints: &Value, subject: &Subject) -> Result<bool, String> {
    let mut fault = None;
    let selected = |found: Result<bool, String>, fault: &mut Option<String>| match found {
        Ok(selected) => selected,
        Err(error) => {
            fault.get_or_insert(error);
            true
        }
    };
    if !selected(namespace_selected(constraints.find(&["namespaceSelector"]), subject), &mut fault) {
        return Ok(false);
    }
    if !selected(object_selected(constraints.find(&["objectSelector"]), subject), &mut fault) {
        return Ok(false);
    }
    let rules = |field: &str| constraints.find(&[field]).and_then(Value::as_array).unwrap_or_default();
    if rules("excludeResourceRules").iter().any(|rule| rule_matches(rule, subject)) {
        return Ok(false);
    }
    let wanted = rules("resourceRules");
    if !wanted.is_empty() && !wanted.iter().any(|rule| rule_matches(rule, subject)) {
        return Ok(false);
    }
    fault.map_or(Ok(true), Err)
}

fn namespace_selected(selector: Option<&Value>, subject: &Subject) -> Result<bool, String> {
    let is_namespace = is_namespace(subject);
    if subject.request_namespace().is_empty() && !is_namespace {
        return Ok(true);
    }
    let Some(selector) = Selector::read(selector)? else { return Ok(true) };
    if is_namespace && subject.operation != "DELETE" {
        return Ok(selector.selects(&labels(&subject.object)));
    }
    Ok(selector.selects(&subject.namespace_labels))
}

fn object_selected(selector: Option<&Value>, subject: &Subject) -> Result<bool, String> {
    let Some(selector) = Selector::read(selector)? else { return Ok(true) };
    // Kyverno: on CREATE the old object is one without labels, not none, and a selector may want just that.
    let mut objects = [&subject.object, &subject.old_object].into_iter().filter(|object| !object.is_null());
    Ok(objects.any(|object| selector.selects(&labels(object))))
}

fn is_namespace(subject: &Subject) -> bool {
    let [group, _, resource] = &subject.resource;
    group.is_empty() && resource == "namespaces"
}

fn rule_matches(rule: &Value, subject: &Subject) -> bool {
    let [group, version, resource] = &subject.resource;
    let subresource = subject.request.find_str(&["subResource"]);
    let holds = |field: &str, wanted: &str| list(rule, field).any(|item| item == wanted || item == "*");
    scope_matches(rule.find_str(&["scope"]), subject)
        && holds("operations", &subject.operation)
        && holds("apiGroups", group)
        && holds("apiVersions", version)
        && list(rule, "resources").any(|item| {
            let (item, sub) = item.split_once('/').unwrap_or((item, ""));
            (item == "*" || item == resource) && (sub == subresource || sub == "*")
        })
        && name_matches(rule, subject)
}

fn scope_matches(scope: &str, subject: &Subject) -> bool {
    let is_of_namespace = !subject.request_namespace().is_empty() && !is_namespace(subject);
    match scope {
        "" | "*" => true,
        "Namespaced" => is_of_namespace,
        "Cluster" => !is_of_namespace,
        _ => false,
    }
}

fn name_matches(rule: &Value, subject: &Subject) -> bool {
    let mut names = list(rule, "resourceNames").peekable();
    if names.peek().is_none() {
        return true;
    }
    let name = subject.name();
    let start = subject.object.find_str(&["metadata", "generateName"]);
    let has_start = subject.names_by_start && name.is_empty() && !start.is_empty();
    names.any(|wanted| wanted == name || has_start && start.starts_with(wanted))
}
