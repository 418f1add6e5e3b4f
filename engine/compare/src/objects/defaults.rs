//! An object as policies meet it: with what an API server fills in before it asks them.
//!
//! In: an object as written. Out: the same with the defaults of Pods, of workloads, and of Services, as far as policies read
//! them often. A difference that goes away with them is one of files and not of a cluster.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core/v1,apps/v1,batch/v1}/defaults.go

use crate::objects::kinds::CONTAINER_LISTS;
use engine_json::{Map, Path, Value};

/// Texts, numbers and truths in the words of YAML.
type Row = (&'static str, &'static str);

const SPEC: &[Row] = &[
    ("restartPolicy", "Always"),
    ("dnsPolicy", "ClusterFirst"),
    ("terminationGracePeriodSeconds", "30"),
    ("schedulerName", "default-scheduler"),
    ("enableServiceLinks", "true"),
    ("securityContext", "{}"),
];
const CONTAINER: &[Row] = &[
    ("terminationMessagePath", "/dev/termination-log"),
    ("terminationMessagePolicy", "File"),
    ("resources", "{}"),
];
const PROBE: &[Row] =
    &[("timeoutSeconds", "1"), ("periodSeconds", "10"), ("successThreshold", "1"), ("failureThreshold", "3")];
const PROTOCOL: &[Row] = &[("protocol", "TCP")];
const SERVICE: &[Row] =
    &[("type", "ClusterIP"), ("sessionAffinity", "None"), ("internalTrafficPolicy", "Cluster")];
const REPLICAS: &[Row] = &[("replicas", "1")];
const JOB: &[Row] = &[("backoffLimit", "6"), ("suspend", "false")];
const CRON_JOB: &[Row] = &[
    ("concurrencyPolicy", "Allow"),
    ("suspend", "false"),
    ("successfulJobsHistoryLimit", "3"),
    ("failedJobsHistoryLimit", "1"),
];

