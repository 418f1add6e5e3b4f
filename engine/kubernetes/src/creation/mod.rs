//! What a server writes into an object that is created, before validating policies see it.
//!
//! In: an object as `stored` gives it, and what differs from request to request. Out: the same with uid, time and generation, a status as it
//! begins, generated names, selectors and addresses, and without what the release has switched off.
//! Mirrors: k8s.io/apiserver pkg/registry/rest/create.go and the strategies of k8s.io/kubernetes pkg/registry.

mod pods;
mod services;
mod update;

use crate::admission::add;
use crate::conversion::TEMPLATE_GENERATION;
use crate::defaults::others::name_stored_version;
use crate::encode::{Empty, is_written, write};
use crate::table::table;
use crate::tree::{fill, items, made, set, text, within};
use engine_json::{Map, Value};
use std::sync::Arc;
pub use update::updated;

/// What differs from request to request, and from cluster to cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creation<'a> {
    /// The uid of the object.
    pub uid: &'a str,
    /// The time, as `2026-01-01T00:00:00Z`.
    pub time: &'a str,
    /// What is put behind `metadata.generateName`.
    pub suffix: &'a str,
    /// The address of a Service that does not name one.
    pub address: &'a str,
    /// The first port of the nodes for a Service that does not name one.
    pub node_port: u16,
}

/// Kinds whose first generation is written.
const WITH_GENERATION: &[&str] = &[
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "DeviceClass",
    "DeviceTaintRule",
    "EndpointSlice",
    "FlowSchema",
    "Ingress",
    "IngressClass",
    "Job",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "NetworkPolicy",
    "Pod",
    "PodDisruptionBudget",
    "PodTemplate",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "ReplicaSet",
    "ReplicationController",
    "ResourceSlice",
    "StatefulSet",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];
/// Kinds whose status nobody writes who creates one.
const WITHOUT_STATUS: &[&str] = &[
    "APIService",
    "CertificateSigningRequest",
    "CronJob",
    "CustomResourceDefinition",
    "DaemonSet",
    "Deployment",
    "DeviceTaintRule",
    "FlowSchema",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "Namespace",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodCertificateRequest",
    "PodDisruptionBudget",
    "PodGroup",
    "PriorityLevelConfiguration",
    "ReplicaSet",
    "ReplicationController",
    "ResourceClaim",
    "ResourcePoolStatusRequest",
    "ResourceQuota",
    "Service",
    "ServiceCIDR",
    "StatefulSet",
    "StorageVersion",
    "StorageVersionMigration",
    "ValidatingAdmissionPolicy",
    "VolumeAttachment",
];

/// The object as validating policies see it.
pub fn created(object: &Value, creation: &Creation<'_>) -> Value {
    let mut object = object.clone();
    let table = table();
    let Some(map) = object.object_mut() else { return object };
    let kind = table.kind_of(map);
    // What is asked of a subresource is no object that is stored: the groups of custom kinds are names of domains.
    if kind.is_none() && !text(map, "apiVersion").split('/').next().is_some_and(|group| group.contains('.')) {
        return object;
    }
    let metadata = made(map, "metadata");
    identify(metadata, creation);
    if kind.is_none_or(|kind| WITH_GENERATION.contains(&kind.name)) {
        set(metadata, "generation", 1_i64);
    }
    let Some(kind) = kind else { return object };
    // Kubernetes: pod/strategy.go asks for the class before it takes the status away.
    let class =
        map.get("status").and_then(|status| status.get("qosClass")).filter(|_| kind.name == "Pod").cloned();
    if WITHOUT_STATUS.contains(&kind.name) {
        map.remove("status");
    }
    prepare(map, kind.name, creation);
    if let Some(class) = class {
        set(made(map, "status"), "qosClass", class);
    }
    let of = table.of(kind.of);
    // What is written into a Pod leaves nothing empty, and Pods are many.
    if kind.name != "Pod" && !is_written(map, of, table) {
        write(map, of, table, Empty::Kept);
    }
    object
}

