//! The spec of a Pod.
//!
//! In: a spec. Out: whether Kubernetes' validation takes it, as far as it is said here: what is left out is taken.
//! Mirrors: k8s.io/kubernetes/pkg/apis/core/validation/validation.go

use super::names::{
    is_config_map_key, is_dns_label, is_dns_subdomain, is_label_value, is_port_name, is_qualified_name,
};
use super::{systems, typed};
use crate::objects::admissible::are_apart;
use crate::objects::kinds::{CONTAINER_LISTS, EPHEMERAL_LIST};
use engine::value::quantity::Quantity;
use engine_json::{Map, Str, Value};
use std::collections::BTreeSet;

/// What a spec stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// A Pod.
    Pod,
    /// The template of a controller.
    Template,
}

/// What no ephemeral container has (`allowedEphemeralContainerFields`).
pub(crate) const NOT_EPHEMERAL: [&str; 6] =
    ["ports", "resources", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];
/// The probes of a container.
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
/// What no init container has that ends (`validateInitContainers`).
pub(super) const NOT_OF_INIT: [&str; 4] = ["livenessProbe", "readinessProbe", "startupProbe", "lifecycle"];

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_array).unwrap_or_default()
}

/// Whether a field is absent, or a number within these bounds.
fn is_within(value: &Value, field: &str, from: i64, to: i64) -> bool {
    value.get(field).is_none_or(|number| number.as_i64().is_some_and(|number| (from..=to).contains(&number)))
}

/// `ValidatePodSpec`.
pub(super) fn is_valid(spec: &Value, holder: Holder) -> bool {
    let is_container = |one: &Value, field: &str| {
        let of_list = match field {
            EPHEMERAL_LIST => NOT_EPHEMERAL.iter().all(|field| one.get(field).is_none_or(is_hollow)),
            "initContainers" => is_init(one),
            _ => true,
        };
        of_list && is_container(one, spec, holder)
    };
    let are_containers =
        CONTAINER_LISTS.iter().all(|field| list(spec, field).iter().all(|one| is_container(one, field)));
    // `validateContainers` asks for one; a policy that mutates may have taken the last away.
    !list(spec, "containers").is_empty()
        && are_apart(CONTAINER_LISTS.iter().flat_map(|field| list(spec, field)))
        && are_containers
        && has_volumes(spec)
        && has_users(spec)
        && has_settings(spec)
        && systems::is_valid(spec)
        && typed::have_own_host_ports(list(spec, "containers").iter())
        && list(spec, "tolerations").iter().all(is_toleration)
        && are_spread_apart(list(spec, "topologySpreadConstraints"))
}

/// `ValidateSpreadConstraintNotRepeat`: no two have the same key and the same answer to what does not fit.
fn are_spread_apart(constraints: &[Value]) -> bool {
    let mut known = BTreeSet::new();
    constraints
        .iter()
        .all(|one| known.insert(["topologyKey", "whenUnsatisfiable"].map(|field| one.find_str(&[field]))))
}

/// `ValidateTolerations`: a key that is the name of a label, or none and the operator Exists, which has no value.
fn is_toleration(toleration: &Value) -> bool {
    let [key, operator, value] = ["key", "operator", "value"].map(|field| toleration.find_str(&[field]));
    match operator {
        "Exists" => (key.is_empty() || is_qualified_name(key)) && value.is_empty(),
        _ => is_qualified_name(key),
    }
}

