//! Kinds without Pods: roles, Services, Ingresses, NetworkPolicies, PodDisruptionBudgets, Secrets.
//!
//! In: an object. Out: whether Kubernetes' validation takes it, as far as it is said here.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{rbac,core,networking,policy}/validation/validation.go

use super::names::{is_dns_subdomain, is_wildcard_subdomain};
use engine_json::Value;

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
        "NetworkPolicy" => is_network_policy(object),
        "PodDisruptionBudget" => {
            // ValidatePodDisruptionBudgetSpec
            let has = |field| object.find(&["spec", field]);
            ["minAvailable", "maxUnavailable"].into_iter().filter_map(has).all(is_amount)
        }
        _ => true,
    }
}

/// A number that is not negative, or a share (`ValidatePositiveIntOrPercent`, `IsValidPercent`).
fn is_amount(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let digits = text.strip_suffix('%');
            digits
                .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
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

/// `ValidateService`, of which its type, its ports and the name it stands for are looked at.
fn is_service(object: &Value) -> bool {
    let kind = object.find(&["spec", "type"]).and_then(Value::as_str).unwrap_or("ClusterIP");
    let is_within = |port: &Value, field: &str, from: i64| {
        let number = port.get(field);
        number.is_none_or(|number| number.as_i64().is_some_and(|number| (from..=65_535).contains(&number)))
    };
    let is_port = |port: &Value| {
        let is_of_node = matches!(kind, "NodePort" | "LoadBalancer");
        let node_port = port.get("nodePort").and_then(Value::as_i64).unwrap_or(0);
        is_within(port, "port", 1) && is_within(port, "nodePort", 0) && (is_of_node || node_port == 0)
    };
    let is_named = kind != "ExternalName" || !object.find_str(&["spec", "externalName"]).is_empty();
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
