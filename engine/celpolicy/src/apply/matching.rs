//! Whether a policy is for a resource: selectors, excluded rules, rules.
//!
//! In: `matchConstraints` as written, and what is asked about. Out: what does not match, nothing where all does, or a selector's
//! error; of an API server also the version of the kind that matches.
//! Mirrors: k8s.io/apiserver pkg/admission/plugin/webhook/predicates as Kyverno copies it (pkg/cel/matching), and
//! pkg/admission/plugin/policy/matching.

use super::Subject;
use super::cluster::NAME_LABEL;
use super::equivalent::{Place, others};
use super::labels::{Selector, list, of as labels};
use engine_json::{Map, Str, Value};

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
    let matches = |rule: &Value| rule_field(rule, subject, &subject.resource).is_none();
    if let Some(at) = rules("excludeResourceRules").iter().position(matches) {
        return Ok(Some(Unmatched::Excluded(at)));
    }
    let wanted = rules("resourceRules");
    if !wanted.is_empty() && !wanted.iter().any(matches) {
        return Ok(Some(Unmatched::NoRule));
    }
    fault.map_or(Ok(None), Err)
}

/// As what an API server finds an object that constraints select.
#[derive(Clone, Debug)]
pub(crate) enum Served {
    /// As what it is.
    AsAsked,
    /// As an object of another version of its kind.
    As(Place),
}

/// Why it is not known whether constraints select an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// A selector cannot be read, in Kubernetes' words.
    Selector(String),
    /// It lies in what was not given.
    NotGiven(String),
}

/// As what constraints select an object; nothing where they do not.
///
/// # Errors
/// Why that is not known.
pub(crate) fn served(constraints: &Value, subject: &Subject) -> Result<Option<Served>, Unknown> {
    let found = unmatched(constraints, subject).map_err(Unknown::Selector)?;
    let is_exact = constraints.find_str(&["matchPolicy"]) == "Exact";
    if !matches!(found, None | Some(Unmatched::NoRule)) {
        return Ok(None);
    }
    if !is_exact && of_another_version(constraints, "excludeResourceRules", subject)?.is_some() {
        return Ok(None);
    }
    match found {
        None => Ok(Some(Served::AsAsked)),
        Some(_) if is_exact => Ok(None),
        Some(_) => Ok(of_another_version(constraints, "resourceRules", subject)?.map(Served::As)),
    }
}

/// Whether constraints leave an object out by labels of its Namespace that nobody has given, and by nothing else.
pub(crate) fn depends_on_namespace(constraints: &Value, subject: &Subject) -> bool {
    let is_open = |selector: &Value| {
        let equal = selector.get("matchLabels").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        let expressions = selector.get("matchExpressions").and_then(Value::as_array).unwrap_or_default();
        let mut keys = equal.map(Str::as_str).chain(expressions.iter().map(|of| of.find_str(&["key"])));
        keys.any(|key| key != NAME_LABEL)
    };
    let selector = constraints.get("namespaceSelector").filter(|_| !subject.namespace_is_given);
    selector.is_some_and(is_open) && {
        let mut without = constraints.clone();
        without.make_object().remove("namespaceSelector");
        matches!(served(&without, subject), Ok(Some(_)))
    }
}

/// The first version of the kind, another than the one asked about, that a rule of this list is for.
fn of_another_version(constraints: &Value, rules: &str, subject: &Subject) -> Result<Option<Place>, Unknown> {
    let rules = constraints.get(rules).and_then(Value::as_array).unwrap_or_default();
    if rules.is_empty() {
        return Ok(None);
    }
    if let Some(others) = others(subject) {
        let of_rule =
            |rule: &Value| others.iter().find(|place| rule_field(rule, subject, &place.resource).is_none());
        return Ok(rules.iter().find_map(of_rule).cloned());
    }
    // Of the same group and resource, whatever its version.
    let [group, version, resource] = &subject.resource;
    let of_version =
        |rule: &&Value| rule_field(rule, subject, &subject.resource) == Some(RuleField::ApiVersions);
    let would_match = |rule: &&Value| {
        list(rule, "apiVersions").any(|of| {
            let place = [group.clone(), of.into(), resource.clone()];
            rule_field(rule, subject, &place).is_none()
        })
    };
    match rules.iter().filter(of_version).find(would_match) {
        None => Ok(None),
        Some(rule) => {
            let versions: Vec<&str> = list(rule, "apiVersions").collect();
            let versions = versions.join("`, `");
            Err(Unknown::NotGiven(format!(
                "not decided: whether `{resource}.{group}` of `{version}` are served in `{versions}` too is in their \
                 CustomResourceDefinition, which is not given (`--crd-paths`)"
            )))
        }
    }
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
    // Kubernetes: what is connected by cannot have labels, and no selector that says anything is for it.
    if subject.operation == "CONNECT" {
        return Ok(false);
    }
    // Kyverno: on CREATE the old object is one without labels, not none, and a selector may want just that.
    let mut objects = [&subject.object, &subject.old_object].into_iter().filter(|object| !object.is_null());
    Ok(objects.any(|object| selector.selects(&labels(object))))
}

fn is_namespace(subject: &Subject) -> bool {
    let [group, _, resource] = &subject.resource;
    group.is_empty() && resource == "namespaces"
}

/// The first field of a rule that is not for the resource, from the most general to the most special; nothing where all are.
/// `place` is the group, version and plural by which it is looked for.
pub(crate) fn rule_field(rule: &Value, subject: &Subject, place: &[Str; 3]) -> Option<RuleField> {
    let [group, version, resource] = place;
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
