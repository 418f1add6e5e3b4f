//! What an API server fills into Pods, and into templates of them.
//!
//! In: an object of a kind that has one. Out: the same with what hangs on other fields too.
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go

use super::rows::{CONTAINER, IN_CONTAINERS, IN_VOLUMES, SPEC};
use super::{at_each, fill_in};
use crate::objects::kinds::{CONTAINER_LISTS, pod_spec_of};
use engine_json::{Map, Path, Value};

/// Fills the Pod of an object, where its kind has one.
pub(super) fn fill(object: &mut Value, kind: &str) {
    let Some([way @ .., _]) = pod_spec_of(kind) else { return };
    let is_pod = kind == "Pod";
    at_each(object, way, &mut |holder| {
        if !is_pod {
            fill_in(holder, &[("metadata", "{}")]);
        }
        if let Some(spec) = holder.get_mut("spec") {
            fill_spec(spec, is_pod);
        }
    });
}

fn fill_spec(spec: &mut Value, is_pod: bool) {
    super::fill(spec, &[], SPEC);
    for list in CONTAINER_LISTS {
        at_each(spec, &[list, "[]"], &mut fill_container);
        for (way, rows) in IN_CONTAINERS {
            let way: Vec<&str> = [list, "[]"].into_iter().chain(way.iter().copied()).collect();
            super::fill(spec, &way, rows);
        }
    }
    at_each(spec, &["volumes", "[]"], &mut |volume| {
        if volume.keys().all(|key| key == "name") {
            volume.insert("emptyDir", Value::object(Map::new()));
        }
    });
    for (way, rows) in IN_VOLUMES {
        let way: Vec<&str> = ["volumes", "[]"].into_iter().chain(way.iter().copied()).collect();
        super::fill(spec, &way, rows);
    }
    if !is_pod {
        return;
    }
    let is_on_host = spec.get("hostNetwork").and_then(Value::as_bool) == Some(true);
    for list in ["containers", "initContainers"] {
        at_each(spec, &[list, "[]"], &mut request_limits);
        if is_on_host {
            at_each(spec, &[list, "[]", "ports", "[]"], &mut open_on_host);
        }
    }
}

/// Amounts are written as strings, whatever they were written as.
// k8s.io/apimachinery/pkg/api/resource/quantity.go: MarshalJSON.
fn write_amounts(container: &mut Map) {
    let Some(resources) = container.get_mut("resources").and_then(Value::object_mut) else { return };
    for of in ["limits", "requests"] {
        let Some(amounts) = resources.get_mut(of).and_then(Value::object_mut) else { continue };
        for (_, amount) in amounts.iter_mut().filter(|(_, amount)| amount.as_number().is_some()) {
            *amount = Value::from(engine_json::to_json(amount));
        }
    }
}

fn fill_container(container: &mut Map) {
    fill_in(container, CONTAINER);
    write_amounts(container);
    let image = container.get("image").and_then(Value::as_str).unwrap_or("");
    // A digest or a tag other than `latest` is not pulled again.
    let name = image.rsplit('/').next().unwrap_or("");
    let is_latest = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    let policy = if is_latest { "Always" } else { "IfNotPresent" };
    fill_in(container, &[("imagePullPolicy", policy)]);
}

/// What listens in the network of the host listens on the port of the host: of Pods alone (`defaultHostNetworkPorts`).
fn open_on_host(port: &mut Map) {
    if let (None | Some(0), Some(number)) =
        (port.get("hostPort").map(|port| port.as_i64().unwrap_or(1)), port.get("containerPort").cloned())
    {
        port.insert("hostPort", number);
    }
}

/// What is limited and not requested is requested to its limit: of Pods alone, and not of templates of them (`SetDefaults_Pod`).
fn request_limits(container: &mut Map) {
    let limits = container.get("resources").and_then(|resources| resources.get("limits")).cloned();
    let Some(limits) = limits.as_ref().and_then(Value::as_object) else { return };
    let mut resources = container.get("resources").cloned().unwrap_or_default();
    for (key, value) in limits.iter() {
        let path = Path::from_keys(&["requests", key]);
        if resources.at_path(path.iter()).is_none() {
            resources.put(&path, Some(value.clone()));
        }
    }
    container.insert("resources", resources);
}