/// What changes in an object that is read: a Service for a name outside has no policy for traffic from inside.
// pkg/registry/core/service/storage/storage.go: defaultOnReadInternalTrafficPolicy.
pub(crate) fn read(object: &mut Map, kind: &str) {
    if let ("Service", Some(spec)) = (kind, within(object, "spec"))
        && text(spec, "type") == "ExternalName"
    {
        spec.remove("internalTrafficPolicy");
    }
}

fn identify(metadata: &mut Map, creation: &Creation<'_>) {
    for key in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"] {
        metadata.remove(key);
    }
    let base = text(metadata, "generateName").to_owned();
    if !base.is_empty() && text(metadata, "name").is_empty() {
        // Kubernetes: names.SimpleNameGenerator: 63 letters together.
        let base: String = base.chars().take(63_usize.saturating_sub(creation.suffix.len())).collect();
        set(metadata, "name", format!("{base}{}", creation.suffix));
    }
    set(metadata, "uid", creation.uid);
    set(metadata, "creationTimestamp", creation.time);
}

/// The functions `PrepareForCreate`.
fn prepare(object: &mut Map, kind: &str, creation: &Creation<'_>) {
    match kind {
        "Pod" => pods::prepare(object, creation.time),
        "APIService" => be_local(object, creation.time),
        "CustomResourceDefinition" => name_stored_version(object),
        "CSIDriver" => {
            made(object, "spec").remove("preventPodSchedulingIfMissing");
        }
        "Lease" => ["strategy", "preferredHolder"].into_iter().for_each(|key| {
            made(object, "spec").remove(key);
        }),
        "Node" => {
            made(object, "spec").remove("configSource");
            made(object, "status").remove("config");
        }
        "Service" => services::prepare(made(object, "spec"), creation),
        "Job" => {
            select(object, creation.uid);
            template(object, &["spec", "template"]);
        }
        "CronJob" => template(object, &["spec", "jobTemplate", "spec", "template"]),
        "Deployment" | "ReplicaSet" | "ReplicationController" => template(object, &["spec", "template"]),
        "PodTemplate" => template(object, &["template"]),
        "StatefulSet" => {
            // The gate MaxUnavailableStatefulSet is off.
            let strategy = within(object, "spec").and_then(|spec| within(spec, "updateStrategy"));
            if let Some(update) = strategy.and_then(|strategy| within(strategy, "rollingUpdate")) {
                update.remove("maxUnavailable");
            }
            template(object, &["spec", "template"]);
        }
        "DaemonSet" => {
            let annotations = made(made(object, "metadata"), "annotations");
            if text(annotations, TEMPLATE_GENERATION).parse::<i64>().is_ok_and(|generation| generation < 1) {
                set(annotations, TEMPLATE_GENERATION, "1");
            }
            template(object, &["spec", "template"]);
        }
        "Namespace" => begin_namespace(object),
        "PersistentVolume" => {
            let status = made(object, "status");
            set(status, "phase", "Pending");
            set(status, "lastPhaseTransitionTime", creation.time);
        }
        "PersistentVolumeClaim" => name_source(made(object, "spec")),
        "ServiceAccount" => {
            for secret in items(object, "secrets") {
                secret.retain(|key, _| key == "name");
            }
        }
        "EndpointSlice" => {
            for endpoint in items(object, "endpoints") {
                endpoint.remove("deprecatedTopology");
            }
        }
        "ResourceSlice" => {
            for device in items(made(object, "spec"), "devices") {
                // The gate DRANodeAllocatableResources is off.
                device.remove("nodeAllocatableResourceMappings");
                items(device, "taints").for_each(|taint| fill(taint, "timeAdded", creation.time));
            }
        }
        "DeviceTaintRule" => fill(made(made(object, "spec"), "taint"), "timeAdded", creation.time),
        _ => {}
    }
}

