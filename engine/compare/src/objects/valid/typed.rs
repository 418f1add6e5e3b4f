//! What Kubernetes' types ask of the values of their fields, wherever such a type stands.
//!
//! In: the name of a type, and what an object has there. Out: whether it may be so, and the same with what makes it so. That a field is there,
//! or one of several, is said in the tables of `constraints`.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core,apps,autoscaling,batch,networking}/validation/validation.go

use super::complete::{SOME, needs};
use super::names::{is_dns_label, is_dns_subdomain, is_port_name};
use super::schedules::is_schedule;
use engine::value::quantity::Quantity;
use engine_json::{Map, Str, Value};
use std::net::IpAddr;

/// The largest number of a port.
pub(super) const MAX_PORT: i64 = 65_535;
/// Fields that are names of other objects.
// ValidatePersistentVolumeClaimSpec, validateIngressSpec: ValidateClassName, ValidateIngressClassName.
const NAMES: [(&str, &str); 2] = [
    ("core.v1.PersistentVolumeClaimSpec", "storageClassName"),
    ("networking.v1.IngressSpec", "ingressClassName"),
];
/// The largest weight of a term.
const MAX_WEIGHT: i64 = 100;

/// Counts and times of controllers, which are not negative.
const COUNTS: [&str; 12] = [
    "replicas",
    "minReadySeconds",
    "revisionHistoryLimit",
    "progressDeadlineSeconds",
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "startingDeadlineSeconds",
    "successfulJobsHistoryLimit",
    "failedJobsHistoryLimit",
];

fn text<'m>(map: &'m Map, field: &str) -> Option<&'m str> {
    map.get(field).and_then(Value::as_str)
}

fn list<'m>(map: &'m Map, field: &str) -> &'m [Value] {
    map.get(field).and_then(Value::as_array).unwrap_or_default()
}

/// Whether a field is absent, or a number within these bounds.
fn is_within(map: &Map, field: &str, from: i64, to: i64) -> bool {
    map.get(field).is_none_or(|number| number.as_i64().is_some_and(|number| (from..=to).contains(&number)))
}

/// Whether the values of an object of a type may be so.
pub(super) fn is_valid(map: &Map, of: &str) -> bool {
    let is_text = |field: &str, test: fn(&str) -> bool| text(map, field).is_none_or(test);
    if let Some((_, field)) = NAMES.iter().find(|(known, _)| *known == of)
        && !is_text(field, |text| text.is_empty() || is_dns_subdomain(text))
    {
        return false;
    }
    match of {
        "meta.v1.LabelSelectorRequirement" | "core.v1.NodeSelectorRequirement" => has_values(map),
        "core.v1.TopologySpreadConstraint" => is_within(map, "maxSkew", 1, i64::from(i32::MAX)),
        "core.v1.WeightedPodAffinityTerm" | "core.v1.PreferredSchedulingTerm" => {
            is_within(map, "weight", 1, MAX_WEIGHT)
        }
        // validateSeccompProfileField, ValidateVolumeMounts: validateLocalDescendingPath
        "core.v1.SeccompProfile" => is_text("localhostProfile", is_local_path),
        // ValidateAppArmorProfileField
        "core.v1.AppArmorProfile" => {
            is_text("localhostProfile", |text| !text.is_empty() && text.trim() == text)
        }
        "core.v1.VolumeMount" => is_text("subPath", is_local_path) && is_text("subPathExpr", is_local_path),
        "core.v1.HostPathVolumeSource" => is_text("path", has_no_backsteps),
        "core.v1.HostAlias" => is_text("ip", is_address),
        // ValidateEnv: IsRelaxedEnvVarName
        "core.v1.EnvVar" => {
            is_text("name", |name| name.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'='))
        }
        // IsHTTPHeaderName
        "core.v1.HTTPHeader" => {
            is_text("name", |name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
        }
        "core.v1.Sysctl" => is_text("name", is_sysctl),
        "core.v1.PersistentVolumeClaimSpec" => is_claim(map),
        "apps.v1.DeploymentSpec"
        | "apps.v1.StatefulSetSpec"
        | "apps.v1.DaemonSetSpec"
        | "apps.v1.ReplicaSetSpec"
        | "core.v1.ReplicationControllerSpec"
        | "batch.v1.JobSpec" => has_counts(map),
        "batch.v1.CronJobSpec" => has_counts(map) && is_text("schedule", is_schedule),
        "autoscaling.v1.HorizontalPodAutoscalerSpec" | "autoscaling.v2.HorizontalPodAutoscalerSpec" => {
            let number = |field: &str| map.get(field).and_then(Value::as_i64);
            let least = number("minReplicas").unwrap_or(1);
            least >= 1 && number("maxReplicas").is_some_and(|most| most >= least)
        }
        "networking.v1.HTTPIngressPath" => is_path(map),
        "networking.v1.ServiceBackendPort" => {
            is_within(map, "number", 1, MAX_PORT) && is_text("name", is_port_name)
        }
        "networking.v1.IngressServiceBackend" => is_text("name", is_dns_label),
        "networking.v1.NetworkPolicyPort" => is_policy_port(map),
        // ValidateIPBlock
        "networking.v1.IPBlock" => {
            is_text("cidr", is_network)
                && list(map, "except").iter().filter_map(Value::as_str).all(is_network)
        }
        _ => true,
    }
}

