//! Policies for the requests that add ephemeral containers to a Pod, `pods/ephemeralcontainers`.
//!
//! In: a policy in CEL for Pods. Out: the same for that subresource, where it reads these containers. Kyverno asks ClusterPolicies for Pods
//! about it as well (pkg/controllers/webhook/utils_webhook.go). The policy for Pods cannot name it too: it would have no autogen then
//! (pkg/cel/autogen/support.go, `CanAutoGen`).

use engine_json::{Map, Value};

/// The end of the name of such a policy.
pub(crate) const SUFFIX: &str = "-ephemeralcontainers";
/// The resource that such requests are for.
const RESOURCE: &str = "pods/ephemeralcontainers";

/// The policy; nothing where there is nothing to decide: the policy is for no updates of Pods or does not read these containers.
pub(crate) fn of_ephemeral_containers(document: &Value) -> Option<Value> {
    let spec = document.get("spec")?.as_object()?;
    let decides = |field: &str| spec.get(field).is_some_and(reads);
    if !["variables", "validations", "mutations", "matchConditions"].into_iter().any(decides) {
        return None;
    }
    let constraints = spec.get("matchConstraints")?.as_object()?;
    let rules = of_updates(constraints.get("resourceRules")?)?;
    let mut constraints = constraints.clone();
    constraints.insert("resourceRules", rules);
    if let Some(excluded) = constraints.get("excludeResourceRules").and_then(of_updates) {
        constraints.insert("excludeResourceRules", excluded);
    }
    let mut spec = spec.clone();
    spec.insert("matchConstraints", Value::object(constraints));
    spec.remove("autogen");
    let mut policy = document.as_object()?.clone();
    let name = format!("{}{SUFFIX}", document.find_str(&["metadata", "name"]));
    policy.get_mut("metadata")?.object_mut()?.insert("name", Value::from(name));
    policy.insert("spec", Value::object(spec));
    Some(Value::object(policy))
}

/// Whether an expression reads ephemeral containers, or the images of all containers.
fn reads(value: &Value) -> bool {
    let text = engine_json::to_json(value);
    text.contains("ephemeralContainers") || text.contains("images.")
}

/// The rules that are for updates of Pods, for the subresource alone.
fn of_updates(rules: &Value) -> Option<Value> {
    let has = |rule: &Value, field: &str, wanted: &str| {
        let list = rule.get(field).and_then(Value::as_array).unwrap_or_default();
        list.iter().filter_map(Value::as_str).any(|text| text == wanted || text == "*")
    };
    let rules = rules.as_array()?.iter();
    let rules = rules.filter(|rule| has(rule, "resources", "pods") && has(rule, "operations", "UPDATE"));
    let renamed = rules.filter_map(|rule| {
        let mut rule: Map = rule.as_object()?.clone();
        rule.insert("resources", Value::array(vec![Value::from(RESOURCE)]));
        rule.insert("operations", Value::array(vec![Value::from("UPDATE")]));
        Some(Value::object(rule))
    });
    let renamed: Vec<Value> = renamed.collect();
    (!renamed.is_empty()).then(|| Value::array(renamed))
}
