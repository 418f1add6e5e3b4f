//! Policies as they are written.

use super::autogen::{custom, variants};
use super::{Evaluation, Policy, Validation};
use engine_json::ordered::OrderedSet;
use engine_json::{Str, Value};

/// The policy that a document of one of the kinds is.
pub fn decode(document: &Value) -> Policy {
    let mut policy = decode_one(document);
    policy.variants = variants(document).iter().map(decode_one).collect();
    policy
}

pub(super) fn decode_one(value: &Value) -> Policy {
    let kind = value.find_str(&["kind"]);
    let text = |path: &[&str]| Str::from(value.find_str(path));
    let is_of_namespace = kind != "ValidatingPolicy";
    Policy {
        kind: Str::from(kind),
        name: text(&["metadata", "name"]),
        namespace: text(&["metadata", "namespace"]),
        evaluation: match value.find_str(&["spec", "evaluation", "mode"]) {
            "JSON" => Evaluation::Json,
            "HTTP" | "Envoy" if !is_of_namespace => Evaluation::Requests,
            _ => Evaluation::Kubernetes,
        },
        ignores_failures: value.find_str(&["spec", "failurePolicy"]) == "Ignore",
        match_constraints: value
            .find(&["spec", "matchConstraints"])
            .filter(|constraints| !constraints.is_null())
            .cloned(),
        match_conditions: pairs(value.find(&["spec", "matchConditions"]), "name", "expression"),
        variables: pairs(value.find(&["spec", "variables"]), "name", "expression"),
        validations: items(value.find(&["spec", "validations"])).map(validation).collect(),
        audit_annotations: pairs(value.find(&["spec", "auditAnnotations"]), "key", "valueExpression"),
        variants: Vec::new(),
        custom: custom(value),
    }
}

/// The first name that stands twice where each may stand once, and its field.
// Kyverno: the CRD declares these lists as maps by name.
pub fn repeated_name(policy: &Policy) -> Option<(String, &Str)> {
    let lists = [("matchConditions", &policy.match_conditions), ("variables", &policy.variables)];
    lists.into_iter().find_map(|(list, entries)| {
        let mut known = OrderedSet::new();
        let (at, (name, _)) = entries.iter().enumerate().find(|(_, (name, _))| !known.insert(name))?;
        Some((format!("spec.{list}[{at}].name"), name))
    })
}

/// Whether the constraints are one rule and nothing else: the original then says nothing of objects that a policy is not for.
// Kyverno: hasSelector in the CLI's policy_processor.go.
pub fn is_simple(constraints: Option<&Value>) -> bool {
    let Some(constraints) = constraints else { return false };
    let is_empty = |value: Option<&Value>| match value {
        Some(Value::Array(list)) => list.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        _ => true,
    };
    let selects_all = |selector: &str| {
        let parts = ["matchLabels", "matchExpressions"];
        parts.iter().all(|part| is_empty(constraints.find(&[selector, part])))
    };
    let rules: Vec<&Value> = items(constraints.get("resourceRules")).collect();
    selects_all("namespaceSelector")
        && selects_all("objectSelector")
        && is_empty(constraints.get("excludeResourceRules"))
        && matches!(rules.as_slice(), [rule] if is_empty(rule.get("resourceNames")))
}

pub(super) fn validation(value: &Value) -> Validation {
    Validation {
        expression: Str::from(value.find_str(&["expression"])),
        message: Str::from(value.find_str(&["message"])),
        message_expression: Str::from(value.find_str(&["messageExpression"])),
    }
}

/// The elements of a list; of anything else none.
pub fn items(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).unwrap_or_default().iter()
}

/// Two texts of each element of a list.
pub(super) fn pairs(list: Option<&Value>, first: &str, second: &str) -> Vec<(Str, Str)> {
    let pair = |item: &Value| (Str::from(item.find_str(&[first])), Str::from(item.find_str(&[second])));
    items(list).map(pair).collect()
}

/// The texts of a list.
pub fn texts(list: Option<&Value>) -> Vec<Str> {
    items(list).filter_map(Value::as_str).map(Str::from).collect()
}
