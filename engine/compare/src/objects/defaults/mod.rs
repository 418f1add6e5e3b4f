//! An object as policies meet it: with what an API server fills in before it asks them.
//!
//! In: an object as written. Out: the same with the defaults of Kubernetes' kinds, as far as policies read them often. A difference that goes
//! away with them is one of files and not of a cluster.

mod pods;
mod rows;

use crate::objects::format::SOME_TIME;
use crate::objects::null_lists::is_null_list;
use crate::reads::field_path::Step;
use engine::value::base64::encode;
use engine_json::{Map, Path, Value};
use rows::{CONTAINER, IN_OBJECTS, Row, SPEC, STRATEGIES, TRAFFIC, VERSIONS};

/// What stands for the identifier that an API server gives to an object.
const UID: &str = "00000000-0000-4000-8000-000000000001";

/// Kinds that count how often their spec has changed.
// k8s.io/kubernetes/pkg/registry: `PrepareForCreate` of each kind's strategy sets `Generation = 1`.
const COUNTED: [&str; 12] = [
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Ingress",
    "Job",
    "MutatingWebhookConfiguration",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "ReplicaSet",
    "ReplicationController",
    "StatefulSet",
    "ValidatingWebhookConfiguration",
];

/// An object with the identifier, the time and the generation that it is given before it is stored; policies that validate meet them when it
/// is made, too.
// k8s.io/apiserver/pkg/registry/rest: FillObjectMetaSystemFields, BeforeCreate, BeforeUpdate.
pub(crate) fn identified(mut object: Value, generation: i64) -> Value {
    let is_counted = COUNTED.contains(&object.find_str(&["kind"]));
    let given = [
        ("uid", Some(Value::from(UID))),
        ("creationTimestamp", Some(Value::from(SOME_TIME))),
        ("generation", is_counted.then(|| Value::from(generation))),
    ];
    if object.find(&["metadata"]).is_none() {
        return object;
    }
    for (field, value) in given {
        let path = Path::from_keys(&["metadata", field]);
        // A generation that is written is not taken.
        let is_missing = field == "generation" || object.at_path(path.iter()).is_none_or(Value::is_null);
        if let Some(value) = value.filter(|_| is_missing) {
            object.put(&path, Some(value));
        }
    }
    object
}

/// The object as it arrives.
pub(crate) fn defaulted(object: &Value) -> Value {
    let mut object = object.clone();
    if !VERSIONS.contains(&object.find_str(&["apiVersion"])) {
        return object;
    }
    let kind = object.find_str(&["kind"]).to_owned();
    for filled in IN_OBJECTS.iter().filter(|filled| filled.kinds.contains(&kind.as_str())) {
        fill(&mut object, filled.way, filled.rows);
    }
    for (_, field, rows) in STRATEGIES.iter().filter(|(of, ..)| *of == kind) {
        at_each(&mut object, &["spec", field], &mut |strategy| roll(strategy, rows));
    }
    match kind.as_str() {
        "Secret" => store_strings(object.make_object()),
        "Namespace" => name_in_labels(&mut object),
        "RoleBinding" | "ClusterRoleBinding" => at_each(&mut object, &["subjects", "[]"], &mut write_group),
        "NetworkPolicy" => at_each(&mut object, &["spec"], &mut write_types),
        "Service" => {
            at_each(&mut object, &["spec"], &mut direct);
            at_each(&mut object, &["spec", "ports", "[]"], &mut write_target);
        }
        "Job" => at_each(&mut object, &["spec"], &mut write_counts),
        "CronJob" => at_each(&mut object, &["spec", "jobTemplate", "spec"], &mut write_counts),
        _ => {}
    }
    pods::fill(&mut object, &kind);
    object
}

/// Calls a function for each map at the end of a way; `[]` stands for each element of a list.
fn at_each(value: &mut Value, way: &[&str], act: &mut dyn FnMut(&mut Map)) {
    match way.split_first() {
        None => value.object_mut().into_iter().for_each(act),
        Some((&"[]", rest)) => {
            value.array_mut().into_iter().flatten().for_each(|item| at_each(item, rest, act));
        }
        Some((key, rest)) => {
            if let Some(below) = value.object_mut().and_then(|map| map.get_mut(key)) {
                at_each(below, rest, act);
            }
        }
    }
}

/// Puts what is missing into each map at the end of a way.
fn fill(value: &mut Value, way: &[&str], rows: &[Row]) {
    at_each(value, way, &mut |map| fill_in(map, rows));
}

