//! What the Pod Security Standards read: the fields of each check, with values on both sides of it.
//!
//! In: nothing. Out: places and constants of a Pod. The checks themselves are those of `engine-podsecurity`.

use crate::objects::kinds::CONTAINER_LISTS;
use crate::reads::Reads;
use crate::reads::field_path::field_path;
use engine::podsecurity::{NEWEST_MINOR, Version};
use engine_json::Value;

/// A field: its keys, and values in words of YAML.
type Row = (&'static [&'static str], &'static [&'static str]);

const POD: &[Row] = &[
    (&["hostNetwork"], &["true", "false"]),
    (&["hostPID"], &["true", "false"]),
    (&["hostIPC"], &["true", "false"]),
    (&["hostUsers"], &["true", "false"]),
    (&["os", "name"], &["windows", "linux"]),
    (&["volumes", "[]", "hostPath", "path"], &["/etc"]),
    (&["volumes", "[]", "emptyDir"], &["{}"]),
    (&["volumes", "[]", "nfs", "server"], &["a"]),
    (&["volumes", "[]", "iscsi", "iqn"], &["a"]),
    (&["volumes", "[]", "csi", "driver"], &["a"]),
    (&["volumes", "[]", "secret", "secretName"], &["a"]),
    (&["volumes", "[]", "configMap", "name"], &["a"]),
    (&["volumes", "[]", "ephemeral"], &["{}"]),
    (&["volumes", "[]", "downwardAPI"], &["{}"]),
    (&["volumes", "[]", "projected"], &["{}"]),
    (&["volumes", "[]", "persistentVolumeClaim", "claimName"], &["a"]),
    (&["volumes", "[]", "gcePersistentDisk", "pdName"], &["a"]),
];

/// Fields of both kinds of security contexts.
const CONTEXT: &[Row] = &[
    (&["runAsNonRoot"], &["true", "false"]),
    (&["runAsUser"], &["0", "1000"]),
    (&["seccompProfile", "type"], &["RuntimeDefault", "Localhost", "Unconfined"]),
    (
        &["seLinuxOptions", "type"],
        &["container_t", "container_init_t", "container_kvm_t", "container_engine_t", "spc_t", ""],
    ),
    (&["seLinuxOptions", "user"], &["a", ""]),
    (&["seLinuxOptions", "role"], &["a", ""]),
    (&["appArmorProfile", "type"], &["RuntimeDefault", "Localhost", "Unconfined"]),
    (&["windowsOptions", "hostProcess"], &["true", "false"]),
];

const OF_POD: &[Row] =
    // One of each version in which further ones were allowed.
    &[(
        &["sysctls", "[]", "name"],
        &[
            "kernel.msgmax",
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_notsent_lowat",
        ],
    )];

const OF_CONTAINER: &[Row] = &[
    (&["privileged"], &["true", "false"]),
    (&["allowPrivilegeEscalation"], &["true", "false"]),
    (&["procMount"], &["Default", "Unmasked"]),
    (&["capabilities", "drop", "[]"], &["ALL", "NET_RAW"]),
    (&["capabilities", "add", "[]"], &["NET_BIND_SERVICE", "SYS_ADMIN", "CHOWN", "NET_RAW"]),
];

const CONTAINER: &[Row] = &[
    (&["ports", "[]", "hostPort"], &["0", "80"]),
    (&["livenessProbe", "httpGet", "host"], &["a", ""]),
    (&["lifecycle", "postStart", "httpGet", "host"], &["a", ""]),
];

const ANNOTATIONS: &[Row] =
    &[(&["container.apparmor.security.beta.kubernetes.io/n0"], &["runtime/default", "unconfined"])];

/// Notes all fields.
pub(crate) fn read(reads: &mut Reads) {
    note(reads, &["spec"], POD);
    note(reads, &["spec", "securityContext"], CONTEXT);
    note(reads, &["spec", "securityContext"], OF_POD);
    for list in CONTAINER_LISTS {
        note(reads, &["spec", list, "[]", "securityContext"], CONTEXT);
        note(reads, &["spec", list, "[]", "securityContext"], OF_CONTAINER);
        note(reads, &["spec", list, "[]"], CONTAINER);
    }
    note(reads, &["metadata", "annotations"], ANNOTATIONS);
}

