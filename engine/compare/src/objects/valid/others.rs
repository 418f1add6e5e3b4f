//! Kinds without Pods: roles, Services, Ingresses, NetworkPolicies, PodDisruptionBudgets.
//!
//! In: an object. Out: whether Kubernetes' validation takes it, as far as it is said here.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{rbac,core,networking,policy}/validation/validation.go

use super::complete::needs;
use super::names::{is_dns_label, is_dns_subdomain, is_port_name, is_wildcard_subdomain};
use super::typed::{is_address, is_network};
use crate::objects::admissible::are_apart;
use engine_json::{Map, Value};
use std::collections::BTreeSet;

/// The group of roles.
const RBAC: &str = "rbac.authorization.k8s.io";

fn list<'v>(value: &'v Value, keys: &[&str]) -> &'v [Value] {
    value.find(keys).and_then(Value::as_array).unwrap_or_default()
}

/// Whether an object of a kind may be so.
pub(super) fn is_valid(object: &Value, kind: &str) -> bool {
    match kind {
        "Role" | "ClusterRole" => list(object, &["rules"]).iter().all(|rule| is_rule(rule, kind == "Role")),
        "RoleBinding" | "ClusterRoleBinding" => is_binding(object, kind),
        "Service" => is_service(object),
        "Ingress" => is_ingress(object),
        "Secret" => super::secrets::is_secret(object),
        "NetworkPolicy" => is_network_policy(object),
        "PodDisruptionBudget" => {
            // ValidatePodDisruptionBudgetSpec
            let has = |field| object.find(&["spec", field]);
            ["minAvailable", "maxUnavailable"].into_iter().filter_map(has).all(is_amount)
        }
        _ => true,
    }
}

/// A number that is not negative, or a share (`ValidatePositiveIntOrPercent`, `IsNotMoreThan100Percent`).
fn is_amount(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let digits = text.strip_suffix('%');
            let is_number =
                |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.is_some_and(|digits| {
                is_number(digits) && digits.parse::<u32>().is_ok_and(|share| share <= 100)
            })
        }
        other => other.as_i64().is_some_and(|number| number >= 0),
    }
}

/// `validatePolicyRule`.
fn is_rule(rule: &Value, is_namespaced: bool) -> bool {
    let has = |field: &str| !list(rule, &[field]).is_empty();
    let is_of_resources = has("apiGroups") || has("resources") || has("resourceNames");
    if has("nonResourceURLs") {
        return !is_namespaced && !is_of_resources;
    }
    has("apiGroups") && has("resources") && (!has("resourceNames") || list(rule, &["resources"]).len() == 1)
}

/// `ValidateRoleBinding`, `ValidateClusterRoleBinding`; groups are filled in where they are missing.
fn is_binding(object: &Value, kind: &str) -> bool {
    let role = |field: &str| object.find_str(&["roleRef", field]);
    let is_kind = role("kind") != "Role" || kind == "RoleBinding";
    let is_subject = |subject: &Value| {
        let group = subject.find_str(&["apiGroup"]);
        match subject.find_str(&["kind"]) {
            "ServiceAccount" => {
                let has_namespace = kind == "RoleBinding" || !subject.find_str(&["namespace"]).is_empty();
                group.is_empty() && has_namespace && is_dns_subdomain(subject.find_str(&["name"]))
            }
            _ => group.is_empty() || group == RBAC,
        }
    };
    let is_group = role("apiGroup").is_empty() || role("apiGroup") == RBAC;
    is_group && is_kind && list(object, &["subjects"]).iter().all(is_subject)
}

/// Whether a Service has no address of its own, or stands for a name, so that it needs no ports.
fn needs_ports(object: &Value) -> bool {
    object.find_str(&["spec", "clusterIP"]) != "None" && object.find_str(&["spec", "type"]) != "ExternalName"
}