fn template(object: &mut Map, path: &[&str]) {
    let Some((key, rest)) = path.split_first() else {
        if let Some(spec) = within(object, "spec") {
            pods::drop_disabled(spec);
        }
        return;
    };
    if let Some(inner) = within(object, key) {
        template(inner, rest);
    }
}

/// A Job selects its Pods by its uid, unless somebody else sees to that.
fn select(job: &mut Map, uid: &str) {
    let name = job.get("metadata").map_or("", |metadata| metadata.find_str(&["name"])).to_owned();
    let is_shared = shares_labels(job);
    let spec = made(job, "spec");
    if spec.get("manualSelector").and_then(Value::as_bool) == Some(true) {
        return;
    }
    fill(made(made(spec, "selector"), "matchLabels"), UID_LABEL, uid);
    let labels = made(made(made(spec, "template"), "metadata"), "labels");
    for key in ["job-name", "batch.kubernetes.io/job-name"] {
        fill(labels, key, name.as_str());
    }
    for key in ["controller-uid", UID_LABEL] {
        fill(labels, key, uid);
    }
    if is_shared {
        let labels = Value::object(labels.clone());
        set(made(job, "metadata"), "labels", labels);
    }
}

/// Whether a Job has its labels from its template, and nothing made them its own since.
// Go: the two are one map, so what is written into one is in the other.
fn shares_labels(job: &Map) -> bool {
    let labels =
        |path: &[&str]| path.iter().try_fold(job, |map, key| map.get(key)?.as_object())?.get("labels");
    match (labels(&["metadata"]), labels(&["spec", "template", "metadata"])) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

/// What is served by the server itself is there at once.
fn be_local(service: &mut Map, time: &str) {
    if service.get("spec").is_some_and(|spec| spec.get("service").is_some()) {
        return;
    }
    let mut condition = Map::new();
    set(&mut condition, "type", "Available");
    set(&mut condition, "status", "True");
    set(&mut condition, "lastTransitionTime", time);
    set(&mut condition, "reason", "Local");
    set(&mut condition, "message", "Local APIServices are always available");
    add(made(service, "status"), "conditions", vec![Value::object(condition)]);
}

const UID_LABEL: &str = "batch.kubernetes.io/controller-uid";

fn begin_namespace(namespace: &mut Map) {
    let name = namespace.get("metadata").map_or("", |metadata| metadata.find_str(&["name"])).to_owned();
    set(made(made(namespace, "metadata"), "labels"), "kubernetes.io/metadata.name", name);
    set(made(namespace, "status"), "phase", "Active");
    let spec = made(namespace, "spec");
    let known = spec.get("finalizers").and_then(Value::as_array).unwrap_or_default();
    if !known.iter().any(|known| known.as_str() == Some("kubernetes")) {
        add(spec, "finalizers", vec![Value::from("kubernetes")]);
    }
}

/// The older field for what a volume is filled from and the newer one say the same.
// pkg/api/persistentvolumeclaim: EnforceDataSourceBackwardsCompatibility, NormalizeDataSources.
fn name_source(spec: &mut Map) {
    // The gate CrossNamespaceVolumeDataSource is off.
    if spec.get("dataSourceRef").is_some_and(|source| !source.find_str(&["namespace"]).is_empty()) {
        spec.remove("dataSourceRef");
    }
    let (old, new) = (spec.get("dataSource").cloned(), spec.get("dataSourceRef").cloned());
    let is_known = |source: &Value| {
        let (group, kind) = (source.find_str(&["apiGroup"]), source.find_str(&["kind"]));
        matches!((group, kind), ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot"))
    };
    match (old, new) {
        (Some(source), None) if is_known(&source) => set(spec, "dataSourceRef", source),
        (Some(_), None) => {
            spec.remove("dataSource");
        }
        (None, Some(mut source)) => {
            if let Some(map) = source.object_mut() {
                map.remove("namespace");
            }
            set(spec, "dataSource", source);
        }
        _ => {}
    }
}