/// Kinds of Kubernetes' own whose `spec` is a struct and not a pointer to one, so that it is there in every request.
// k8s.io/api: encoding/json writes a struct also where it is empty.
const WITH_SPEC: [&str; 16] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "Namespace",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodDisruptionBudget",
    "ReplicaSet",
    "ReplicationController",
    "Service",
    "StatefulSet",
];
/// The groups of these kinds.
const GROUPS: [&str; 6] =
    ["v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "policy/v1", "autoscaling/v2"];
/// What stands for the identifier that an API server gives to an object.
const UID: &str = "00000000-0000-4000-8000-000000000001";

/// An object that is in the cluster already, with the identifier that it was given.
// k8s.io/apiserver/pkg/registry/rest: FillObjectMetaSystemFields, BeforeUpdate.
pub(crate) fn identified(mut object: Value) -> Value {
    let path = Path::from_keys(&["metadata", "uid"]);
    if object.find(&["metadata"]).is_some() && object.at_path(path.iter()).is_none() {
        object.put(&path, Some(Value::from(UID)));
    }
    object
}

/// Puts an empty map where a struct is, which is written also where it is empty.
fn struct_at(holder: Option<&mut Value>, key: &'static str) {
    if let Some(map) = holder.and_then(Value::object_mut)
        && map.get(key).is_none_or(Value::is_null)
    {
        map.insert(key, Value::object(Map::new()));
    }
}

/// The object as it arrives.
pub(crate) fn defaulted(object: &Value) -> Value {
    let mut object = object.clone();
    let kind = object.find_str(&["kind"]).to_owned();
    if WITH_SPEC.contains(&kind.as_str()) && GROUPS.contains(&object.find_str(&["apiVersion"])) {
        struct_at(Some(&mut object), "spec");
    }
    if kind == "NetworkPolicy" {
        struct_at(below(&mut object, &["spec"]), "podSelector");
    }
    if matches!(kind.as_str(), "Role" | "ClusterRole") && object.get("rules").is_none() {
        // k8s.io/api/rbac/v1: a list without `omitempty` is written as null where it is empty.
        object.make_object().insert("rules", Value::Null);
    }
    let path: &[&str] = match kind.as_str() {
        "Pod" => &[],
        "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicaSet" | "ReplicationController" => {
            &["spec", "template"]
        }
        "CronJob" => &["spec", "jobTemplate", "spec", "template"],
        "Service" => {
            fill(object.make_object(), "spec", SERVICE);
            each(below(&mut object, &["spec"]), "ports", |port| fill_in(port, PROTOCOL));
            return object;
        }
        _ => return object,
    };
    match kind.as_str() {
        "Deployment" | "StatefulSet" | "ReplicaSet" | "ReplicationController" => {
            fill(object.make_object(), "spec", REPLICAS);
        }
        "Job" => fill(object.make_object(), "spec", JOB),
        "CronJob" => fill(object.make_object(), "spec", CRON_JOB),
        _ => {}
    }
    if kind != "Pod" {
        struct_at(below(&mut object, path), "metadata");
    }
    if let Some(holder) = below(&mut object, path).and_then(Value::object_mut) {
        fill_pod(holder);
    }
    if kind == "Pod" {
        for list in ["containers", "initContainers"] {
            each(below(&mut object, &["spec"]), list, request_limits);
        }
    }
    object
}

/// Whether an API server fills in a field of a Pod or of a template of one, wherever it is missing; `keys` lead to what it is a field of.
pub(crate) fn is_filled_in(keys: &[&str], field: &str) -> bool {
    let is_row = |rows: &[Row]| rows.iter().any(|(key, _)| *key == field);
    let spec: &[&[&str]] =
        &[&["spec"], &["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"]];
    match keys {
        [before @ .., "containers" | "initContainers" | "ephemeralContainers", "[]"] => {
            spec.contains(&before) && (field == "imagePullPolicy" || is_row(CONTAINER))
        }
        _ => spec.contains(&keys) && is_row(SPEC),
    }
}

/// Whether an API server fills in a field of every object of a kind.
pub(crate) fn is_filled_in_kind(kind: &str, keys: &[&str], field: &str) -> bool {
    // Of a Service without a type all other fields hang on the type.
    (kind == "Service" && keys == ["spec"] && field == "type") || (kind == "Pod" && is_filled_in(keys, field))
}

fn below<'v>(value: &'v mut Value, keys: &[&str]) -> Option<&'v mut Value> {
    keys.iter().try_fold(value, |value, key| value.object_mut()?.get_mut(key))
}

/// Puts what is missing into the map under a key, where there is one.
fn fill(map: &mut Map, key: &str, rows: &[Row]) {
    if let Some(inner) = map.get_mut(key).and_then(Value::object_mut) {
        fill_in(inner, rows);
    }
}

fn fill_in(map: &mut Map, rows: &[Row]) {
    for (key, text) in rows {
        if map.get(key).is_none_or(Value::is_null) {
            map.insert(*key, engine::yaml::parse_one(text).unwrap_or_default());
        }
    }
}

fn each(value: Option<&mut Value>, key: &str, change: impl Fn(&mut Map)) {
    let list = value.and_then(Value::object_mut).and_then(|map| map.get_mut(key)).and_then(Value::array_mut);
    list.into_iter().flatten().filter_map(Value::object_mut).for_each(change);
}

fn fill_pod(holder: &mut Map) {
    fill(holder, "spec", SPEC);
    for list in CONTAINER_LISTS {
        each(holder.get_mut("spec"), list, fill_container);
    }
    each(holder.get_mut("spec"), "volumes", |volume| {
        if volume.keys().all(|key| key == "name") {
            volume.insert("emptyDir", Value::object(Map::new()));
        }
    });
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
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        fill(container, probe, PROBE);
    }
    if let Some(ports) = container.get_mut("ports").and_then(Value::array_mut) {
        ports.iter_mut().filter_map(Value::object_mut).for_each(|port| fill_in(port, PROTOCOL));
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
