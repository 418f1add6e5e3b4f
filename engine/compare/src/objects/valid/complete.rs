//! An object with what Kubernetes asks for beside what policies read.
//!
//! In: an object that a search has made. Out: the same with a selector and labels that fit, names for what needs one, a volume for what
//! is mounted. So a search reaches what an API server takes; what is completed here is tested in the other files of this folder.

use super::is_scalar;
use super::mended::{complete_metadata, host_like};
use super::pods::NOT_OF_INIT;
use super::{systems, typed};
use crate::constraints;
use crate::objects::kinds::{CONTAINER_LISTS, CONTROLLERS, map, pod_spec_of};
use crate::objects::schema::{IMAGE, KEY, Schema, Shape};
use crate::reads::field_path::element_name;
use engine_json::{Map, Path, Str, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A value for what needs one.
pub(super) const SOME: &str = "x";

/// Fills in what an object of Kubernetes' own kinds needs.
pub(crate) fn complete(object: &mut Value, schema: &Schema) {
    let kind = object.find_str(&["kind"]).to_owned();
    let shape = schema.of(object);
    complete_metadata(below(object, &["metadata"]), &kind);
    for template in
        [&["spec", "template", "metadata"][..], &["spec", "jobTemplate", "spec", "template", "metadata"]]
    {
        complete_metadata(below(object, template), "");
    }
    let Some(shape) = shape else { return };
    if let Some(path) = pod_spec_of(&kind) {
        make_pod(object, path);
    }
    fill(object, &shape, schema);
    match kind.as_str() {
        "Pod" => complete_spec(below(object, &["spec"])),
        "Job" | "CronJob" => {
            let mut spec = pod_spec_of(&kind).and_then(|path| below(object, path));
            if let Some(spec) = spec.as_deref_mut().and_then(Value::object_mut) {
                // What a Job runs ends.
                needs(spec, "restartPolicy", Value::from("Never"));
            }
            complete_spec(spec);
        }
        kind if CONTROLLERS.iter().any(|(_, known)| *known == kind) => {
            complete_selector(object, kind);
            complete_spec(below(object, &["spec", "template", "spec"]));
        }
        "RoleBinding" | "ClusterRoleBinding" => each(object.object_mut(), "subjects", |subject| {
            if subject.get("kind").and_then(Value::as_str) == Some("ServiceAccount") {
                needs(subject, "namespace", Value::from("default"));
            }
        }),
        "Ingress" => complete_hosts(object),
        "Secret" => super::secrets::complete(object),
        "Service" => super::others::complete_service(object),
        _ => {}
    }
}

/// Puts a spec with a container where none is, and names and images into the containers that are there.
fn make_pod(object: &mut Value, path: &[&'static str]) {
    let mut here = object;
    for key in path {
        let map = here.make_object();
        needs(map, key, Value::object(Map::new()));
        let Some(below) = map.get_mut(key) else { return };
        here = below;
    }
    let spec = here.make_object();
    needs(spec, "containers", Value::array(vec![Value::object(Map::new())]));
    for list in CONTAINER_LISTS {
        let containers = spec.get_mut(list).and_then(Value::array_mut);
        for (at, container) in containers.into_iter().flatten().filter_map(Value::object_mut).enumerate() {
            needs(container, "name", Value::from(element_name(list, at)));
            needs(container, "image", Value::from(IMAGE));
        }
    }
}

/// Fills in what the types of a value and of what is below it ask for.
fn fill(value: &mut Value, shape: &Shape, schema: &Schema) {
    match (value, shape) {
        (Value::Array(items), Shape::List(element)) => {
            for item in Arc::make_mut(items) {
                fill(item, element, schema);
            }
        }
        (Value::Object(map), Shape::Object(of)) => {
            let map = Arc::make_mut(map);
            match *of {
                "rbac.v1.PolicyRule" => complete_rule(map),
                "core.v1.Toleration" => complete_toleration(map),
                _ => {}
            }
            constraints::fill_in(map, of);
            typed::complete(map, of);
            for (key, item) in map.iter_mut().filter(|(_, item)| !is_scalar(item)) {
                if let Some(shape) = schema.field(shape, key) {
                    fill(item, &shape, schema);
                }
            }
        }
        _ => {}
    }
}

/// What stands below these keys.
pub(super) fn below<'v>(value: &'v mut Value, keys: &[&str]) -> Option<&'v mut Value> {
    keys.iter().try_fold(value, |value, key| value.object_mut()?.get_mut(key))
}

