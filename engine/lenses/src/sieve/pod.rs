//! Pods as the sieve handles them: their containers by place, and a Pod that nobody should mind.
//!
//! In: a Pod or a workload. Out: where its Pod's spec lies, its containers; a made Pod to put things into.

use engine_json::{Map, Path, Value};

/// The lists of containers.
pub(super) const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// A container and its place.
#[derive(Clone, Debug)]
pub(super) struct Container {
    /// The list it is in.
    pub(super) list: &'static str,
    /// Its path from the object.
    pub(super) path: Path,
    pub(super) name: String,
    pub(super) image: String,
}

/// The way to the spec of the Pod of an object of this kind.
pub(super) fn spec_path(kind: &str) -> Option<Path> {
    let template: &[&str] = match kind {
        "Pod" => &["spec"],
        "DaemonSet" | "Deployment" | "Job" | "StatefulSet" | "ReplicaSet" | "ReplicationController" => {
            &["spec", "template", "spec"]
        }
        "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
        _ => return None,
    };
    Some(Path::from_keys(template))
}

/// The way to the spec of the object's Pod.
pub(super) fn spec_of(object: &Value) -> Option<Path> {
    spec_path(object.find_str(&["kind"]))
}

/// All containers of an object.
pub(super) fn containers(object: &Value) -> Vec<Container> {
    let Some(spec) = spec_of(object) else { return Vec::new() };
    let mut found = Vec::new();
    for list in LISTS {
        let path = spec.join(list);
        let items = object.at_path(path.iter()).and_then(Value::as_array).unwrap_or_default();
        found.extend(items.iter().enumerate().map(|(at, item)| Container {
            list,
            path: path.join(at),
            name: item.find_str(&["name"]).to_owned(),
            image: item.find_str(&["image"]).to_owned(),
        }));
    }
    found
}

/// A map of these entries.
pub(super) fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}

/// A list of texts.
pub(super) fn texts(texts: &[&str]) -> Value {
    Value::array(texts.iter().map(|text| Value::from(*text)).collect())
}

/// A Namespace without labels.
pub(super) fn namespace(name: &str) -> Value {
    map([
        ("apiVersion", "v1".into()),
        ("kind", "Namespace".into()),
        ("metadata", map([("name", name.into())])),
    ])
}

/// The security context of a container that satisfies the restricted level.
pub(super) fn compliant_context() -> Value {
    map([
        ("allowPrivilegeEscalation", false.into()),
        ("capabilities", map([("drop", texts(&["ALL"]))])),
        ("readOnlyRootFilesystem", true.into()),
        ("runAsNonRoot", true.into()),
        ("runAsUser", 1000_i64.into()),
        ("seccompProfile", map([("type", "RuntimeDefault".into())])),
    ])
}

/// A container that nobody should mind.
pub(super) fn compliant_container(name: &str, image: &str) -> Value {
    let amounts = || map([("cpu", "100m".into()), ("memory", "64Mi".into())]);
    map([
        ("name", name.into()),
        ("image", image.into()),
        ("resources", map([("requests", amounts()), ("limits", amounts())])),
        ("securityContext", compliant_context()),
    ])
}

/// The image of a stranger.
pub(super) const STRANGER: &str = "docker.io/library/ubuntu:latest";
/// The image of a workload that has nothing to do with an exemption.
pub(super) const APP: &str = "registry.example/app:1.0";

/// A Pod that nobody should mind.
pub(super) fn compliant_pod(name: &str, namespace: &str) -> Value {
    let spec = map([
        ("securityContext", compliant_pod_context()),
        ("containers", Value::array(vec![compliant_container("app", APP)])),
    ]);
    map([
        ("apiVersion", "v1".into()),
        ("kind", "Pod".into()),
        (
            "metadata",
            map([
                ("name", name.into()),
                ("namespace", namespace.into()),
                ("labels", map([("app", "web".into())])),
            ]),
        ),
        ("spec", spec),
    ])
}

fn compliant_pod_context() -> Value {
    map([("runAsNonRoot", true.into()), ("seccompProfile", map([("type", "RuntimeDefault".into())]))])
}

/// The fields of a Pod's spec that a level of the standards looks at, and that a compliant Pod does not need.
const TROUBLE: [&str; 4] = ["hostNetwork", "hostPID", "hostIPC", "volumes"];

/// The same object with no container.
pub(super) fn without_containers(object: &Value) -> Option<Value> {
    let spec = spec_of(object)?;
    let none = |list: &str| super::edit::Edit::Set(spec.join(list), Value::array(Vec::new()));
    super::edit::edited(object, &LISTS.map(none))
}

/// The same object with its containers, names, images and labels, and nothing in it that anybody should mind.
pub(super) fn made_compliant(object: &Value) -> Option<Value> {
    let spec_path = spec_of(object)?;
    let mut spec = object.at_path(spec_path.iter())?.clone();
    let map = spec.object_mut()?;
    for key in TROUBLE {
        map.remove(key);
    }
    map.insert("securityContext", compliant_pod_context());
    for list in LISTS {
        let Some(items) = map.get_mut(list).and_then(Value::array_mut) else { continue };
        for item in items {
            *item = compliant_container(item.find_str(&["name"]), item.find_str(&["image"]));
        }
    }
    super::edit::edited(object, &[super::edit::Edit::Set(spec_path, spec)])
}