/// Whether an object is there and holds nothing, as one that is not a pointer is written.
fn is_hollow(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

/// One that ends has no probes.
fn is_init(container: &Value) -> bool {
    container.get("restartPolicy").is_some() || NOT_OF_INIT.iter().all(|field| container.get(field).is_none())
}

/// Fields of the spec that are names of other objects.
fn has_settings(spec: &Value) -> bool {
    let is_name = |field: &str| {
        spec.get(field).and_then(Value::as_str).is_none_or(|text| text.is_empty() || is_dns_subdomain(text))
    };
    let is_label = |field: &str| {
        spec.get(field).and_then(Value::as_str).is_none_or(|text| text.is_empty() || is_dns_label(text))
    };
    let selected = spec.get("nodeSelector").and_then(Value::as_object).into_iter().flat_map(Map::iter);
    let is_selected =
        |(key, value): (&Str, &Value)| is_qualified_name(key) && value.as_str().is_none_or(is_label_value);
    ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"].into_iter().all(is_name)
        && ["hostname", "subdomain"].into_iter().all(is_label)
        && selected.into_iter().all(is_selected)
        && is_within(spec, "activeDeadlineSeconds", 1, i64::from(i32::MAX))
}

/// `ValidatePodSecurityContext`: users and groups are not negative.
fn has_users(value: &Value) -> bool {
    let Some(context) = value.get("securityContext") else { return true };
    let is_id = |field: &str| is_within(context, field, 0, i64::from(i32::MAX));
    ["runAsUser", "runAsGroup", "fsGroup"].into_iter().all(is_id)
}

/// `ValidateVolumes`: names that are labels of DNS, each once.
fn has_volumes(spec: &Value) -> bool {
    let volumes = list(spec, "volumes");
    are_apart(volumes.iter()) && volumes.iter().all(|volume| is_dns_label(volume.find_str(&["name"])))
}

/// `validateContainerCommon`.
fn is_container(container: &Value, spec: &Value, holder: Holder) -> bool {
    let image = container.find_str(&["image"]);
    // validateContainerOnlyForPod
    let is_trimmed = holder != Holder::Pod || image.trim() == image;
    let mounts = list(container, "volumeMounts");
    is_dns_label(container.find_str(&["name"]))
        && !image.is_empty()
        && is_trimmed
        && list(container, "ports").iter().all(is_port)
        && list(container, "env").iter().all(is_variable)
        && list(container, "envFrom").iter().all(is_source_of_variables)
        && mounts.iter().enumerate().all(|(at, mount)| is_mount(mount, mounts.get(at + 1..), spec))
        && has_resources(container)
        && has_context(container)
        && PROBES.iter().all(|name| container.get(name).is_none_or(|probe| is_probe(probe, name)))
        && ["postStart", "preStop"]
            .iter()
            .all(|hook| container.find(&["lifecycle", hook]).is_none_or(has_port))
}

/// `validateContainerPorts`.
fn is_port(port: &Value) -> bool {
    let name = port.find_str(&["name"]);
    is_within(port, "containerPort", 1, 65_535)
        && is_within(port, "hostPort", 0, 65_535)
        && (name.is_empty() || is_port_name(name))
}

/// `ValidateEnv`: what is referred to has a name.
fn is_variable(variable: &Value) -> bool {
    let sources = ["secretKeyRef", "configMapKeyRef"].into_iter();
    let mut references = sources.filter_map(|source| variable.find(&["valueFrom", source]));
    references.all(|reference| {
        is_dns_subdomain(reference.find_str(&["name"])) && is_config_map_key(reference.find_str(&["key"]))
    })
}

/// `ValidateEnvFrom`: the source has a name.
fn is_source_of_variables(source: &Value) -> bool {
    let mut references = ["configMapRef", "secretRef"].into_iter().filter_map(|field| source.get(field));
    references.all(|reference| is_dns_subdomain(reference.find_str(&["name"])))
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

/// `validateHandler`: ports are ports.
fn has_port(handler: &Value) -> bool {
    ["httpGet", "tcpSocket", "grpc"]
        .into_iter()
        .all(|way| handler.find(&[way, "port"]).is_none_or(is_port_of_handler))
}

/// `ValidatePortNumOrName`.
fn is_port_of_handler(port: &Value) -> bool {
    match port {
        Value::String(name) => is_port_name(name),
        port => port.as_i64().is_some_and(|number| (1..=65_535).contains(&number)),
    }
}

/// `validateLivenessProbe`, `validateReadinessProbe`, `validateStartupProbe`.
fn is_probe(probe: &Value, name: &str) -> bool {
    let is_own = match name {
        "readinessProbe" => probe.get("terminationGracePeriodSeconds").is_none(),
        // Nothing and zero become one.
        _ => is_within(probe, "successThreshold", 0, 1),
    };
    is_own && has_port(probe) && is_timed(probe)
}

/// `validateProbe`: times that are not negative.
fn is_timed(probe: &Value) -> bool {
    if !is_within(probe, "terminationGracePeriodSeconds", 1, i64::MAX) {
        return false;
    }
    ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
        .into_iter()
        .all(|field| is_within(probe, field, 0, i64::from(i32::MAX)))
}