/// Each map of a list.
pub(super) fn each(map: Option<&mut Map>, key: &str, change: impl Fn(&mut Map)) {
    let list = map.and_then(|map| map.get_mut(key)).and_then(Value::array_mut);
    list.into_iter().flatten().filter_map(Value::object_mut).for_each(change);
}

/// Puts a value where there is none.
pub(super) fn needs(map: &mut Map, key: &'static str, value: Value) {
    if map.get(key).is_none_or(Value::is_null) {
        map.insert(key, value);
    }
}

/// A selector that selects the labels of the template: those that it names and the template lacks are put there; where both have
/// other values the selector takes those of the template.
fn complete_selector(object: &mut Value, kind: &str) {
    let labels = Path::from_keys(&["spec", "template", "metadata", "labels"]);
    let pairs: &[&str] = if kind == "ReplicationController" {
        &["spec", "selector"]
    } else {
        &["spec", "selector", "matchLabels"]
    };
    let pairs_path = Path::from_keys(pairs);
    let map_at =
        |object: &Value, path: &Path| object.at_path(path.iter()).and_then(Value::as_object).cloned();
    if object.find(&["spec", "template"]).is_none() {
        return;
    }
    let (mut held, mut wanted) =
        (map_at(object, &labels).unwrap_or_default(), map_at(object, &pairs_path).unwrap_or_default());
    let has_expressions = object.find(&["spec", "selector", "matchExpressions"]).is_some();
    if held.is_empty() && wanted.is_empty() {
        held.insert(KEY, Value::from(SOME));
    }
    if wanted.is_empty() && !has_expressions {
        let known = held.get(&KEY).map(|value| (KEY, value.clone()));
        let first = held.iter().next().map(|(key, value)| (key.clone(), value.clone()));
        if let Some((key, value)) = known.or(first) {
            wanted.insert(key, value);
        }
    }
    let expressions = object.find(&["spec", "selector", "matchExpressions"]).and_then(Value::as_array);
    for one in expressions.unwrap_or_default() {
        let (key, values) = (one.find_str(&["key"]), one.get("values").and_then(Value::as_array));
        match one.find_str(&["operator"]) {
            "In" if values.is_some_and(|values| held.get(key).is_none_or(|held| !values.contains(held))) => {
                let value = values.and_then(|values| values.first().cloned()).unwrap_or_default();
                held.insert(key, value);
            }
            "Exists" if !held.contains_key(key) => drop(held.insert(key, Value::from(SOME))),
            _ => {}
        }
    }
    for (key, value) in wanted.clone().iter() {
        match held.get(key).cloned() {
            Some(other) => wanted.insert(key.clone(), other),
            None => held.insert(key.clone(), value.clone()),
        };
    }
    object.put(&labels, Some(Value::object(held)));
    if !wanted.is_empty() {
        object.put(&pairs_path, Some(Value::object(wanted)));
    }
}

