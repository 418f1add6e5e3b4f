//! What settings of a Pod ask of each other: its system, its network, its users, what is mounted.
//!
//! In: the spec of a Pod. Out: whether Kubernetes' validation takes these settings beside each other, and the same with what makes it so.
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/validation/validation.go

use super::complete::needs;
use super::typed::is_address;
use crate::objects::kinds::CONTAINER_LISTS;
use engine_json::{Map, Value};

const CONTEXT: &str = "securityContext";
/// Fields of a Pod, of its security context and of those of containers that no Pod of Windows has (`validateWindows`).
const NOT_OF_WINDOWS: [&str; 2] = ["hostUsers", "shareProcessNamespace"];
const NOT_OF_WINDOWS_POD: [&str; 11] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
];
const NOT_OF_WINDOWS_CONTAINER: [&str; 10] = [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
];
/// What a Pod with users of its own has not of the host (`validateHostUsers`).
const OF_HOST: [&str; 3] = ["hostNetwork", "hostPID", "hostIPC"];
/// How many nameservers a Pod has at most (`MaxDNSNameservers`).
const MAX_NAMESERVERS: usize = 3;

fn containers(spec: &Value) -> impl Iterator<Item = &Value> {
    let list = |field: &&str| spec.get(field).and_then(Value::as_array).unwrap_or_default();
    CONTAINER_LISTS.iter().flat_map(list)
}

fn is_true(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool) == Some(true)
}

/// Whether these settings may stand beside each other.
pub(super) fn is_valid(spec: &Value) -> bool {
    let has_users = spec.get("hostUsers").and_then(Value::as_bool) == Some(false);
    let is_shared = OF_HOST.iter().any(|field| is_true(spec, field));
    // ValidateSecurityContext
    let is_unmasked = |one: &Value| one.find_str(&[CONTEXT, "procMount"]) == "Unmasked";
    is_of_system(spec)
        && !(has_users && is_shared)
        && (has_users || !containers(spec).any(is_unmasked))
        && has_nameservers(spec)
        && has_host_ports(spec)
        && containers(spec).all(propagates)
}

/// `validateLinux`, `validateWindows`.
fn is_of_system(spec: &Value) -> bool {
    let system = spec.find_str(&["os", "name"]);
    let none = |value: Option<&Value>, fields: &[&str]| {
        value.is_none_or(|value| fields.iter().all(|field| value.get(field).is_none()))
    };
    let is_none = |of_pod: &[&str], of_container: &[&str]| {
        none(spec.get(CONTEXT), of_pod) && containers(spec).all(|one| none(one.get(CONTEXT), of_container))
    };
    match system {
        "linux" => is_none(&["windowsOptions"], &["windowsOptions"]),
        "windows" => {
            let is_shared = is_true(spec, "hostPID") || is_true(spec, "hostIPC");
            !is_shared
                && none(Some(spec), &NOT_OF_WINDOWS)
                && is_none(&NOT_OF_WINDOWS_POD, &NOT_OF_WINDOWS_CONTAINER)
        }
        _ => true,
    }
}

/// `validatePodDNSConfig`.
fn has_nameservers(spec: &Value) -> bool {
    let servers = spec.find(&["dnsConfig", "nameservers"]).and_then(Value::as_array).unwrap_or_default();
    let is_needed = spec.find_str(&["dnsPolicy"]) == "None";
    servers.len() <= MAX_NAMESERVERS
        && (!is_needed || !servers.is_empty())
        && servers.iter().filter_map(Value::as_str).all(is_address)
}

/// `validatePodHostNetworkDeps`: in the network of the host a port is that of the host.
fn has_host_ports(spec: &Value) -> bool {
    let list = spec.get("containers").and_then(Value::as_array).unwrap_or_default();
    let mut ports =
        list.iter().flat_map(|one| one.get("ports").and_then(Value::as_array).unwrap_or_default());
    let number = |port: &Value, field: &str| port.get(field).and_then(Value::as_i64).unwrap_or(0);
    // One that is missing is filled in.
    let is_own = |port: &Value| {
        number(port, "hostPort") == 0 || number(port, "hostPort") == number(port, "containerPort")
    };
    !is_true(spec, "hostNetwork") || ports.all(is_own)
}

/// `validateMountPropagation`: what goes both ways is of a privileged container.
fn propagates(container: &Value) -> bool {
    let mounts = container.get("volumeMounts").and_then(Value::as_array).unwrap_or_default();
    let is_privileged = container.get(CONTEXT).is_some_and(|context| is_true(context, "privileged"));
    is_privileged || mounts.iter().all(|mount| mount.find_str(&["mountPropagation"]) != "Bidirectional")
}

/// Gives a Pod the settings that others of it ask for.
pub(super) fn complete(spec: &mut Map) {
    let whole = Value::object(spec.clone());
    if containers(&whole).any(|one| one.find_str(&[CONTEXT, "procMount"]) == "Unmasked") {
        needs(spec, "hostUsers", Value::Bool(false));
    }
    if whole.find_str(&["dnsPolicy"]) == "None" {
        let servers = Value::array(vec![Value::from("10.0.0.10")]);
        needs(spec, "dnsConfig", Value::object(Map::new()));
        if let Some(config) = spec.get_mut("dnsConfig").and_then(Value::object_mut) {
            needs(config, "nameservers", servers);
        }
    }
    let is_of_host = is_true(&whole, "hostNetwork");
    for list in CONTAINER_LISTS {
        let containers = spec.get_mut(list).and_then(Value::array_mut);
        for container in containers.into_iter().flatten().filter(|container| !propagates(container)) {
            let container = container.make_object();
            needs(container, CONTEXT, Value::object(Map::new()));
            if let Some(context) = container.get_mut(CONTEXT).and_then(Value::object_mut) {
                context.insert("privileged", Value::Bool(true));
            }
        }
        if is_of_host && list == "containers" {
            take_host_ports(spec);
        }
    }
}

/// Makes the ports of the containers those of the host.
fn take_host_ports(spec: &mut Map) {
    let containers = spec.get_mut("containers").and_then(Value::array_mut);
    for container in containers.into_iter().flatten().filter_map(Value::object_mut) {
        let ports = container.get_mut("ports").and_then(Value::array_mut);
        for port in ports.into_iter().flatten().filter_map(Value::object_mut) {
            if let Some(number) = port.get("hostPort").filter(|number| number.as_i64() != Some(0)).cloned() {
                port.insert("containerPort", number);
            }
        }
    }
}