fn fill_in(map: &mut Map, rows: &[Row]) {
    for (key, text) in rows {
        if map.get(key).is_none_or(Value::is_null) {
            map.insert(*key, engine::yaml::parse_one(text).unwrap_or_default());
        }
    }
}

/// What is written as text is stored among the other data, and not as text.
// k8s.io/kubernetes/pkg/apis/core/v1/conversion.go: Convert_v1_Secret_To_core_Secret.
fn store_strings(secret: &mut Map) {
    let Some(texts) = secret.remove("stringData") else { return };
    let Some(texts) = texts.as_object().filter(|texts| !texts.is_empty()) else { return };
    fill_in(secret, &[("data", "{}")]);
    let Some(data) = secret.get_mut("data").and_then(Value::object_mut) else { return };
    for (key, text) in texts.iter() {
        data.insert(key.clone(), Value::from(encode(text.as_str().unwrap_or("").as_bytes())));
    }
}

/// The name of a Namespace is among its labels.
// k8s.io/kubernetes/pkg/apis/core/v1/defaults.go: SetDefaults_Namespace.
fn name_in_labels(namespace: &mut Value) {
    let name = namespace.find_str(&["metadata", "name"]).to_owned();
    if !name.is_empty() {
        namespace.put(
            &Path::from_keys(&["metadata", "labels", "kubernetes.io/metadata.name"]),
            Some(Value::from(name)),
        );
    }
}

/// `SetDefaults_NetworkPolicy`: what is not written follows from the rules.
fn write_types(spec: &mut Map) {
    if spec.get("policyTypes").is_some() {
        return;
    }
    let has_egress = spec.get("egress").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty());
    let types = ["Ingress", "Egress"].into_iter().take(1 + usize::from(has_egress));
    spec.insert("policyTypes", Value::array(types.map(Value::from).collect()));
}

/// `SetDefaults_Subject`: the group of a subject that is not a ServiceAccount, which has none.
// k8s.io/kubernetes/pkg/apis/rbac/v1/defaults.go.
fn write_group(subject: &mut Map) {
    let kind = subject.get("kind").and_then(Value::as_str);
    if matches!(kind, Some("User" | "Group"))
        && subject.get("apiGroup").is_none_or(|group| group.as_str() == Some(""))
    {
        subject.insert("apiGroup", Value::from("rbac.authorization.k8s.io"));
    }
}

/// `SetDefaults_Service`: how traffic comes to it hangs on its type.
fn direct(spec: &mut Map) {
    let of_type = spec.get("type").and_then(Value::as_str);
    if let Some((_, rows)) = TRAFFIC.iter().find(|(name, _)| of_type == Some(name)) {
        fill_in(spec, rows);
    }
    match spec.get("sessionAffinity").and_then(Value::as_str) {
        Some("None") => drop(spec.remove("sessionAffinityConfig")),
        Some("ClientIP") => {
            let config = spec.get("sessionAffinityConfig");
            if config.and_then(|config| config.find(&["clientIP", "timeoutSeconds"])).is_none() {
                spec.remove("sessionAffinityConfig");
                fill_in(spec, &[("sessionAffinityConfig", "{clientIP: {timeoutSeconds: 10800}}")]);
            }
        }
        _ => {}
    }
}

/// `SetDefaults_Service`: the target of a port is its number.
fn write_target(port: &mut Map) {
    if let (None, Some(number)) = (port.get("targetPort"), port.get("port").cloned()) {
        port.insert("targetPort", number);
    }
}

/// `SetDefaults_Deployment`, `SetDefaults_StatefulSet`, `SetDefaults_DaemonSet`: what is rolled is so by numbers.
fn roll(strategy: &mut Map, rows: &[Row]) {
    fill_in(strategy, &[("type", "RollingUpdate")]);
    if strategy.get("type").and_then(Value::as_str) != Some("RollingUpdate") {
        return;
    }
    fill_in(strategy, &[("rollingUpdate", "{}")]);
    if let Some(numbers) = strategy.get_mut("rollingUpdate").and_then(Value::object_mut) {
        fill_in(numbers, rows);
    }
}

/// `SetDefaults_Job`: one Pod, where neither number is written.
fn write_counts(job: &mut Map) {
    if job.get("completions").is_none() && job.get("parallelism").is_none() {
        job.insert("completions", Value::from(1_i64));
    }
    fill_in(job, &[("parallelism", "1")]);
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

/// Whether an API server writes null where the list is empty.
pub(crate) fn is_written_as_null(path: &[Step], of: Option<&str>) -> bool {
    let Some(Step::Key(last)) = path.last() else { return false };
    of.is_some_and(|of| is_null_list(of, last))
}
