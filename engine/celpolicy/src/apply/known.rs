//! The kinds that the CLI knows without a cluster.
//!
//! In: group, version and kind. Out: whether they are known, or the words with which a run ends that needs to know.
//! Mirrors: cmd/cli/kubectl-kyverno/data/api-group-resources.json of Kyverno 1.19.

use super::Subject;
use engine::resource::plural;

/// API versions and their kinds.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "v1",
        &[
            "Binding",
            "ComponentStatus",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "Namespace",
            "Node",
            "PersistentVolumeClaim",
            "PersistentVolume",
            "Pod",
            "PodTemplate",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "ServiceAccount",
            "Service",
        ],
    ),
    ("apps/v1", &["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch/v1", &["CronJob", "Job"]),
    ("autoscaling/v1", &["HorizontalPodAutoscaler"]),
    ("autoscaling/v2", &["HorizontalPodAutoscaler"]),
    ("networking.k8s.io/v1", &["IngressClass", "Ingress", "IPAddress", "NetworkPolicy", "ServiceCIDR"]),
    ("policy/v1", &["PodDisruptionBudget"]),
    ("rbac.authorization.k8s.io/v1", &["ClusterRoleBinding", "ClusterRole", "RoleBinding", "Role"]),
    (
        "storage.k8s.io/v1",
        &[
            "CSIDriver",
            "CSINode",
            "CSIStorageCapacity",
            "StorageClass",
            "VolumeAttachment",
            "VolumeAttributesClass",
        ],
    ),
    (
        "admissionregistration.k8s.io/v1",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io/v1", &["APIService"]),
    ("events.k8s.io/v1", &["Event"]),
    ("authentication.k8s.io/v1", &["SelfSubjectReview", "TokenReview"]),
    (
        "authorization.k8s.io/v1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    ("certificates.k8s.io/v1", &["CertificateSigningRequest"]),
    ("scheduling.k8s.io/v1", &["PriorityClass"]),
    ("coordination.k8s.io/v1", &["Lease"]),
    ("node.k8s.io/v1", &["RuntimeClass"]),
    ("discovery.k8s.io/v1", &["EndpointSlice"]),
    ("resource.k8s.io/v1", &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"]),
    ("flowcontrol.apiserver.k8s.io/v1", &["FlowSchema", "PriorityLevelConfiguration"]),
];

/// The kinds of Kubernetes 1.36 that the CLI does not know.
const YOUNGER: &[(&str, &[&str])] =
    &[("admissionregistration.k8s.io/v1", &["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"])];

/// Whether every cluster serves a kind in this version.
pub(crate) fn is_served(api_version: &str, kind: &str) -> bool {
    let mut all = KNOWN.iter().chain(YOUNGER);
    all.any(|(known, kinds)| *known == api_version && kinds.contains(&kind))
}

/// Whether every cluster serves a resource, by the name in its path, in this version.
pub(super) fn serves(api_version: &str, resource: &str) -> bool {
    let mut all = KNOWN.iter().chain(YOUNGER).filter(|(known, _)| *known == api_version);
    all.any(|(_, kinds)| kinds.iter().any(|kind| plural(kind) == resource))
}

/// Whether an API group is one of Kubernetes.
pub(crate) fn is_of_kubernetes(group: &str) -> bool {
    KNOWN.iter().any(|(known, _)| known.split_once('/').map_or("", |(of, _)| of) == group)
}

/// Whether the kind of an object is known.
///
/// # Errors
/// It is not, in Kyverno's words.
pub(crate) fn mapping(subject: &Subject) -> Result<(), String> {
    let (version, kind) = (subject.object_version(), subject.object_kind());
    let is_known = KNOWN.iter().any(|(known, kinds)| *known == version && kinds.contains(&kind));
    if is_known { Ok(()) } else { Err(format!("no matches for kind \"{kind}\" in version \"{version}\"")) }
}
