//! What a server writes into an object that takes the place of another.
//!
//! In: an object as `stored` gives it, and the one that is there. Out: the same with what stays whatever was sent.
//! Mirrors: k8s.io/apiserver pkg/registry/rest/update.go and the functions `PrepareForUpdate` of k8s.io/kubernetes pkg/registry.

use super::{Creation, WITHOUT_STATUS, created};
use crate::tree::{fill, items, text, within};
use engine_json::{Map, Str, Value};

/// What of the metadata nobody changes who updates an object.
const KEPT: [&str; 6] =
    ["creationTimestamp", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "uid"];

/// The object as validating policies see it, where it takes the place of another.
pub fn updated(object: &Value, old: &Value, creation: &Creation<'_>) -> Value {
    let mut object = object.clone();
    if object.find_str(&["kind"]) == "Service"
        && let (Some(spec), Some(old)) = (
            object.object_mut().and_then(|map| within(map, "spec")),
            old.get("spec").and_then(Value::as_object),
        )
    {
        keep_addresses(spec, old);
    }
    let creation = Creation { uid: old.find_str(&["metadata", "uid"]), ..creation.clone() };
    let mut object = created(&object, &creation);
    let is_kept = WITHOUT_STATUS.contains(&object.find_str(&["kind"]));
    let Some(map) = object.object_mut() else { return object };
    if let Some(metadata) = within(map, "metadata") {
        for key in KEPT {
            keep(metadata, key, old.find(&["metadata", key]));
        }
    }
    if is_kept {
        keep(map, "status", old.get("status"));
    }
    object
}

fn keep(map: &mut Map, key: &'static str, value: Option<&Value>) {
    match value {
        Some(value) => {
            map.insert(Str::new_static(key), value.clone());
        }
        None => {
            map.remove(key);
        }
    }
}

/// A Service keeps its address and its ports of the nodes where the new one does not name any.
// pkg/registry/core/service/strategy.go: patchAllocatedValues.
fn keep_addresses(spec: &mut Map, old: &Map) {
    let has_address = |spec: &Map| text(spec, "type") != "ExternalName";
    if has_address(spec) && has_address(old) {
        for key in ["clusterIP", "clusterIPs"] {
            if let Some(value) = old.get(key) {
                fill(spec, key, value.clone());
            }
        }
    }
    let has_ports = |spec: &Map| matches!(text(spec, "type"), "NodePort" | "LoadBalancer");
    if has_ports(spec) && has_ports(old) {
        let known = old.get("ports").and_then(Value::as_array).unwrap_or_default();
        for port in items(spec, "ports") {
            let is_it = |old: &&Value| ["port", "protocol"].iter().all(|key| old.get(key) == port.get(key));
            if let Some(node) = known.iter().find(is_it).and_then(|old| old.get("nodePort")) {
                fill(port, "nodePort", node.clone());
            }
        }
    }
}
