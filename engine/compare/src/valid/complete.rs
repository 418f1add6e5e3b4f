//! An object with what Kubernetes asks for beside what policies read.
//!
//! In: an object that a search has made. Out: the same with a selector and labels that fit, names for what needs one, a volume for what
//! is mounted. So a search reaches what an API server takes; what is completed here is tested in the other files of this folder.

use super::mended::{complete_metadata, host_like};
use crate::field_path::element_name;
use crate::kinds::{CONTROLLERS, map};
use crate::schema::KEY;
use engine_json::{Map, Path, Str, Value};
use std::collections::BTreeSet;

/// The lists of containers.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];
/// A value for what needs one.
pub(super) const SOME: &str = "x";

/// Fills in what an object of Kubernetes' own kinds needs.
pub(crate) fn complete(object: &mut Value) {
    let kind = object.find_str(&["kind"]).to_owned();
    complete_metadata(below(object, &["metadata"]), &kind);
    for template in
        [&["spec", "template", "metadata"][..], &["spec", "jobTemplate", "spec", "template", "metadata"]]
    {
        complete_metadata(below(object, template), "");
    }
    match kind.as_str() {
        "Pod" => complete_spec(below(object, &["spec"])),
        "CronJob" => {
            let template = below(object, &["spec", "jobTemplate", "spec", "template"]);
            if let Some(template) = template {
                ends(template);
                complete_spec(below(template, &["spec"]));
            }
        }
        kind if CONTROLLERS.iter().any(|(_, known)| *known == kind) => complete_controller(object, kind),
        "Role" | "ClusterRole" => each(object.object_mut(), "rules", complete_rule),
        "RoleBinding" | "ClusterRoleBinding" => complete_binding(object),
        "Ingress" => {
            each(below(object, &["spec"]).and_then(Value::object_mut), "rules", |rule| {
                if let Some(Value::String(host)) = rule.get_mut("host") {
                    *host = host_like(host);
                }
            });
            each(below(object, &["spec"]).and_then(Value::object_mut), "tls", |entry| {
                for host in entry.get_mut("hosts").and_then(Value::array_mut).into_iter().flatten() {
                    if let Value::String(host) = host {
                        *host = host_like(host);
                    }
                }
            });
        }
        "Service" => each(below(object, &["spec"]).and_then(Value::object_mut), "ports", |port| {
            needs(port, "port", Value::from(80_i64));
        }),
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

/// What a Job runs ends.
fn ends(template: &mut Value) {
    if let Some(spec) = below(template, &["spec"]).and_then(Value::object_mut) {
        needs(spec, "restartPolicy", Value::from("Never"));
    }
}

fn complete_controller(object: &mut Value, kind: &str) {
    if kind == "Job" {
        if let Some(template) = below(object, &["spec", "template"]) {
            ends(template);
        }
    } else {
        complete_selector(object, kind);
    }
    if kind != "StatefulSet" {
        complete_spec(below(object, &["spec", "template", "spec"]));
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
    each(Some(spec), "volumes", complete_volume);
    let mut names: BTreeSet<String> = BTreeSet::new();
    let volume = first_volume(spec);
    let mut mounted: Vec<Str> = Vec::new();
    for list in CONTAINERS {
        let containers = spec.get_mut(list).and_then(Value::array_mut);
        for (at, container) in containers.into_iter().flatten().filter_map(Value::object_mut).enumerate() {
            // Names are each there once in all the lists.
            let name = container.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
            if list != "containers" && names.contains(&name) {
                container.insert("name", Value::from(element_name(list, at)));
            }
            names.insert(name);
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

fn complete_volume(volume: &mut Map) {
    for (source, field) in [
        ("persistentVolumeClaim", "claimName"),
        ("secret", "secretName"),
        ("configMap", "name"),
        ("hostPath", "path"),
    ] {
        if let Some(source) = volume.get_mut(source).and_then(Value::object_mut) {
            let value = if field == "path" { "/x" } else { SOME };
            needs(source, field, Value::from(value));
        }
    }
}

fn complete_container(container: &mut Map, volume: &str) {
    each(Some(container), "ports", |port| needs(port, "containerPort", Value::from(80_i64)));
    each(Some(container), "env", complete_variable);
    each(Some(container), "envFrom", |source| {
        for (_, value) in source.iter_mut() {
            if let Some(reference) = value.object_mut() {
                needs(reference, "name", Value::from(SOME));
            }
        }
    });
    let mounts = container.get_mut("volumeMounts").and_then(Value::array_mut);
    for (at, mount) in mounts.into_iter().flatten().filter_map(Value::object_mut).enumerate() {
        needs(mount, "name", Value::from(volume));
        needs(mount, "mountPath", Value::from(format!("/m{at}")));
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        complete_handler(container.get_mut(probe));
    }
    for hook in ["postStart", "preStop"] {
        complete_handler(container.get_mut("lifecycle").and_then(|hooks| below(hooks, &[hook])));
    }
}

fn complete_variable(variable: &mut Map) {
    needs(variable, "name", Value::from(SOME));
    let Some(sources) = variable.get_mut("valueFrom").and_then(Value::object_mut) else { return };
    for (source, value) in sources.iter_mut() {
        let Some(value) = value.object_mut() else { continue };
        match source.as_str() {
            "secretKeyRef" | "configMapKeyRef" => {
                needs(value, "name", Value::from(SOME));
                needs(value, "key", Value::from(SOME));
            }
            "fieldRef" => needs(value, "fieldPath", Value::from("metadata.name")),
            "resourceFieldRef" => needs(value, "resource", Value::from("limits.cpu")),
            _ => {}
        }
    }
}

/// One way to ask, with what it needs.
fn complete_handler(handler: Option<&mut Value>) {
    let Some(handler) = handler.and_then(Value::object_mut) else { return };
    let ways = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
    if !ways.iter().any(|way| handler.contains_key(way)) {
        handler.insert("tcpSocket", Value::object(Map::new()));
    }
    for way in ways {
        let Some(way_of) = handler.get_mut(way).and_then(Value::object_mut) else { continue };
        match way {
            "exec" => needs(way_of, "command", Value::array(vec![Value::from(SOME)])),
            "sleep" => {}
            _ => needs(way_of, "port", Value::from(80_i64)),
        }
    }
}

fn complete_rule(rule: &mut Map) {
    let one = |text: &str| Value::array(vec![Value::from(text)]);
    needs(rule, "verbs", one("get"));
    if !rule.contains_key("nonResourceURLs") {
        needs(rule, "apiGroups", one(""));
        needs(rule, "resources", one("pods"));
    }
}

fn complete_binding(object: &mut Value) {
    if object.get("roleRef").is_none() {
        object.make_object().insert("roleRef", Value::object(Map::new()));
    }
    if let Some(role) = below(object, &["roleRef"]).and_then(Value::object_mut) {
        needs(role, "kind", Value::from("ClusterRole"));
        needs(role, "name", Value::from(SOME));
    }
    each(object.object_mut(), "subjects", |subject| {
        needs(subject, "kind", Value::from("User"));
        needs(subject, "name", Value::from(SOME));
        if subject.get("kind").and_then(Value::as_str) == Some("ServiceAccount") {
            needs(subject, "namespace", Value::from("default"));
        }
    });
}