fn complete_spec(spec: Option<&mut Value>) {
    let Some(spec) = spec.and_then(Value::object_mut) else { return };
    systems::complete(spec);
    let mut names: BTreeSet<String> = BTreeSet::new();
    let volume = first_volume(spec);
    let mut mounted: Vec<Str> = Vec::new();
    for list in CONTAINER_LISTS {
        let containers = spec.get_mut(list).and_then(Value::array_mut);
        for (at, container) in containers.into_iter().flatten().filter_map(Value::object_mut).enumerate() {
            // Names are each there once in all the lists.
            let name = container.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
            if list != "containers" && names.contains(&name) {
                container.insert("name", Value::from(element_name(list, at)));
            }
            names.insert(name);
            // What starts beside the others has probes, what ends has none.
            if list == "initContainers" && NOT_OF_INIT.iter().any(|field| container.contains_key(field)) {
                needs(container, "restartPolicy", Value::from("Always"));
            }
            complete_container(container, &volume);
            mounted.extend(mounts(container));
        }
    }
    let known = |spec: &Map, name: &str| {
        let volumes = spec.get("volumes").and_then(Value::as_array).unwrap_or_default();
        volumes.iter().any(|volume| volume.find_str(&["name"]) == name)
    };
    for name in mounted {
        if !known(spec, &name) {
            let volume =
                Value::object(map([("name", Value::String(name)), ("emptyDir", Value::object(Map::new()))]));
            let mut volumes = spec.get("volumes").and_then(Value::as_array).unwrap_or_default().to_vec();
            volumes.push(volume);
            spec.insert("volumes", Value::array(volumes));
        }
    }
}

/// The name of the first volume, or another one.
fn first_volume(spec: &Map) -> String {
    let first = spec.get("volumes").and_then(|volumes| volumes.at(0));
    let name = first.map(|volume| volume.find_str(&["name"])).filter(|name| !name.is_empty());
    name.unwrap_or(SOME).to_owned()
}

/// The names of what a container mounts.
fn mounts(container: &Map) -> Vec<Str> {
    let all = container.get("volumeMounts").and_then(Value::as_array).unwrap_or_default();
    all.iter().map(|mount| Str::new(mount.find_str(&["name"]))).filter(|name| !name.is_empty()).collect()
}

fn complete_container(container: &mut Map, volume: &str) {
    let mounts = container.get_mut("volumeMounts").and_then(Value::array_mut);
    for (at, mount) in mounts.into_iter().flatten().filter_map(Value::object_mut).enumerate() {
        needs(mount, "name", Value::from(volume));
        needs(mount, "mountPath", Value::from(format!("/m{at}")));
    }
}

/// What a rule for addresses has not (`validatePolicyRule`).
const OF_RESOURCES: [&str; 3] = ["apiGroups", "resources", "resourceNames"];

/// What a rule is for: resources, or addresses where it names some.
fn complete_rule(rule: &mut Map) {
    let one = |text: &str| Value::array(vec![Value::from(text)]);
    if rule.contains_key("nonResourceURLs") {
        for field in OF_RESOURCES {
            rule.remove(field);
        }
    } else {
        needs(rule, "apiGroups", one(""));
        needs(rule, "resources", one("pods"));
    }
}

/// What is tolerated: a taint with a key, or all of them.
fn complete_toleration(toleration: &mut Map) {
    let has_text =
        |field: &str| toleration.get(field).and_then(Value::as_str).is_some_and(|it| !it.is_empty());
    let (has_key, has_value) = (has_text("key"), has_text("value"));
    if has_value {
        needs(toleration, "key", Value::String(KEY));
        toleration.insert("operator", Value::from("Equal"));
    } else if !has_key {
        toleration.insert("operator", Value::from("Exists"));
    }
}

/// Hosts are names.
fn complete_hosts(ingress: &mut Value) {
    let mut spec = below(ingress, &["spec"]);
    each(spec.as_deref_mut().and_then(Value::object_mut), "rules", |rule| {
        if let Some(Value::String(host)) = rule.get_mut("host") {
            *host = host_like(host);
        }
    });
    each(spec.and_then(Value::object_mut), "tls", |entry| {
        for host in entry.get_mut("hosts").and_then(Value::array_mut).into_iter().flatten() {
            if let Value::String(host) = host {
                *host = host_like(host);
            }
        }
    });
}
