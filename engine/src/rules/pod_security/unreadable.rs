//! A Pod that Go cannot read: the error of Kyverno, in the words of `encoding/json`.
//!
//! In: a Pod. Out: `json: cannot unmarshal string into Go struct field PodSpec.spec.hostPID of type bool` for the first
//! field, by name, of those that any check reads; nothing for a Pod whose fields have the types of Kubernetes.

use engine_json::{Map, Path, Segment, Value, to_json};
use engine_podsecurity::exclude::evaluate;
use engine_podsecurity::{Fault, Level, PodView, Version};

/// Why Go cannot read the Pod, if it cannot.
pub fn why(pod: &PodView<'_>) -> Option<String> {
    for map in ["annotations", "labels"] {
        let entries = pod.metadata.get(map).and_then(Value::as_object).into_iter().flat_map(Map::values);
        if let Some(value) =
            entries.into_iter().find(|value| !matches!(value, Value::String(_) | Value::Null))
        {
            let path = pod.metadata_path.join(map).join("");
            return Some(words(value, "string", &path));
        }
    }
    let results = evaluate((Level::Restricted, Version::Latest), pod);
    let all = results.iter().flat_map(|result| &result.violations);
    // Go: the object is read from JSON with sorted keys, and the first mistake counts.
    let first = all.filter(|violation| !violation.is_readable()).min_by(|a, b| a.path.cmp(&b.path))?;
    let Fault::WrongType(expected) = first.fault else { return None };
    Some(words(first.value.as_ref().unwrap_or(&Value::Null), expected, &pod.resolve(&first.path)))
}

/// The error about a value where a type is expected that it does not have.
fn words(value: &Value, expected: &str, path: &Path) -> String {
    let keys: Vec<&str> = path.iter().filter_map(key).collect();
    // Go: annotations are a map, whose keys are not fields.
    let in_map = keys.iter().position(|key| matches!(*key, "annotations" | "labels"));
    let keys = in_map.and_then(|at| keys.get(..=at)).unwrap_or(&keys);
    let is_item = matches!(path.last(), Some(Segment::Index(_)));
    let of = type_of(keys, expected, is_item || in_map.is_some());
    let holder = keys.len().checked_sub(1).and_then(|end| keys.get(..end)).unwrap_or(&[]);
    let value = found(value, expected);
    let (holder, field) = (struct_of(holder), field(keys));
    format!("json: cannot unmarshal {value} into Go struct field {holder}.{field} of type {of}")
}

/// The way to the field as Go prints it, with the names of embedded structs.
fn field(keys: &[&str]) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for (at, key) in keys.iter().enumerate() {
        steps.push(key);
        let embedded = match (*key, keys.get(at + 1).copied()) {
            ("volumes", Some(source)) if source != "name" => "VolumeSource",
            ("livenessProbe" | "readinessProbe" | "startupProbe", Some("httpGet" | "tcpSocket")) => {
                "ProbeHandler"
            }
            ("ephemeralContainers", Some(_)) => "EphemeralContainerCommon",
            _ => continue,
        };
        steps.push(embedded);
    }
    steps.join(".")
}

fn key(segment: &Segment) -> Option<&str> {
    match segment {
        Segment::Key(key) => Some(key),
        Segment::Index(_) => None,
    }
}

/// The value as Go names it: a number with its digits where a number is wanted.
fn found(value: &Value, expected: &str) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) if expected.starts_with("int") => format!("number {}", to_json(value)),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "string".to_owned(),
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
    }
}

/// The Go types of the fields that hold fields, by name.
const STRUCTS: &[(&str, &str)] = &[
    ("metadata", "ObjectMeta"),
    ("containers", "Container"),
    ("initContainers", "Container"),
    ("ephemeralContainers", "EphemeralContainer"),
    ("capabilities", "Capabilities"),
    ("seLinuxOptions", "SELinuxOptions"),
    ("seccompProfile", "SeccompProfile"),
    ("appArmorProfile", "AppArmorProfile"),
    ("windowsOptions", "WindowsSecurityContextOptions"),
    ("sysctls", "Sysctl"),
    ("os", "PodOS"),
    ("ports", "ContainerPort"),
    ("volumes", "Volume"),
    ("livenessProbe", "Probe"),
    ("readinessProbe", "Probe"),
    ("startupProbe", "Probe"),
    ("lifecycle", "Lifecycle"),
    ("postStart", "LifecycleHandler"),
    ("preStop", "LifecycleHandler"),
    ("httpGet", "HTTPGetAction"),
    ("tcpSocket", "TCPSocketAction"),
    ("hostPath", "HostPathVolumeSource"),
    ("emptyDir", "EmptyDirVolumeSource"),
    ("configMap", "ConfigMapVolumeSource"),
    ("secret", "SecretVolumeSource"),
    ("projected", "ProjectedVolumeSource"),
    ("persistentVolumeClaim", "PersistentVolumeClaimVolumeSource"),
];

/// The Go type of the struct at these keys.
fn struct_of(keys: &[&str]) -> String {
    let in_container = keys.iter().any(|key| key.to_lowercase().ends_with("containers"));
    match keys.last().copied() {
        None => "Pod".to_owned(),
        Some("spec") => "PodSpec".to_owned(),
        Some("securityContext") if in_container => "SecurityContext".to_owned(),
        Some("securityContext") => "PodSecurityContext".to_owned(),
        Some(key) => {
            let known = STRUCTS.iter().find(|(known, _)| *known == key);
            known.map_or_else(|| key.to_owned(), |(_, name)| (*name).to_owned())
        }
    }
}

/// The Go type of the value at these keys, or of an item of it.
fn type_of(keys: &[&str], expected: &str, is_item: bool) -> String {
    let last = keys.last().copied().unwrap_or_default();
    let named = match (keys.iter().rev().nth(1).copied(), last) {
        (Some("capabilities"), "add" | "drop") => Some("v1.Capability"),
        (Some("seccompProfile"), "type") => Some("v1.SeccompProfileType"),
        (Some("appArmorProfile"), "type") => Some("v1.AppArmorProfileType"),
        (Some("os"), "name") => Some("v1.OSName"),
        (_, "procMount") => Some("v1.ProcMountType"),
        _ => None,
    };
    match expected {
        "boolean" => "bool".to_owned(),
        "string" => named.unwrap_or("string").to_owned(),
        "array" => format!("[]{}", named.map_or_else(|| format!("v1.{}", struct_of(keys)), str::to_owned)),
        "object" if last == "annotations" && !is_item => "map[string]string".to_owned(),
        "object" => format!("v1.{}", struct_of(keys)),
        other => other.to_owned(),
    }
}