/// Gives a Service what it needs.
pub(super) fn complete_service(object: &mut Value) {
    let needs_ports = needs_ports(object);
    let map = object.make_object();
    needs(map, "spec", Value::object(Map::new()));
    let Some(spec) = map.get_mut("spec").and_then(Value::object_mut) else { return };
    let port = Value::object(crate::objects::kinds::map([("port", Value::from(80_i64))]));
    if needs_ports && spec.get("ports").and_then(Value::as_array).is_none_or(<[Value]>::is_empty) {
        spec.insert("ports", Value::array(vec![port]));
    }
    if spec.get("type").and_then(Value::as_str) == Some("ExternalName") {
        needs(spec, "externalName", Value::from("x"));
    }
    let is_out = matches!(spec.get("type").and_then(Value::as_str), Some("NodePort" | "LoadBalancer"));
    if spec.contains_key("externalTrafficPolicy") && !is_out && !spec.contains_key("externalIPs") {
        spec.insert("type", Value::from("NodePort"));
    }
    // Services inside a cluster have no port on its nodes.
    let is_on_nodes =
        |port: &Value| port.get("nodePort").and_then(Value::as_i64).is_some_and(|port| port != 0);
    let has_node_port =
        spec.get("ports").and_then(Value::as_array).is_some_and(|ports| ports.iter().any(is_on_nodes));
    if has_node_port && !is_out {
        needs(spec, "type", Value::from("NodePort"));
    }
    let ports = spec.get_mut("ports").and_then(Value::array_mut);
    let Some(ports) = ports.filter(|ports| ports.len() > 1) else { return };
    for (at, port) in ports.iter_mut().filter_map(Value::object_mut).enumerate() {
        needs(port, "name", Value::from(format!("p{at}")));
        // Each is another one.
        let number = i64::try_from(at).unwrap_or(0);
        if at > 0 && port.get("port").and_then(Value::as_i64) == Some(80) {
            port.insert("port", Value::from(80 + number));
        }
    }
}

/// `ValidateService`, of which its type, its addresses, its ports and the name it stands for are looked at.
fn is_service(object: &Value) -> bool {
    let kind = object.find(&["spec", "type"]).and_then(Value::as_str).unwrap_or("ClusterIP");
    let ports = list(object, &["spec", "ports"]);
    let is_out = matches!(kind, "NodePort" | "LoadBalancer");
    let externals = list(object, &["spec", "externalIPs"]);
    // validateServiceExternalTrafficPolicy
    let is_reached = is_out || !externals.is_empty();
    let has_policy = object.find(&["spec", "externalTrafficPolicy"]).is_some();
    let address = object.find_str(&["spec", "clusterIP"]);
    let has_address = match address {
        "" => true,
        "None" => !is_out,
        address => is_address(address),
    };
    let has_names = ports.len() < 2
        || are_apart(ports.iter()) && ports.iter().all(|port| !port.find_str(&["name"]).is_empty());
    let numbers: BTreeSet<_> = ports
        .iter()
        .map(|port| {
            let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
            (protocol, port.get("port").and_then(Value::as_i64))
        })
        .collect();
    let is_whole = (!needs_ports(object) || !ports.is_empty())
        && has_address
        && (is_reached || !has_policy)
        && has_names
        && numbers.len() == ports.len()
        && externals.iter().filter_map(Value::as_str).all(is_address)
        && list(object, &["spec", "loadBalancerSourceRanges"])
            .iter()
            .filter_map(Value::as_str)
            .all(is_network);
    if !is_whole {
        return false;
    }
    let is_within = |port: &Value, field: &str, from: i64| {
        let number = port.get(field);
        number.is_none_or(|number| number.as_i64().is_some_and(|number| (from..=65_535).contains(&number)))
    };
    let is_port = |port: &Value| {
        let name = port.find_str(&["name"]);
        let is_target = match port.get("targetPort") {
            Some(Value::String(name)) => is_port_name(name),
            _ => is_within(port, "targetPort", 1),
        };
        let node_port = port.get("nodePort").and_then(Value::as_i64).unwrap_or(0);
        is_within(port, "port", 1)
            && is_within(port, "nodePort", 0)
            && (kind != "ClusterIP" || node_port == 0)
            && is_target
            && (name.is_empty() || is_dns_label(name))
    };
    let name = object.find_str(&["spec", "externalName"]);
    let is_named = kind != "ExternalName" || is_dns_subdomain(name.strip_suffix('.').unwrap_or(name));
    is_named && list(object, &["spec", "ports"]).iter().all(is_port)
}

/// `validateIngressRules`, `validateIngressTLS`: hosts are names of DNS, or wildcards of them, and no addresses.
fn is_ingress(object: &Value) -> bool {
    let is_host = |host: &str| {
        let is_address = host.parse::<std::net::IpAddr>().is_ok();
        host.is_empty() || is_dns_subdomain(host) && !is_address || is_wildcard_subdomain(host)
    };
    let hosts = list(object, &["spec", "tls"]).iter().flat_map(|entry| list(entry, &["hosts"]));
    let is_entry = |entry: &Value| {
        let secret = entry.find_str(&["secretName"]);
        secret.is_empty() || is_dns_subdomain(secret)
    };
    list(object, &["spec", "rules"]).iter().all(|rule| is_host(rule.find_str(&["host"])))
        && hosts.filter_map(Value::as_str).all(|host| is_dns_subdomain(host) || is_wildcard_subdomain(host))
        && list(object, &["spec", "tls"]).iter().all(is_entry)
}

/// `ValidateNetworkPolicySpec`: no more types than there are.
fn is_network_policy(object: &Value) -> bool {
    list(object, &["spec", "policyTypes"]).len() <= 2
}
