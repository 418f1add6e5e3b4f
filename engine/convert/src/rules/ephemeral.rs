//! Policies for the requests that add ephemeral containers to a Pod, `pods/ephemeralcontainers`.
//!
//! In: a policy in CEL for Pods. Out: the same for that subresource, where it reads these containers, or may refuse such a request though the Pod
//! was let in: by its operation, by who asks, by the Pod before, as it is asked about updates alone. Kyverno asks ClusterPolicies for Pods
//! about it as well (pkg/controllers/webhook/utils_webhook.go). The policy for Pods cannot name it too: it would have no autogen then
//! (pkg/cel/autogen/support.go, `CanAutoGen`).

use engine_json::{Map, Value};

/// The end of the name of such a policy.
pub(crate) const SUFFIX: &str = "-ephemeralcontainers";
/// The resource that such requests are for.
const RESOURCE: &str = "pods/ephemeralcontainers";

/// The policy; nothing where there is nothing to decide: the policy is for no updates of Pods, or says of them what it said of the Pod.
pub(crate) fn of_ephemeral_containers(document: &Value) -> Option<Value> {
    let spec = document.get("spec")?.as_object()?;
    let constraints = spec.get("matchConstraints")?.as_object()?;
    let rules = constraints.get("resourceRules")?;
    let is_validating = spec.contains_key("validations");
    let decides = |field: &str| {
        spec.get(field).is_some_and(|value| reads(value) || (is_validating && reads_request(value)))
    };
    let is_of_updates = is_validating && is_for_no_creations(rules);
    let fields = ["variables", "validations", "mutations", "matchConditions"];
    if !is_of_updates && !fields.into_iter().any(decides) {
        return None;
    }
    let rules = of_updates(rules)?;
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

/// Whether an expression reads what may be otherwise than where the Pod was created: the operation, the Pod before, who asks.
fn reads_request(value: &Value) -> bool {
    let text = engine_json::to_json(value);
    ["request.operation", "request.userInfo", "oldObject"].iter().any(|part| text.contains(part))
}

/// Whether the policy is not asked where a Pod is created, so that what it refuses may be there.
fn is_for_no_creations(rules: &Value) -> bool {
    rules.as_array().unwrap_or_default().iter().all(|rule| !has(rule, "operations", "CREATE"))
}

/// Whether a list of a rule holds this, or all there is.
fn has(rule: &Value, field: &str, wanted: &str) -> bool {
    let list = rule.get(field).and_then(Value::as_array).unwrap_or_default();
    list.iter().filter_map(Value::as_str).any(|text| text == wanted || text == "*")
}

/// The rules that are for updates of Pods, for the subresource alone.
fn of_updates(rules: &Value) -> Option<Value> {
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
