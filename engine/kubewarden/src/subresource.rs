//! Requests for a subresource: the kind whose subresource it is.
//!
//! In: the plural of a request's resource, `pods` for `pods/exec`. Out: its kind.

/// The kinds of Kubernetes that have subresources whose objects are of another kind.
// Kubernetes: the API's discovery; `scale` is of Scale, `exec` of PodExecOptions, `token` of TokenRequest.
const KINDS: [(&str, &str); 9] = [
    ("pods", "Pod"),
    ("deployments", "Deployment"),
    ("replicasets", "ReplicaSet"),
    ("statefulsets", "StatefulSet"),
    ("replicationcontrollers", "ReplicationController"),
    ("services", "Service"),
    ("nodes", "Node"),
    ("serviceaccounts", "ServiceAccount"),
    ("namespaces", "Namespace"),
];

/// The kind of a resource by its plural, where it is another than that of the object.
pub(crate) fn parent(plural: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == plural).map(|(_, kind)| *kind)
}
