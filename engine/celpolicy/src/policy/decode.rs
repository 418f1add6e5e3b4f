//! Policies as they are written.

use super::autogen::variants;
use super::{Evaluation, Policy, Validation};
use engine::load::{Bundle, Role};
use engine::resource::DocumentId;
use engine_json::{Str, Value};

/// The API versions in which the cluster's kind is read.
const VERSIONS: &[&str] =
    &["policies.kyverno.io/v1alpha1", "policies.kyverno.io/v1beta1", "policies.kyverno.io/v1"];

/// The policies among the documents that were given as policies, in their order.
pub fn policies(bundle: &Bundle) -> Vec<Policy> {
    let mut policies = Vec::new();
    for (at, document) in bundle.documents.iter().enumerate() {
        let is_policy = bundle.source(document.source).is_some_and(|(role, _)| *role == Role::Policies);
        let id = u32::try_from(at).ok().map(DocumentId);
        let Some(mut policy) = decode(&document.value).filter(|_| is_policy) else { continue };
        policy.document = id;
        policy.variants = variants(&document.value).iter().filter_map(decode).collect();
        policies.push(policy);
    }
    policies
}

/// The policy that a document is; `None` for another kind.
fn decode(value: &Value) -> Option<Policy> {
    let (version, kind) = (value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
    let versions = match kind {
        "ValidatingPolicy" => VERSIONS,
        "NamespacedValidatingPolicy" => VERSIONS.get(1..).unwrap_or_default(),
        _ => return None,
    };
    if !versions.contains(&version) {
        return None;
    }
    if !is_well_formed(value) {
        return None;
    }
    let text = |path: &[&str]| Str::from(value.find_str(path));
    let is_of_namespace = kind != "ValidatingPolicy";
    Some(Policy {
        kind: Str::from(kind),
        name: text(&["metadata", "name"]),
        namespace: text(&["metadata", "namespace"]),
        document: None,
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
    })
}

/// Whether the schema takes the lists of expressions: all are texts, and no name stands twice.
// Kyverno drops a document that its schema does not take, without a word.
fn is_well_formed(value: &Value) -> bool {
    let are_texts = |list: &str, fields: &[&str], wanted: bool| {
        items(value.find(&["spec", list])).all(|item| {
            fields.iter().all(|field| match item.get(field) {
                None => !wanted,
                Some(found) => found.as_str().is_some(),
            })
        })
    };
    let are_distinct = |list: &str| {
        let names: Vec<&str> =
            items(value.find(&["spec", list])).map(|item| item.find_str(&["name"])).collect();
        names.iter().enumerate().all(|(at, name)| !names.get(..at).unwrap_or_default().contains(name))
    };
    are_texts("matchConditions", &["name", "expression"], true)
        && are_texts("variables", &["name", "expression"], true)
        && are_texts("validations", &["expression"], true)
        && are_texts("validations", &["message", "messageExpression", "reason"], false)
        && are_texts("auditAnnotations", &["key", "valueExpression"], true)
        && are_distinct("variables")
        && are_distinct("matchConditions")
}

fn validation(value: &Value) -> Validation {
    Validation {
        expression: Str::from(value.find_str(&["expression"])),
        message: Str::from(value.find_str(&["message"])),
        message_expression: Str::from(value.find_str(&["messageExpression"])),
    }
}

/// The elements of a list; of anything else none.
pub(super) fn items(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).unwrap_or_default().iter()
}

/// Two texts of each element of a list.
pub(super) fn pairs(list: Option<&Value>, first: &str, second: &str) -> Vec<(Str, Str)> {
    let pair = |item: &Value| (Str::from(item.find_str(&[first])), Str::from(item.find_str(&[second])));
    items(list).map(pair).collect()
}

/// The texts of a list.
pub(super) fn texts(list: Option<&Value>) -> Vec<Str> {
    items(list).filter_map(Value::as_str).map(Str::from).collect()
}
