//! The kinds of the smaller groups.
//!
//! Mirrors: k8s.io/kubernetes pkg/apis/{authentication,networking,rbac,resource,storage}/*/defaults.go,
//! k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go, k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/defaults.go.

use crate::tree::{Change, count, fill, items, made, set, text, within};
use engine_json::{Map, Value};

pub(super) const CHANGES: &[(&str, Change)] = &[
    ("apiextensions.v1.CustomResourceDefinition", definition),
    ("apiextensions.v1.ServiceReference", service_reference),
    ("apiregistration.v1.ServiceReference", service_reference),
    ("authentication.v1.TokenRequestSpec", token_request),
    ("networking.v1.IngressClass", ingress_class),
    ("networking.v1.NetworkPolicy", network_policy),
    ("rbac.v1.ClusterRoleBinding", binding),
    ("rbac.v1.RoleBinding", binding),
    ("rbac.v1.Subject", subject),
    ("resource.v1.Device", device),
    ("resource.v1.DeviceSubRequest", counted),
    ("resource.v1.ExactDeviceRequest", counted),
    ("resource.v1beta1.BasicDevice", device),
    ("resource.v1beta1.DeviceRequest", request),
    ("resource.v1beta1.DeviceSubRequest", counted),
    ("resource.v1beta2.Device", device),
    ("resource.v1beta2.DeviceSubRequest", counted),
    ("resource.v1beta2.ExactDeviceRequest", counted),
    ("storage.v1.CSIDriver", driver),
    ("storage.v1beta1.CSIDriver", driver),
];

/// The group of roles and users.
const RBAC: &str = "rbac.authorization.k8s.io";

fn token_request(spec: &mut Map) {
    fill(spec, "expirationSeconds", 3600_i64);
}

fn ingress_class(class: &mut Map) {
    if let Some(parameters) = within(class, "spec").and_then(|spec| within(spec, "parameters")) {
        fill(parameters, "scope", "Cluster");
    }
}

fn network_policy(policy: &mut Map) {
    let spec = made(policy, "spec");
    if count(spec, "policyTypes") == 0 {
        let mut types = vec![Value::from("Ingress")];
        types.extend((count(spec, "egress") > 0).then(|| Value::from("Egress")));
        set(spec, "policyTypes", Value::array(types));
    }
}

fn binding(binding: &mut Map) {
    fill(made(binding, "roleRef"), "apiGroup", RBAC);
}

fn subject(subject: &mut Map) {
    if matches!(text(subject, "kind"), "User" | "Group") {
        fill(subject, "apiGroup", RBAC);
    }
}

fn counted(request: &mut Map) {
    fill(request, "allocationMode", "ExactCount");
    if text(request, "allocationMode") == "ExactCount" {
        fill(request, "count", 1_i64);
    }
}

fn request(request: &mut Map) {
    if request.contains_key("deviceClassName") {
        counted(request);
    }
}

fn device(device: &mut Map) {
    for (_, mapping) in within(device, "nodeAllocatableResourceMappings").into_iter().flat_map(Map::iter_mut)
    {
        if let Some(mapping) = mapping.object_mut() {
            fill(mapping, "allocationMultiplier", "1");
        }
    }
}

// The gate VolumeLimitScaling is off.
fn driver(driver: &mut Map) {
    let spec = made(driver, "spec");
    fill(spec, "attachRequired", true);
    for key in ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"] {
        fill(spec, key, false);
    }
    fill(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if count(spec, "volumeLifecycleModes") == 0 {
        set(spec, "volumeLifecycleModes", Value::array(vec![Value::from("Persistent")]));
    }
}

fn definition(definition: &mut Map) {
    let spec = made(definition, "spec");
    let names = made(spec, "names");
    let kind = text(names, "kind").to_owned();
    if !kind.is_empty() {
        fill(names, "singular", kind.to_lowercase());
        fill(names, "listKind", format!("{kind}List"));
    }
    if !spec.contains_key("conversion") {
        set(made(spec, "conversion"), "strategy", "None");
    }
    name_stored_version(definition);
}

/// The version in which objects of a definition are kept.
pub(crate) fn name_stored_version(definition: &mut Map) {
    let stored = items(made(definition, "spec"), "versions").find(|version| version.contains_key("storage"));
    let stored = stored.and_then(|version| version.get("name").cloned());
    let status = made(definition, "status");
    if let (0, Some(name)) = (count(status, "storedVersions"), stored) {
        set(status, "storedVersions", Value::array(vec![name]));
    }
}

fn service_reference(service: &mut Map) {
    fill(service, "port", 443_i64);
}
