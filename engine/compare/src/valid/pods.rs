//! The spec of a Pod.
//!
//! In: a spec. Out: whether Kubernetes' validation takes it, as far as it is said here: what is left out is taken.
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/validation/validation.go

use super::choices;
use super::names::{is_config_map_key, is_dns_label, is_dns_subdomain, is_port_name};
use crate::admissible::are_apart;
use engine::value::quantity::Quantity;
use engine_json::Value;

/// What a spec stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A Pod.
    Pod,
    /// The template of a controller.
    Template,
    /// The template of a StatefulSet, of whose spec nothing is asked until it makes Pods.
    StatefulSet,
}

/// The lists of containers.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];
/// What no ephemeral container has (`allowedEphemeralContainerFields`).
const NOT_EPHEMERAL: [&str; 6] =
    ["ports", "resources", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
/// The probes of a container.
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).unwrap_or_default()
}

/// Whether a field is absent, or one of the texts that it may hold.
fn is_one_of_few(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_str).is_none_or(|text| choices(field).contains(&text))
}

/// Whether a field is absent, or a number within these bounds.
fn is_within(value: &Value, field: &str, from: i64, to: i64) -> bool {
    value.get(field).is_none_or(|number| number.as_i64().is_some_and(|number| (from..=to).contains(&number)))
}

/// `ValidatePodSpec`.
pub(super) fn is_valid(spec: &Value, holder: Holder) -> bool {
    if holder == Holder::StatefulSet {
        return true;
    }
    let is_container = |one: &Value, field: &str| {
        let of_list = match field {
            "ephemeralContainers" => NOT_EPHEMERAL.iter().all(|field| one.get(field).is_none()),
            "initContainers" => is_init(one),
            _ => true,
        };
        of_list && is_container(one, spec, holder)
    };
    let are_containers =
        CONTAINERS.iter().all(|field| list(spec, field).iter().all(|one| is_container(one, field)));
    are_apart(CONTAINERS.iter().flat_map(|field| list(spec, field)))
        && are_containers
        && has_volumes(spec)
        && has_users(spec)
        && has_settings(spec)
}

/// `validateInitContainers`: one that ends has no probes.
fn is_init(container: &Value) -> bool {
    container.get("restartPolicy").is_some()
        || PROBES.iter().chain(&["lifecycle"]).all(|field| container.get(field).is_none())
}

/// Fields of the spec that are one of a few words, or names of other objects.
fn has_settings(spec: &Value) -> bool {
    let is_name = |field: &str| {
        spec.get(field).and_then(Value::as_str).is_none_or(|text| text.is_empty() || is_dns_subdomain(text))
    };
    is_one_of_few(spec, "restartPolicy")
        && is_one_of_few(spec, "dnsPolicy")
        && ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"]
            .into_iter()
            .all(is_name)
        && is_one_of_few(spec, "preemptionPolicy")
}

/// `ValidatePodSecurityContext`: users and groups are not negative.
fn has_users(value: &Value) -> bool {
    let Some(context) = value.get("securityContext") else { return true };
    let is_id = |field: &str| is_within(context, field, 0, i64::from(i32::MAX));
    ["runAsUser", "runAsGroup", "fsGroup"].into_iter().all(is_id)
}

/// `ValidateVolumes`: names that are labels of DNS, each once, one source each.
fn has_volumes(spec: &Value) -> bool {
    let volumes = list(spec, "volumes");
    let is_whole = |volume: &Value| {
        let name = volume.find_str(&["name"]);
        let sources = volume.as_object().map_or(0, |map| map.keys().filter(|key| *key != "name").count());
        let source = |field: &str| volume.get(field).and_then(Value::as_object);
        let has_claim = source("persistentVolumeClaim").is_none_or(|map| {
            map.get("claimName").and_then(Value::as_str).is_some_and(|name| !name.is_empty())
        });
        let has_secret = source("secret").is_none_or(|map| {
            map.get("secretName").and_then(Value::as_str).is_some_and(|name| !name.is_empty())
        });
        let has_map = source("configMap")
            .is_none_or(|map| map.get("name").and_then(Value::as_str).is_some_and(|name| !name.is_empty()));
        is_dns_label(name) && sources < 2 && has_claim && has_secret && has_map
    };
    are_apart(volumes.iter()) && volumes.iter().all(is_whole)
}

/// `validateContainerCommon`.
fn is_container(container: &Value, spec: &Value, holder: Holder) -> bool {
    let image = container.find_str(&["image"]);
    // validateContainerOnlyForPod
    let is_trimmed = holder != Holder::Pod || image.trim() == image;
    let mounts = list(container, "volumeMounts");
    is_dns_label(container.find_str(&["name"]))
        && is_trimmed
        && is_one_of_few(container, "imagePullPolicy")
        && list(container, "ports").iter().all(is_port)
        && list(container, "env").iter().all(is_variable)
        && list(container, "envFrom").iter().all(is_source_of_variables)
        && mounts.iter().enumerate().all(|(at, mount)| is_mount(mount, mounts.get(at + 1..), spec))
        && has_resources(container)
        && has_context(container)
        && PROBES
            .iter()
            .all(|probe| container.get(probe).is_none_or(|probe| has_handler(probe) && is_timed(probe)))
        && ["postStart", "preStop"]
            .iter()
            .all(|hook| container.find(&["lifecycle", hook]).is_none_or(has_handler))
}

