//! What the server's own admission writes into an object before it asks policies.
//!
//! In: an object that is created, filled in, and its kind. Out: the same with what admission adds. What hangs on other objects of a cluster
//! (priority classes of its own, runtime classes, service accounts, limit ranges, storage classes) is left to the host.
//! Mirrors: k8s.io/kubernetes plugin/pkg/admission: those that are on without being asked for, in their order.

use crate::tree::{fill, made, set, text};
use engine_json::{Map, Value};

/// Adds what admission adds.
pub(crate) fn admit(object: &mut Map, version: &str, kind: &str) {
    match (version, kind) {
        ("v1", "Pod") => {
            let spec = made(object, "spec");
            prioritize(spec);
            tolerate(spec);
        }
        ("v1", "Node") => taint(made(object, "spec")),
        ("v1", "PersistentVolumeClaim") => protect(object, "kubernetes.io/pvc-protection"),
        ("v1", "PersistentVolume") => protect(object, "kubernetes.io/pv-protection"),
        ("storage.k8s.io/v1" | "storage.k8s.io/v1beta1", "VolumeAttributesClass") => {
            protect(object, "kubernetes.io/vac-protection");
        }
        _ => {}
    }
}

/// `Priority`: the classes that every cluster has.
fn prioritize(spec: &mut Map) {
    let priority = match text(spec, "priorityClassName") {
        "" => 0_i64,
        "system-cluster-critical" => 2_000_000_000,
        "system-node-critical" => 2_000_001_000,
        _ => return,
    };
    set(spec, "priority", priority);
    fill(spec, "preemptionPolicy", "PreemptLowerPriority");
}

/// `DefaultTolerationSeconds`: a Pod stays on a node that is not there for five minutes.
fn tolerate(spec: &mut Map) {
    let known = spec.get("tolerations").and_then(Value::as_array).unwrap_or_default();
    let missing =
        ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].into_iter().filter(|taint| {
            !known.iter().filter_map(Value::as_object).any(|toleration| {
                let is_of = |key: &str, value: &str| ["", value].contains(&text(toleration, key));
                is_of("key", taint) && is_of("effect", "NoExecute")
            })
        });
    let made: Vec<Value> = missing
        .map(|taint| {
            let mut toleration = Map::new();
            set(&mut toleration, "key", taint);
            set(&mut toleration, "operator", "Exists");
            set(&mut toleration, "effect", "NoExecute");
            set(&mut toleration, "tolerationSeconds", 300_i64);
            Value::object(toleration)
        })
        .collect();
    add(spec, "tolerations", made);
}

/// `TaintNodesByCondition`: a node is not ready when it is new.
fn taint(spec: &mut Map) {
    let known = spec.get("taints").and_then(Value::as_array).unwrap_or_default();
    if known.iter().any(|taint| {
        taint.find_str(&["key"]) == "node.kubernetes.io/not-ready"
            && taint.find_str(&["effect"]) == "NoSchedule"
    }) {
        return;
    }
    let mut taint = Map::new();
    set(&mut taint, "key", "node.kubernetes.io/not-ready");
    set(&mut taint, "effect", "NoSchedule");
    add(spec, "taints", vec![Value::object(taint)]);
}

/// `StorageObjectInUseProtection`.
fn protect(object: &mut Map, finalizer: &'static str) {
    let metadata = made(object, "metadata");
    let known = metadata.get("finalizers").and_then(Value::as_array).unwrap_or_default();
    if !known.iter().any(|known| known.as_str() == Some(finalizer)) {
        add(metadata, "finalizers", vec![Value::from(finalizer)]);
    }
}

/// Adds items to a list.
pub(crate) fn add(map: &mut Map, key: &'static str, more: Vec<Value>) {
    if more.is_empty() {
        return;
    }
    match map.get_mut(key).and_then(Value::array_mut) {
        Some(list) => list.extend(more),
        None => set(map, key, Value::array(more)),
    }
}
