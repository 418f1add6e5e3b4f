//! Whether a policy is for a resource: selectors, excluded rules, rules.
//!
//! In: `matchConstraints` as written, and what is asked about. Out: what does not match, nothing where all does, or a selector's
//! error.
//! Mirrors: k8s.io/apiserver pkg/admission/plugin/webhook/predicates as Kyverno copies it (pkg/cel/matching).

use super::Subject;
use super::labels::{Selector, list, of as labels};
use engine_json::Value;

/// What of constraints decided that a policy is not for a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unmatched {
    /// `namespaceSelector`.
    NamespaceSelector,
    /// `objectSelector`.
    ObjectSelector,
    /// This one of `excludeResourceRules`.
    Excluded(usize),
    /// None of `resourceRules` is for it.
    NoRule,
}

/// Whether it matches.
///
/// # Errors
/// A selector that cannot be read, where nothing else decided against it.
pub fn matches(constraints: &Value, subject: &Subject) -> Result<bool, String> {
    unmatched(constraints, subject).map(|found| found.is_none())
}

/// What does not match, the first in the order of the API server; nothing where all does.
///
/// # Errors
/// See [`matches`].
pub(crate) fn unmatched(constraints: &Value, subject: &Subject) -> Result<Option<Unmatched>, String> {
    let mut fault = None;
    let selected = |found: Result<bool, String>, fault: &mut Option<String>| match found {
        Ok(selected) => selected,
        Err(error) => {
            fault.get_or_insert(error);
            true
        }
    };
    if !selected(namespace_selected(constraints.find(&["namespaceSelector"]), subject), &mut fault) {
        return Ok(Some(Unmatched::NamespaceSelector));
    }
    if !selected(object_selected(constraints.find(&["objectSelector"]), subject), &mut fault) {
        return Ok(Some(Unmatched::ObjectSelector));
    }
    let rules = |field: &str| constraints.find(&[field]).and_then(Value::as_array).unwrap_or_default();
    let matches = |rule: &Value| rule_field(rule, subject).is_none();
    if let Some(at) = rules("excludeResourceRules").iter().position(matches) {
        return Ok(Some(Unmatched::Excluded(at)));
    }
    let wanted = rules("resourceRules");
    if !wanted.is_empty() && !wanted.iter().any(matches) {
        return Ok(Some(Unmatched::NoRule));
    }
    fault.map_or(Ok(None), Err)
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

/// The first field of a rule that is not for the resource, from the most general to the most special; nothing where all are.
pub(crate) fn rule_field(rule: &Value, subject: &Subject) -> Option<RuleField> {
    let [group, version, resource] = &subject.resource;
    let subresource = subject.request.find_str(&["subResource"]);
    let holds = |field: &str, wanted: &str| list(rule, field).any(|item| item == wanted || item == "*");
    let is_of_resource = || {
        list(rule, "resources").any(|item| {
            let (item, sub) = item.split_once('/').unwrap_or((item, ""));
            (item == "*" || item == resource) && (sub == subresource || sub == "*")
        })
    };
    if !is_of_resource() {
        Some(RuleField::Resources)
    } else if !holds("apiGroups", group) {
        Some(RuleField::ApiGroups)
    } else if !holds("apiVersions", version) {
        Some(RuleField::ApiVersions)
    } else if !scope_matches(rule.find_str(&["scope"]), subject) {
        Some(RuleField::Scope)
    } else if !holds("operations", &subject.operation) {
        Some(RuleField::Operations)
    } else if !name_matches(rule, subject) {
        Some(RuleField::ResourceNames)
    } else {
        None
    }
}

/// A field of a rule for resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleField {
    Resources,
    ApiGroups,
    ApiVersions,
    Scope,
    Operations,
    ResourceNames,
}

impl RuleField {
    /// Its name in the document.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleField::ApiGroups => "apiGroups",
            RuleField::Resources => "resources",
            RuleField::ApiVersions => "apiVersions",
            RuleField::Scope => "scope",
            RuleField::Operations => "operations",
            RuleField::ResourceNames => "resourceNames",
        }
    }
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
