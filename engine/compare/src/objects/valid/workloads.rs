//! Controllers of Pods: their selectors, and what their templates may hold.
//!
//! In: an object. Out: whether Kubernetes' validation takes it.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{apps,batch,core}/validation/validation.go

use super::metadata;
use super::pods::{self, Holder};
use engine_json::Value;

/// The template of a controller.
fn template<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    match kind {
        "CronJob" => object.find(&["spec", "jobTemplate", "spec", "template"]),
        _ => object.find(&["spec", "template"]),
    }
}

/// Whether a controller may be so.
pub(super) fn is_valid(object: &Value, kind: &str) -> bool {
    let Some(template) = template(object, kind) else { return false };
    let metadata = template.get("metadata").cloned().unwrap_or_default();
    let Some(spec) = template.get("spec") else { return false };
    let policy = spec.get("restartPolicy").and_then(Value::as_str);
    let (holder, runs) = match kind {
        // What a Job runs must end (ValidatePodTemplateSpecForJob).
        "Job" | "CronJob" => (Holder::Template, matches!(policy, Some("Never" | "OnFailure"))),
        _ => (Holder::Template, policy.is_none_or(|policy| policy == "Always")),
    };
    // `ValidateDeploymentSpec` and its like: what a controller keeps running has no end.
    let has_end = !matches!(kind, "Job" | "CronJob") && spec.get("activeDeadlineSeconds").is_some();
    runs && !has_end
        && metadata::of_template(&metadata)
        && pods::is_valid(spec, holder)
        && selects(object, kind, &metadata)
}

/// Whether the selector of a controller is there, and selects what the template has.
fn selects(object: &Value, kind: &str, metadata: &Value) -> bool {
    let empty = Value::default();
    let labels = metadata.get("labels").unwrap_or(&empty);
    let Some(selector) = object.find(&["spec", "selector"]) else {
        // A ReplicationController is given the labels of its template (SetDefaults_ReplicationController), and may
        // not be without any; a selector of a Job is made.
        let is_made = matches!(kind, "Job" | "CronJob");
        return is_made
            || kind == "ReplicationController" && labels.as_object().is_some_and(|map| !map.is_empty());
    };
    match kind {
        "Job" | "CronJob" => true,
        "ReplicationController" => {
            has_pairs(labels, selector) && selector.as_object().is_some_and(|map| !map.is_empty())
        }
        _ => is_selector_of(selector, labels),
    }
}

/// Whether labels hold all of these pairs.
fn has_pairs(labels: &Value, pairs: &Value) -> bool {
    let pairs = pairs.as_object().into_iter().flat_map(engine_json::Map::iter);
    pairs.into_iter().all(|(key, value)| labels.get(key) == Some(value))
}

/// Whether a selector is one, is not empty, and selects these labels.
pub(super) fn is_selector_of(selector: &Value, labels: &Value) -> bool {
    let empty = Value::default();
    let pairs = selector.get("matchLabels").unwrap_or(&empty);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).unwrap_or_default();
    let has_some = pairs.as_object().is_some_and(|map| !map.is_empty()) || !expressions.is_empty();
    has_some
        && has_pairs(labels, pairs)
        && expressions.iter().all(|one| {
            let value = labels.get(one.find_str(&["key"]));
            let values = one.get("values").and_then(Value::as_array).unwrap_or_default();
            match one.find_str(&["operator"]) {
                "In" => value.is_some_and(|value| values.contains(value)),
                "NotIn" => !values.is_empty() && value.is_none_or(|value| !values.contains(value)),
                "Exists" => values.is_empty() && value.is_some(),
                "DoesNotExist" => values.is_empty() && value.is_none(),
                _ => false,
            }
        })
}