/// `validateContainerPorts`.
fn is_port(port: &Value) -> bool {
    let name = port.find_str(&["name"]);
    port.get("containerPort").is_some()
        && is_within(port, "containerPort", 1, 65_535)
        && is_within(port, "hostPort", 0, 65_535)
        && is_one_of_few(port, "protocol")
        && (name.is_empty() || is_port_name(name))
}

/// `ValidateEnv`: a name, and a value or one source of it.
fn is_variable(variable: &Value) -> bool {
    let has_name = !variable.find_str(&["name"]).is_empty();
    let Some(from) = variable.get("valueFrom") else { return has_name };
    let Some(sources) = from.as_object().filter(|map| map.len() == 1) else { return false };
    let is_source = sources.iter().all(|(source, value)| match source.as_str() {
        "secretKeyRef" | "configMapKeyRef" => {
            is_dns_subdomain(value.find_str(&["name"])) && is_config_map_key(value.find_str(&["key"]))
        }
        "fieldRef" => !value.find_str(&["fieldPath"]).is_empty(),
        "resourceFieldRef" => !value.find_str(&["resource"]).is_empty(),
        _ => true,
    });
    has_name && variable.find_str(&["value"]).is_empty() && is_source
}

/// `ValidateEnvFrom`: one source with a name.
fn is_source_of_variables(source: &Value) -> bool {
    let named: Vec<&Value> =
        ["configMapRef", "secretRef"].iter().filter_map(|field| source.get(field)).collect();
    matches!(named.as_slice(), [one] if is_dns_subdomain(one.find_str(&["name"])))
}

/// `ValidateVolumeMounts`: the name of a volume, a path that no other mount has.
fn is_mount(mount: &Value, others: Option<&[Value]>, spec: &Value) -> bool {
    let (name, path) = (mount.find_str(&["name"]), mount.find_str(&["mountPath"]));
    let is_there = list(spec, "volumes").iter().any(|volume| volume.find_str(&["name"]) == name);
    let is_free = others.unwrap_or_default().iter().all(|other| other.find_str(&["mountPath"]) != path);
    !name.is_empty() && is_there && !path.is_empty() && is_free
}

/// An amount, where it can be read.
fn amount(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(_) => Quantity::parse(&engine_json::to_json(value)).ok(),
        _ => None,
    }
}

/// `ValidateContainerResourceRequirements`: nothing negative, and no more requested than there is at most.
fn has_resources(container: &Value) -> bool {
    let of = |field: &str| container.find(&["resources", field]).and_then(Value::as_object);
    let is_amount = |value: &Value| amount(value).is_none_or(|amount| amount.sign() >= 0);
    let is_let = |(name, request): (&engine_json::Str, &Value)| {
        let limit = of("limits").and_then(|limits| limits.get(name)).and_then(amount);
        limit.zip(amount(request)).is_none_or(|(limit, request)| request <= limit)
    };
    ["limits", "requests"].iter().all(|field| of(field).is_none_or(|map| map.values().all(is_amount)))
        && of("requests").is_none_or(|requests| requests.iter().all(is_let))
}

/// `ValidateSecurityContext`: what is privileged may escalate.
fn has_context(container: &Value) -> bool {
    let field = |field: &str| container.find(&["securityContext", field]).and_then(Value::as_bool);
    let added = container.find(&["securityContext", "capabilities", "add"]).and_then(Value::as_array);
    let is_admin = added.unwrap_or_default().iter().any(|name| name.as_str() == Some("CAP_SYS_ADMIN"));
    let may_escalate = field("allowPrivilegeEscalation") != Some(false);
    has_users(container) && (may_escalate || field("privileged") != Some(true) && !is_admin)
}

/// `validateHandler`: one way to ask.
fn has_handler(handler: &Value) -> bool {
    let ways: Vec<&str> = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"]
        .into_iter()
        .filter(|way| handler.get(way).is_some())
        .collect();
    let [way] = ways.as_slice() else { return false };
    match *way {
        "exec" => handler.find(&["exec", "command"]).is_some(),
        "httpGet" | "tcpSocket" | "grpc" => handler.find(&[way, "port"]).is_some_and(is_port_of_handler),
        _ => true,
    }
}

/// `ValidatePortNumOrName`.
fn is_port_of_handler(port: &Value) -> bool {
    match port {
        Value::String(name) => is_port_name(name),
        port => port.as_i64().is_some_and(|number| (1..=65_535).contains(&number)),
    }
}

/// `validateProbe`: times that are not negative.
fn is_timed(probe: &Value) -> bool {
    ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        .into_iter()
        .all(|field| is_within(probe, field, 0, i64::from(i32::MAX)))
}
