//! An object as policies meet it: with what an API server fills in before it asks them.
//!
//! In: an object as written. Out: the same with the defaults of Pods, of workloads, and of Services, as far as policies read
//! them often. A difference that goes away with them is one of files and not of a cluster.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core/v1,apps/v1,batch/v1}/defaults.go

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

/// The object as it arrives.
pub(crate) fn defaulted(object: &Value) -> Value {
    let mut object = object.clone();
    let kind = object.find_str(&["kind"]).to_owned();
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
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        each(holder.get_mut("spec"), list, fill_container);
    }
    each(holder.get_mut("spec"), "volumes", |volume| {
        if volume.keys().all(|key| key == "name") {
            volume.insert("emptyDir", Value::object(Map::new()));
        }
    });
}

fn fill_container(container: &mut Map) {
    fill_in(container, CONTAINER);
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