/// Whether a rule of a policy asks for a level.
pub(crate) fn asks_level(policy: &Value) -> bool {
    let rules = policy.find(&["spec", "rules"]).and_then(Value::as_array).unwrap_or_default();
    rules.iter().any(|rule| rule.find(&["validate", "podSecurity"]).is_some())
}

/// What exclusions and exceptions name of the metadata is tried beside each field that a level refuses: there are many such fields, and no other
/// place says which of them a policy names.
pub(crate) fn name_metadata(reads: &mut Reads) {
    let Some(metadata) = reads.object.fields.get("metadata") else { return };
    let of_maps =
        ["labels", "annotations"].into_iter().filter_map(|key| Some((key, metadata.fields.get(key)?)));
    let below =
        of_maps.flat_map(|(key, map)| map.fields.iter().map(move |(name, node)| (vec![key, name], node)));
    let own =
        ["namespace", "name"].into_iter().filter_map(|key| Some((vec![key], metadata.fields.get(key)?)));
    let is_own = |key: &str| ANNOTATIONS.iter().any(|(keys, _)| *keys == [key]);
    let places = own
        .chain(below)
        .filter(|(keys, node)| !node.constants.is_empty() && !keys.last().is_some_and(|key| is_own(key)));
    let places: Vec<_> = places.map(|(keys, _)| field_path(&[vec!["metadata"], keys].concat())).collect();
    reads.named.extend(places);
}

/// Where the constants of a PodSecurityPolicy are held against a Pod: a field of its `spec`, and places below the Pod's.
const PSP: &[(&str, &[&[&str]])] = &[
    ("allowedFlexVolumes", &[&["volumes", "[]", "flexVolume", "driver"]]),
    ("allowedCSIDrivers", &[&["volumes", "[]", "csi", "driver"]]),
    (
        "runAsUser",
        &[&["securityContext", "runAsUser"], &["containers", "[]", "securityContext", "runAsUser"]],
    ),
    (
        "runAsGroup",
        &[&["securityContext", "runAsGroup"], &["containers", "[]", "securityContext", "runAsGroup"]],
    ),
    ("fsGroup", &[&["securityContext", "fsGroup"]]),
    ("supplementalGroups", &[&["securityContext", "supplementalGroups", "[]"]]),
    ("hostPorts", &[&["containers", "[]", "ports", "[]", "hostPort"]]),
    ("allowedCapabilities", &[&["containers", "[]", "securityContext", "capabilities", "add", "[]"]]),
    ("defaultAddCapabilities", &[&["containers", "[]", "securityContext", "capabilities", "add", "[]"]]),
    ("requiredDropCapabilities", &[&["containers", "[]", "securityContext", "capabilities", "drop", "[]"]]),
    ("allowedUnsafeSysctls", &[&["securityContext", "sysctls", "[]", "name"]]),
    ("forbiddenSysctls", &[&["securityContext", "sysctls", "[]", "name"]]),
    ("allowedProcMountTypes", &[&["containers", "[]", "securityContext", "procMount"]]),
];

/// Notes what a PodSecurityPolicy holds against Pods.
pub(crate) fn read_psp(policy: &Value, reads: &mut Reads) {
    read_host_paths(policy, reads);
    read_sysctls(policy, reads);
    for list in CONTAINER_LISTS {
        let path = field_path(&["spec", list, "[]", "securityContext", "readOnlyRootFilesystem"]);
        reads.note_object(&path, &[]);
    }
    for (field, places) in PSP {
        let mut constants = Vec::new();
        if let Some(value) = policy.find(&["spec", field]) {
            leaves(value, &mut constants);
        }
        for keys in places.iter().filter(|_| !constants.is_empty()) {
            let path: Vec<&str> = ["spec"].iter().chain(*keys).copied().collect();
            reads.note_object(&field_path(&path), &constants);
            reads.named.insert(field_path(&path));
        }
    }
}

