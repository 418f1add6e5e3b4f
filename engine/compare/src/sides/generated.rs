//! Objects that policies generate.
//!
//! In: an object as a policy leaves it. Out: what is compared of it.

use engine::policy::{Body, Policy};
use engine_json::{Map, Str, Value};

/// Whether a policy has rules that generate.
pub(crate) fn generates(policy: &Policy) -> bool {
    policy.rules.iter().any(|rule| matches!(rule.body, Body::Generate(_)))
}

/// A generated object without the labels that say who made it: each kind of policy has its own.
pub(crate) fn unlabelled(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object.object_mut().and_then(|object| object.get_mut("metadata"));
    let Some(metadata) = metadata.and_then(Value::object_mut) else { return object };
    let labels = metadata.get("labels").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_own = |key: &Str, value: &Value| {
        !key.starts_with("generate.kyverno.io/")
            && (*key != "app.kubernetes.io/managed-by" || value.as_str() != Some("kyverno"))
    };
    let own = labels.iter().filter(|(key, value)| is_own(key, value));
    let own: Vec<(Str, Value)> = own.map(|(key, value)| (key.clone(), value.clone())).collect();
    if own.is_empty() {
        metadata.remove("labels");
    } else {
        metadata.insert("labels", Value::object(Map::from_entries(own)));
    }
    object
}
