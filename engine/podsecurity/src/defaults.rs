//! What the API server fills into a Pod before any admission sees it, as far as the checks can say.
//!
//! In: a Pod or the template of one, as somebody wrote it. Out: the same with
//!
//! * an `emptyDir` in every volume without a source, which is not an `unknown` volume then;
//! * in a Pod with `hostNetwork: true` every port of a container as a port of the node. In templates that ended with
//!   Kubernetes 1.28.
//!
//! The checks themselves read what is written. A caller that wants the answer of a cluster to a file defaults first.
//!
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go

use crate::pod_of;
use engine_json::{Map, Segment, Value};

/// What holds the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A Pod.
    Pod,
    /// A template of Pods.
    Template,
}

/// An object with the defaults in the spec of the Pod that it is or makes; any other object as it is.
pub fn defaulted_object(object: &Value) -> Value {
    let Some(pod) = pod_of(object) else { return object.clone() };
    let holder = if object.find_str(&["kind"]) == "Pod" { Holder::Pod } else { Holder::Template };
    let spec = defaulted(pod.spec, holder);
    let path: Vec<Segment> = pod.spec_path.iter().cloned().collect();
    let mut whole = object.clone();
    let mut place = Some(&mut whole);
    for segment in &path {
        let Segment::Key(key) = segment else { return whole };
        place = place.and_then(Value::object_mut).and_then(|map| map.get_mut(key));
    }
    if let Some(place) = place {
        *place = spec;
    }
    whole
}

/// The spec of a Pod with the defaults; what cannot be read stays as it is.
pub fn defaulted(spec: &Value, holder: Holder) -> Value {
    let mut spec = spec.clone();
    each(&mut spec, "volumes", |volume| {
        if volume.iter().all(|(key, value)| key == "name" || value.is_null()) {
            volume.insert("emptyDir", Value::object(Map::new()));
        }
    });
    let on_host = spec.get("hostNetwork").and_then(Value::as_bool) == Some(true);
    if on_host && holder == Holder::Pod {
        for list in ["containers", "initContainers"] {
            each(&mut spec, list, |container| {
                if let Some(ports) = container.get_mut("ports") {
                    each_item(ports, take_port_of_the_node);
                }
            });
        }
    }
    spec
}

fn take_port_of_the_node(port: &mut Map) {
    let is_unset = port.get("hostPort").is_none_or(|host| host.is_null() || host.as_i64() == Some(0));
    if let (true, Some(own)) = (is_unset, port.get("containerPort").cloned()) {
        port.insert("hostPort", own);
    }
}

/// Changes every map of the list under a key.
fn each(value: &mut Value, key: &str, change: impl Fn(&mut Map)) {
    if let Some(list) = value.object_mut().and_then(|map| map.get_mut(key)) {
        each_item(list, change);
    }
}

fn each_item(list: &mut Value, change: impl Fn(&mut Map)) {
    for item in list.array_mut().into_iter().flatten() {
        if let Some(map) = item.object_mut() {
            change(map);
        }
    }
}