/// Names of sysctls that are refused only where a policy forbids them: of those that a wildcard covers others are refused anyway.
// Kubernetes: psp/sysctl/mustmatchpatterns.go, `SafeSysctlAllowlist`.
const SAFE_SYSCTLS: [&str; 4] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
];

fn read_sysctls(policy: &Value, reads: &mut Reads) {
    let is_read = |field: &&str| policy.find(&["spec", field]).is_some();
    if ["allowedUnsafeSysctls", "forbiddenSysctls"].iter().any(is_read) {
        let path = field_path(&["spec", "securityContext", "sysctls", "[]", "name"]);
        reads.note_object(&path, &SAFE_SYSCTLS.map(Value::from));
    }
}

/// Folders of the host that may be mounted: each, what lies below it and around it, and what only begins with the same letters; a folder that may
/// only be read is mounted to be read or not.
// Kubernetes: psp/volume.go hostPathAllowed, which compares whole parts of paths.
fn read_host_paths(policy: &Value, reads: &mut Reads) {
    let allowed = policy.find(&["spec", "allowedHostPaths"]).and_then(Value::as_array).unwrap_or_default();
    let mut constants = Vec::new();
    for prefix in allowed.iter().map(|one| one.find_str(&["pathPrefix"])) {
        let bare = prefix.trim_end_matches('/');
        let above = bare.rsplit_once('/').map_or("", |(above, _)| above);
        let all = [
            bare.to_owned(),
            format!("{bare}/x"),
            format!("{bare}x"),
            above.to_owned(),
            format!("{above}/x"),
        ];
        constants.extend(all.into_iter().filter(|path| path.starts_with('/')).map(Value::from));
    }
    if constants.is_empty() {
        return;
    }
    let path = field_path(&["spec", "volumes", "[]", "hostPath", "path"]);
    reads.note_object(&path, &constants);
    reads.named.insert(path.clone());
    for list in ["containers", "initContainers"] {
        // The search names the volumes that it makes so.
        let mounts = |field| field_path(&["spec", list, "[]", "volumeMounts", "[]", field]);
        reads.note_object(&mounts("name"), &[Value::from("n0"), Value::from("n1")]);
        reads.note_object(&mounts("readOnly"), &[Value::Bool(true), Value::Bool(false)]);
        // How a folder is mounted shows beside the folder alone.
        reads.named.insert(mounts("readOnly"));
        reads.links.insert((path.clone(), mounts("readOnly")));
        // What is not read-only is so where nothing is written: the name alone says that it is mounted.
        reads.links.insert((path.clone(), mounts("name")));
    }
}

/// The texts and numbers of a value.
fn leaves(value: &Value, found: &mut Vec<Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| leaves(item, found)),
        Value::Object(map) => map.values().for_each(|item| leaves(item, found)),
        Value::String(_) | Value::Number(_) => found.push(value.clone()),
        Value::Null | Value::Bool(_) => {}
    }
}

fn note(reads: &mut Reads, before: &[&str], rows: &[Row]) {
    for (keys, values) in rows {
        let path: Vec<&str> = before.iter().chain(*keys).copied().collect();
        let values: Vec<Value> =
            values.iter().map(|text| engine::yaml::parse_one(text).unwrap_or_default()).collect();
        let values: Vec<Value> =
            values.into_iter().map(|value| if value.is_null() { Value::from("") } else { value }).collect();
        reads.note_object(&field_path(&path), &values);
    }
}

/// Which checks a level stands for, where its version does not say so or is newer than all that are here.
pub(crate) fn newest_checks(level: engine::podsecurity::Level, version: Version) -> Option<String> {
    let name = match version {
        Version::Latest => level.name().to_owned(),
        Version::Minor(minor) if minor > NEWEST_MINOR => format!("{} at v1.{minor}", level.name()),
        Version::Minor(_) => return None,
    };
    Some(format!("level {name}: the checks of v1.{NEWEST_MINOR}, the newest here"))
}