/// `ValidateLabelSelectorRequirement`, `ValidateNodeSelectorRequirement`.
fn has_values(requirement: &Map) -> bool {
    let values = list(requirement, "values").len();
    match text(requirement, "operator") {
        Some("In" | "NotIn") => values > 0,
        Some("Gt" | "Lt") => values == 1,
        _ => values == 0,
    }
}

/// No step back, and not from the root.
fn is_local_path(path: &str) -> bool {
    !path.starts_with('/') && has_no_backsteps(path)
}

/// `validatePathNoBacksteps`.
fn has_no_backsteps(path: &str) -> bool {
    path.split('/').all(|part| part != "..")
}

/// `IsValidIP`.
pub(super) fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok()
}

/// `IsValidCIDR`.
pub(super) fn is_network(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u8>()) else { return false };
    bits <= if address.is_ipv4() { 32 } else { 128 }
}

/// `ValidatePersistentVolumeClaimSpec`.
fn is_claim(spec: &Map) -> bool {
    let storage = spec.get("resources").and_then(|resources| resources.find(&["requests", "storage"]));
    let is_positive = |amount: &Value| {
        let written = amount.as_str().map_or_else(|| engine_json::to_json(amount), str::to_owned);
        Quantity::parse(&written).is_ok_and(|amount| amount.sign() > 0)
    };
    let modes = list(spec, "accessModes");
    let is_of_one = modes.iter().any(|mode| mode.as_str() == Some("ReadWriteOncePod"));
    storage.is_some_and(is_positive) && (!is_of_one || modes.len() == 1)
}

fn has_counts(spec: &Map) -> bool {
    COUNTS.iter().all(|field| is_within(spec, field, 0, i64::MAX))
}

/// `validateHTTPIngressPath`.
fn is_path(path: &Map) -> bool {
    let written = text(path, "path").unwrap_or("");
    let is_empty = written.is_empty() && text(path, "pathType") == Some("ImplementationSpecific");
    is_empty || written.starts_with('/')
}

/// `ValidateNetworkPolicyPort`.
fn is_policy_port(port: &Map) -> bool {
    let end = port.get("endPort").and_then(Value::as_i64);
    match port.get("port") {
        None | Some(Value::Null) => end.is_none(),
        Some(Value::String(name)) => is_port_name(name) && end.is_none(),
        Some(number) => number.as_i64().is_some_and(|number| {
            (1..=MAX_PORT).contains(&number) && end.is_none_or(|end| (number..=MAX_PORT).contains(&end))
        }),
    }
}

/// Makes the values of an object of a type such as they may be.
pub(super) fn complete(map: &mut Map, of: &str) {
    let one = |value: &str| Value::array(vec![Value::from(value)]);
    match of {
        "meta.v1.LabelSelectorRequirement" | "core.v1.NodeSelectorRequirement" => {
            match (text(map, "operator"), map.contains_key("values")) {
                (Some("In" | "NotIn"), false) => drop(map.insert("values", one(SOME))),
                (Some("Gt" | "Lt"), false) => drop(map.insert("values", one("1"))),
                (Some("Exists" | "DoesNotExist"), true) => drop(map.insert("operator", Value::from("In"))),
                _ => {}
            }
        }
        "core.v1.PersistentVolumeClaimSpec" => {
            let resources = map.get_mut("resources").map(Value::make_object);
            let Some(resources) = resources else { return };
            needs(resources, "requests", Value::object(Map::new()));
            if let Some(requests) = resources.get_mut("requests").map(Value::make_object) {
                needs(requests, "storage", Value::from("1Gi"));
            }
        }
        "autoscaling.v1.HorizontalPodAutoscalerSpec" | "autoscaling.v2.HorizontalPodAutoscalerSpec" => {
            let number = |map: &Map, field: &str| map.get(field).and_then(Value::as_i64);
            if let Some(least) =
                number(map, "minReplicas").filter(|least| number(map, "maxReplicas") < Some(*least))
            {
                map.insert("maxReplicas", Value::from(least));
            }
        }
        "networking.v1.HTTPIngressPath" if text(map, "pathType") != Some("ImplementationSpecific") => {
            needs(map, "path", Value::from("/"));
        }
        "networking.v1.NetworkPolicyPort" => {
            if let Some(end) = map.get("endPort").cloned() {
                needs(map, "port", end);
            }
        }
        _ => {}
    }
}

/// Whether no two ports of the host are the same.
// checkHostPortConflicts
pub(super) fn have_own_host_ports<'v>(containers: impl Iterator<Item = &'v Value>) -> bool {
    let mut seen: Vec<(i64, Str, Str)> = Vec::new();
    let ports = containers.flat_map(|one| one.get("ports").and_then(Value::as_array).unwrap_or_default());
    for port in ports {
        let Some(number) = port.get("hostPort").and_then(Value::as_i64).filter(|number| *number != 0) else {
            continue;
        };
        let protocol = port.get("protocol").and_then(Value::as_str).unwrap_or("TCP");
        let key = (number, Str::new(protocol), Str::new(port.find_str(&["hostIP"])));
        if seen.contains(&key) {
            return false;
        }
        seen.push(key);
    }
    true
}

/// `IsValidSysctlName`: parts between points or slashes, of small letters, digits, hyphens and underscores.
fn is_sysctl(name: &str) -> bool {
    let is_end =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_inner =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    name.split(['.', '/']).all(|part| {
        let bytes = part.as_bytes();
        is_end(bytes.first()) && is_end(bytes.last()) && part.bytes().all(is_inner)
    })
}
