//! Whether a policy is for a resource: selectors, excluded rules, rules.
//!
//! In: `matchConstraints` as written, and what is asked about. Out: matched or not, or a selector's error.
//! Mirrors: k8s.io/apiserver pkg/admission/plugin/webhook/predicates as Kyverno copies it (pkg/cel/matching).

use super::Subject;
use crate::functions::names;
use engine_json::{Str, Value};

/// Whether it matches.
///
/// # Errors
/// A selector that cannot be read, where nothing else decided against it.
pub(super) fn matches(constraints: &Value, subject: &Subject) -> Result<bool, String> {
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
    Ok([&subject.object, &subject.old_object].into_iter().any(|object| selector.selects(&labels(object))))
}

fn is_namespace(subject: &Subject) -> bool {
    let [group, _, resource] = &subject.resource;
    group.is_empty() && resource == "namespaces"
}

fn labels(object: &Value) -> Vec<(Str, Str)> {
    let labels = object.find(&["metadata", "labels"]).and_then(Value::as_object);
    let labels = labels.into_iter().flat_map(engine_json::Map::iter);
    labels.filter_map(|(key, value)| Some((key.clone(), Str::from(value.as_str()?)))).collect()
}

fn rule_matches(rule: &Value, subject: &Subject) -> bool {
    let [group, version, resource] = &subject.resource;
    let holds = |field: &str, wanted: &str| list(rule, field).any(|item| item == wanted || item == "*");
    scope_matches(rule.find_str(&["scope"]), subject)
        && holds("operations", &subject.operation)
        && holds("apiGroups", group)
        && holds("apiVersions", version)
        && list(rule, "resources").any(|item| {
            // A subresource is never asked about.
            let (item, sub) = item.split_once('/').unwrap_or((item, ""));
            (item == "*" || item == resource) && (sub.is_empty() || sub == "*")
        })
        && name_matches(rule, subject)
}

fn list<'a>(rule: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    rule.find(&[field]).and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str)
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
    names.any(|wanted| wanted == name || name.is_empty() && !start.is_empty() && start.starts_with(wanted))
}

/// Whether a label may have this key and these values; `fault` says what is wrong with the values together.
// apimachinery: labels.NewRequirement.
fn check(key: &str, values: &[Str], fault: Option<String>) -> Result<(), String> {
    let refusal = |field: String, value: &str, reasons: Vec<String>| {
        let value = engine_json::quote(value);
        (!reasons.is_empty()).then(|| format!("{field}: Invalid value: {value}: {}", reasons.join("; ")))
    };
    let mut wrong: Vec<String> =
        refusal("key".to_owned(), key, names::label_key(key)).into_iter().chain(fault).collect();
    for (at, value) in values.iter().enumerate() {
        wrong.extend(refusal(format!("values[{at}][{key}]"), value, names::label_value(value)));
    }
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// What is wrong with the number of values for an operator.
///
/// # Errors
/// There is no such operator.
fn set_fault(operator: &str, values: &[Str]) -> Result<Option<String>, String> {
    match (operator, values) {
        // Go: the copy of a list without items is nil.
        ("In" | "NotIn", []) => Ok(Some(
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty".to_owned(),
        )),
        ("Exists" | "DoesNotExist", [_, ..]) => {
            let shown: Vec<String> = values.iter().map(|value| engine_json::quote(value)).collect();
            let shown = shown.join(",");
            Ok(Some(format!(
                "values: Invalid value: [{shown}]: values set must be empty for exists and does not exist"
            )))
        }
        ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => Ok(None),
        _ => Err(format!("{} is not a valid label selector operator", engine_json::quote(operator))),
    }
}

/// A label selector.
struct Selector {
    equal: Vec<(Str, Str)>,
    expressions: Vec<(Str, Str, Vec<Str>)>,
}

impl Selector {
    /// Reads a selector; `None` for one that says nothing.
    // apimachinery: metav1.LabelSelectorAsSelector.
    fn read(value: Option<&Value>) -> Result<Option<Selector>, String> {
        let Some(value) = value else { return Ok(None) };
        let equal = value.find(&["matchLabels"]).and_then(Value::as_object);
        let equal = equal.into_iter().flat_map(engine_json::Map::iter);
        let equal: Vec<_> =
            equal.filter_map(|(key, value)| Some((key.clone(), Str::from(value.as_str()?)))).collect();
        for (key, value) in &equal {
            check(key, std::slice::from_ref(value), None)?;
        }
        let mut expressions = Vec::new();
        for expression in value.find(&["matchExpressions"]).and_then(Value::as_array).unwrap_or_default() {
            let (key, operator) = (expression.find_str(&["key"]), expression.find_str(&["operator"]));
            let values: Vec<Str> = list(expression, "values").map(Str::from).collect();
            check(key, &values, set_fault(operator, &values)?)?;
            expressions.push((Str::from(key), Str::from(operator), values));
        }
        let says_nothing = equal.is_empty() && expressions.is_empty();
        Ok((!says_nothing).then_some(Selector { equal, expressions }))
    }

    fn selects(&self, labels: &[(Str, Str)]) -> bool {
        let get = |key: &Str| labels.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        self.equal.iter().all(|(key, value)| get(key) == Some(value))
            && self.expressions.iter().all(|(key, operator, values)| match operator.as_str() {
                "In" => get(key).is_some_and(|value| values.contains(value)),
                "NotIn" => get(key).is_none_or(|value| !values.contains(value)),
                "Exists" => get(key).is_some(),
                _ => get(key).is_none(),
            })
    }
}
