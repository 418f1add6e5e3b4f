//! Whether two sides are the same but for what decides nothing: messages, descriptions, comments, the order of keys, and of lists of which
//! one entry is enough.
//!
//! In: the documents of both sides. Out: whether they are. It is the one claim that needs no search.

use engine_json::{Map, Value};
use std::collections::BTreeSet;

/// Whether the same is written.
pub(crate) fn are_same(old: &[&Value], new: &[&Value]) -> bool {
    let deciding_parts = |documents: &[&Value]| {
        let (ordered, others): (Vec<&Value>, Vec<&Value>) =
            documents.iter().partition(|document| has_one_order(document));
        let written = |documents: &[&Value]| -> Vec<String> {
            documents.iter().map(|document| engine_json::to_json(&deciding_parts(document))).collect()
        };
        let (ordered, mut others) = (written(&ordered), written(&others));
        if !have_one_name(documents) {
            others.sort();
        }
        [ordered, others].concat()
    };
    !old.is_empty() && old.len() == new.len() && deciding_parts(old) == deciding_parts(new)
}

/// Whether it decides something that a document stands before another one: each policy changes what the one before has left, and the first
/// exception that fits, or errs, is the one that counts (Kyverno: pkg/cel/policies/vpol/engine).
fn has_one_order(document: &Value) -> bool {
    let kind = document.find_str(&["kind"]);
    let rules = document.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    kind == "PolicyException"
        || kind.contains("Mutating")
        || rules.iter().any(|rule| rule.get("mutate").is_some())
}

/// Whether two documents are of one name, of which a cluster keeps the last. What names no namespace is in `default`.
pub(crate) fn have_one_name(documents: &[&Value]) -> bool {
    let mut seen = BTreeSet::new();
    let is_again = |document: &&Value| {
        let of = |keys: &[&str]| document.find_str(keys).to_owned();
        let namespace = Some(of(&["metadata", "namespace"])).filter(|name| !name.is_empty());
        let namespace = namespace.unwrap_or_else(|| "default".to_owned());
        !document.is_null() && !seen.insert([of(&["kind"]), of(&["metadata", "name"]), namespace])
    };
    documents.iter().any(is_again)
}

/// The groups of policies, exceptions and bindings.
const OF_POLICIES: [&str; 3] = ["kyverno.io/", "policies.kyverno.io/", "admissionregistration.k8s.io/"];

/// Whether a document is a policy, an exception or a binding: of all others (parameters, Namespaces, PodSecurityPolicies)
/// labels, annotations and status may be read.
fn is_policy(document: &Value) -> bool {
    let version = document.find_str(&["apiVersion"]);
    OF_POLICIES.iter().any(|group| version.starts_with(group))
}

/// The annotation that says for which controllers autogen makes rules.
const AUTOGEN: &str = "pod-policies.kyverno.io/autogen-controllers";

/// What decides of a document.
fn deciding_parts(document: &Value) -> Value {
    if !is_policy(document) {
        return document.clone();
    }
    let mut left = document.as_object().cloned().unwrap_or_default();
    left.remove("status");
    let metadata = document.get("metadata");
    let mut kept = Map::new();
    for field in ["name", "namespace"] {
        if let Some(value) = metadata.and_then(|metadata| metadata.get(field)) {
            kept.insert(field, value.clone());
        }
    }
    if let Some(autogen) = document.find(&["metadata", "annotations", AUTOGEN]) {
        kept.insert(AUTOGEN, autogen.clone());
    }
    left.insert("metadata", Value::object(kept));
    let mut left = Value::object(left);
    for rule in list(left.object_mut().and_then(|map| map.get_mut("spec")), "rules") {
        drop_message(rule.object_mut().and_then(|rule| rule.get_mut("validate")));
    }
    for validation in list(left.object_mut().and_then(|map| map.get_mut("spec")), "validations") {
        drop_message(Some(validation));
    }
    let spec = left.object_mut().and_then(|map| map.get_mut("spec"));
    for rule in list(spec, "rules") {
        for block in ["match", "exclude"] {
            sort(rule.object_mut().and_then(|rule| rule.get_mut(block)), 0);
        }
    }
    let spec = left.object_mut().and_then(|map| map.get_mut("spec"));
    sort(spec.and_then(Value::object_mut).and_then(|spec| spec.get_mut("matchConstraints")), 0);
    left
}

fn list<'v>(value: Option<&'v mut Value>, field: &str) -> &'v mut [Value] {
    let items =
        value.and_then(Value::object_mut).and_then(|map| map.get_mut(field)).and_then(Value::array_mut);
    items.map(Vec::as_mut_slice).unwrap_or_default()
}

/// Lists of which one entry is enough, in the blocks that say which objects a policy is for.
const ONE_IS_ENOUGH: [&str; 10] = [
    "kinds",
    "names",
    "namespaces",
    "operations",
    "roles",
    "clusterRoles",
    "apiGroups",
    "apiVersions",
    "resources",
    "resourceNames",
];
/// How deep such blocks are followed.
const MAX_DEPTH: usize = 8;

/// Brings those lists into one order.
fn sort(value: Option<&mut Value>, depth: usize) {
    let Some(value) = value.filter(|_| depth < MAX_DEPTH) else { return };
    if let Some(items) = value.array_mut() {
        for item in items {
            sort(Some(item), depth + 1);
        }
        return;
    }
    let Some(map) = value.object_mut() else { return };
    let keys: Vec<_> = map.keys().cloned().collect();
    for key in keys {
        let below = map.get_mut(&key);
        let is_list = ONE_IS_ENOUGH.contains(&key.as_str());
        match below.and_then(|below| if is_list { below.array_mut() } else { None }) {
            Some(items) => items.sort_by_cached_key(engine_json::to_json),
            None => sort(map.get_mut(&key), depth + 1),
        }
    }
}

/// A message with a variable can fail a rule; one without decides nothing.
fn drop_message(value: Option<&mut Value>) {
    let Some(map) = value.and_then(Value::object_mut) else { return };
    if map
        .get("message")
        .and_then(Value::as_str)
        .is_some_and(|message| !message.contains("{{") && !message.contains("$("))
    {
        map.remove("message");
    }
}
