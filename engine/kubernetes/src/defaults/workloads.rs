//! Deployments, StatefulSets, DaemonSets, Jobs and autoscalers.
//!
//! Mirrors: k8s.io/kubernetes pkg/apis/{apps/v1,batch/v1,autoscaling/v2}/defaults.go.

use super::core::label;
use crate::tree::{Change, count, fill, made, nothing, set, text, within};
use engine_json::{Map, Value, parse};

pub(super) const CHANGES: &[(&str, Change)] = &[
    ("apps.v1.DaemonSet", daemon_set),
    ("apps.v1.Deployment", deployment),
    ("apps.v1.StatefulSet", stateful_set),
    ("autoscaling.v2.HorizontalPodAutoscaler", autoscaler),
    ("batch.v1.Job", job),
];

/// Fills in how Pods are replaced: one after another, in steps.
fn roll(strategy: &mut Map, steps: [(&'static str, Value); 2]) {
    fill(strategy, "type", "RollingUpdate");
    if text(strategy, "type") == "RollingUpdate" {
        let update = made(strategy, "rollingUpdate");
        for (key, step) in steps {
            fill(update, key, step);
        }
    }
}

fn deployment(deployment: &mut Map) {
    let spec = made(deployment, "spec");
    fill(spec, "replicas", 1_i64);
    roll(made(spec, "strategy"), [("maxUnavailable", Value::from("25%")), ("maxSurge", Value::from("25%"))]);
    fill(spec, "revisionHistoryLimit", 10_i64);
    fill(spec, "progressDeadlineSeconds", 600_i64);
}

fn daemon_set(set: &mut Map) {
    let spec = made(set, "spec");
    roll(
        made(spec, "updateStrategy"),
        [("maxUnavailable", Value::from(1_i64)), ("maxSurge", Value::from(0_i64))],
    );
    fill(spec, "revisionHistoryLimit", 10_i64);
}

// The gate MaxUnavailableStatefulSet is off.
fn stateful_set(stateful: &mut Map) {
    let spec = made(stateful, "spec");
    fill(spec, "podManagementPolicy", "OrderedReady");
    let strategy = made(spec, "updateStrategy");
    if !strategy.contains_key("type") {
        set(strategy, "type", "RollingUpdate");
        fill(strategy, "rollingUpdate", nothing());
    }
    if text(strategy, "type") == "RollingUpdate"
        && let Some(update) = within(strategy, "rollingUpdate")
    {
        fill(update, "partition", 0_i64);
    }
    let retention = made(spec, "persistentVolumeClaimRetentionPolicy");
    fill(retention, "whenDeleted", "Retain");
    fill(retention, "whenScaled", "Retain");
    fill(spec, "replicas", 1_i64);
    fill(spec, "revisionHistoryLimit", 10_i64);
}

fn job(job: &mut Map) {
    let spec = made(job, "spec");
    if !spec.contains_key("completions") && !spec.contains_key("parallelism") {
        set(spec, "completions", 1_i64);
    }
    fill(spec, "parallelism", 1_i64);
    let limit = if spec.contains_key("backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    fill(spec, "backoffLimit", limit);
    fill(spec, "completionMode", "NonIndexed");
    fill(spec, "suspend", false);
    let replaced = if spec.contains_key("podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fill(spec, "podReplacementPolicy", replaced);
    fill(spec, "manualSelector", false);
    let labels = spec.get("template").and_then(|template| template.find(&["metadata", "labels"])).cloned();
    if let Some(labels) = labels {
        label(job, labels);
    }
}

/// The metrics of an autoscaler that names none.
const METRICS: &str = r#"[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]"#;
/// How fast it adds Pods, and how fast it takes them away.
const RULES: [(&str, &str); 2] = [
    (
        "scaleUp",
        r#"{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":4,"periodSeconds":15},{"type":"Percent","value":100,"periodSeconds":15}]}"#,
    ),
    ("scaleDown", r#"{"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}"#),
];

fn autoscaler(autoscaler: &mut Map) {
    let spec = made(autoscaler, "spec");
    fill(spec, "minReplicas", 1_i64);
    if count(spec, "metrics") == 0 {
        set(spec, "metrics", parse(METRICS).unwrap_or_default());
    }
    let Some(behavior) = within(spec, "behavior") else { return };
    for (key, rules) in RULES {
        let rules = parse(rules).unwrap_or_default();
        let kept = made(behavior, key);
        for (field, rule) in rules.as_object().into_iter().flat_map(Map::iter) {
            if !kept.contains_key(field) {
                kept.insert(field.clone(), rule.clone());
            }
        }
    }
}
