//! A Kubernetes object as policies see it: the value, and the names by which it is matched.
//!
//! In: a value with `apiVersion` and `kind`. Out: a [`Resource`].
//! Mirrors: apimachinery's `unstructured.Unstructured`.

mod api_path;
mod index;
mod place;

use engine_json::{Map, Str, Value};

pub(crate) use api_path::ApiPath;
pub use index::Shelf;
pub(crate) use index::{Index, OfKind};
pub(crate) use place::{place_of, place_of_text};

/// Which document of the bundle an object came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentId(pub u32);

/// Group, version and kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gvk {
    /// The API group; empty for the core.
    pub group: Str,
    /// The version.
    pub version: Str,
    /// The kind.
    pub kind: Str,
}

impl Gvk {
    /// From the two fields of an object; an `apiVersion` with more than one slash has no group and no version.
    // Go: schema.ParseGroupVersion.
    pub fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = match api_version.split_once('/') {
            None => ("", api_version),
            Some((_, rest)) if rest.contains('/') => ("", ""),
            Some((group, version)) => (group, version),
        };
        Gvk { group: Str::new(group), version: Str::new(version), kind: Str::new(kind) }
    }

    /// Whether objects of this kind are of no namespace.
    // Kyverno: isClusterScopedKind looks at the group alone, whatever the version.
    pub fn is_cluster_scoped(&self) -> bool {
        let is_it =
            |(group, kinds): &(&str, &[&str])| *group == self.group && kinds.contains(&self.kind.as_str());
        CLUSTER_SCOPED.iter().any(is_it)
    }
}

/// An object that policies are applied to.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The object, as the JSON context will hold it: every number is a float64.
    pub value: Value,
    /// The object, as patterns see it: the same for the CLI, with int64 numbers for the Playground.
    pub typed: Value,
    /// Its document.
    pub document: DocumentId,
    /// Its kind.
    pub gvk: Gvk,
    /// Whether it is a document of any form, which only policies that ask for such look at.
    pub is_payload: bool,
    /// Whose request it is, where it is one: only policies that answer such are asked about it.
    pub protocol: Option<Protocol>,
}

/// Who asks whether a request is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// A server of HTTP.
    Http,
    /// The proxy Envoy.
    Envoy,
}

impl Resource {
    /// The object of a value that has `apiVersion` and `kind`.
    pub fn new(value: Value, document: DocumentId) -> Self {
        let gvk = Gvk::new(value.find_str(&["apiVersion"]), value.find_str(&["kind"]));
        Resource { typed: value.clone(), value, document, gvk, is_payload: false, protocol: None }
    }

    /// `apiVersion`, as written.
    pub fn api_version(&self) -> &str {
        self.value.find_str(&["apiVersion"])
    }

    /// `kind`.
    pub fn kind(&self) -> &str {
        &self.gvk.kind
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.value.find_str(&["metadata", "name"])
    }

    /// `metadata.name`, or `metadata.generateName` where the name is empty.
    pub fn name_or_generate_name(&self) -> &str {
        match self.name() {
            "" => self.value.find_str(&["metadata", "generateName"]),
            name => name,
        }
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> &str {
        self.value.find_str(&["metadata", "namespace"])
    }

    /// `metadata.labels`, where they are a map.
    pub fn labels(&self) -> Option<&Map> {
        self.value.find(&["metadata", "labels"]).and_then(Value::as_object)
    }

    /// `metadata.annotations`, where they are a map.
    pub fn annotations(&self) -> Option<&Map> {
        self.value.find(&["metadata", "annotations"]).and_then(Value::as_object)
    }

    /// `apiVersion/kind/namespace/name`, as reports and tests name an object.
    pub fn key(&self) -> String {
        format!("{}/{}/{}/{}", self.api_version(), self.kind(), self.namespace(), self.name())
    }

    /// The key of the resource where it is no longer that of `given`, which it was made of.
    pub fn renamed_from(&self, given: &Resource) -> Option<String> {
        let is_same = std::ptr::eq(self, given)
            || (self.gvk == given.gvk
                && self.namespace() == given.namespace()
                && self.name() == given.name()
                && self.api_version() == given.api_version());
        (!is_same).then(|| self.key())
    }
}

/// Whether a kind of the Kubernetes API belongs to the cluster rather than to a namespace; kinds that are not
/// built in are taken as namespaced, as the Kyverno CLI takes them.
// Kyverno: cmd/cli/kubectl-kyverno/data/api-group-resources.json, the entries that are not namespaced.
pub fn is_cluster_scoped(api_version: &str, kind: &str) -> bool {
    Gvk::new(api_version, kind).is_cluster_scoped()
}

const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
            "ValidatingWebhookConfiguration",
        ],
    ),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("authentication.k8s.io", &["SelfSubjectReview", "TokenReview"]),
    ("authorization.k8s.io", &["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io", &["IPAddress", "IngressClass", "ServiceCIDR"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("resource.k8s.io", &["DeviceClass", "ResourceSlice"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    (
        "storage.k8s.io",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"],
    ),
];

/// The plural by which the API names a kind.
// Go: apimachinery meta.UnsafeGuessKindToResource.
pub fn plural(kind: &str) -> String {
    let kind = kind.to_lowercase();
    if kind == "endpoints" {
        return kind;
    }
    match kind.chars().next_back() {
        Some('s') => format!("{kind}es"),
        Some('y') => format!("{}ies", kind.strip_suffix('y').unwrap_or(&kind)),
        _ => format!("{kind}s"),
    }
}

/// The kinds that carry a Pod template, in the order in which autogen lists them.
// Kyverno: pkg/autogen/v1, PodControllers, sorted by plain name.
pub const POD_CONTROLLERS: &[(&str, &str)] = &[
    ("CronJob", "batch/v1/CronJob"),
    ("DaemonSet", "apps/v1/DaemonSet"),
    ("Deployment", "apps/v1/Deployment"),
    ("Job", "batch/v1/Job"),
    ("ReplicaSet", "apps/v1/ReplicaSet"),
    ("ReplicationController", "v1/ReplicationController"),
    ("StatefulSet", "apps/v1/StatefulSet"),
];
