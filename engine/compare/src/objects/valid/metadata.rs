//! The metadata that objects of all kinds have.
//!
//! In: metadata of an object, or of the template of one. Out: whether Kubernetes' validation takes them.
//! Mirrors: k8s.io/apimachinery/pkg/api/validation/objectmeta.go, k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go

use super::names::{is_dns_label, is_dns_subdomain, is_label_value, is_path_segment, is_qualified_name};
use crate::constraints::are_met;
use engine::resource::is_cluster_scoped;
use engine_json::Value;

/// Kinds whose names are names of DNS (`NameIsDNSSubdomain`).
const WITH_SUBDOMAINS: [&str; 19] = [
    "ConfigMap",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "LimitRange",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodDisruptionBudget",
    "ReplicaSet",
    "ReplicationController",
    "ResourceQuota",
    "Secret",
    "ServiceAccount",
    "StatefulSet",
];
/// Kinds whose names may be anything that can stand in a path (`minimalNameRequirements` of rbac).
pub(super) const WITH_PATH_SEGMENTS: [&str; 4] = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];

/// `ValidateObjectMeta`, as far as policies read of it. Objects of custom kinds have names of DNS, as those of
/// k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go; what groups of Kubernetes' own ask that are not known here is not.
pub(super) fn of_object(object: &Value, is_known: bool) -> bool {
    let kind = object.find_str(&["kind"]);
    let name = object.find_str(&["metadata", "name"]);
    let namespace = object.find_str(&["metadata", "namespace"]);
    let has_name = match kind {
        _ if object.find(&["metadata", "name"]).is_none() => true,
        _ if !is_known => !is_of_custom_kind(object) || is_dns_subdomain(name),
        "Namespace" | "Service" => is_dns_label(name),
        kind if WITH_SUBDOMAINS.contains(&kind) => is_dns_subdomain(name),
        kind if WITH_PATH_SEGMENTS.contains(&kind) => is_path_segment(name),
        _ => true,
    };
    let metadata = object.get("metadata").cloned().unwrap_or_default();
    // `ValidateObjectMetaAccessor`: of what is in no namespace a namespace is refused.
    let may_have_one = !is_known || !is_cluster_scoped(object.find_str(&["apiVersion"]), kind);
    has_name
        && (namespace.is_empty() || may_have_one && is_dns_label(namespace))
        && of_template(&metadata)
        && has_owners(&metadata)
}

/// Whether an object is of a group that is not one of Kubernetes' own, which have no point in them or end in `.k8s.io`.
fn is_of_custom_kind(object: &Value) -> bool {
    let group = object.find_str(&["apiVersion"]).split_once('/').map_or("", |(group, _)| group);
    group.contains('.') && !group.ends_with(".k8s.io")
}

/// Labels and annotations: `ValidateLabels`, `ValidateAnnotations`.
pub(super) fn of_template(metadata: &Value) -> bool {
    let map = |field: &str| metadata.get(field).and_then(Value::as_object);
    let mut labels = map("labels").into_iter().flat_map(engine_json::Map::iter);
    let mut annotations = map("annotations").into_iter().flat_map(engine_json::Map::keys);
    labels.all(|(key, value)| is_qualified_name(key) && value.as_str().is_none_or(is_label_value))
        && annotations.all(|key| is_qualified_name(&key.to_ascii_lowercase()))
}

/// Finalizers without a domain.
const FINALIZERS: [&str; 3] = ["foregroundDeletion", "kubernetes", "orphan"];

/// `ValidateFinalizerName`; of kinds of the core `validateKubeFinalizerName` too.
// k8s.io/kubernetes/pkg/apis/core/validation/validation.go, pkg/apis/core/helper/helpers.go: IsStandardFinalizerName.
fn is_finalizer(name: &str) -> bool {
    is_qualified_name(name) && (name.contains('/') || FINALIZERS.contains(&name))
}

/// `ValidateOwnerReferences`, `ValidateFinalizers`.
fn has_owners(metadata: &Value) -> bool {
    let list = |field: &str| metadata.get(field).and_then(Value::as_array).unwrap_or_default();
    let is_whole =
        |owner: &Value| owner.as_object().is_none_or(|owner| are_met(owner, "meta.v1.OwnerReference"));
    list("ownerReferences").iter().all(is_whole)
        && list("finalizers").iter().all(|text| text.as_str().is_none_or(is_finalizer))
}
