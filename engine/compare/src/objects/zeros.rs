//! Values that an API server leaves out before it asks a policy: false, zero and the empty text, in fields of its own kinds that say so.
//!
//! In: an object. Out: the same as it arrives. Of fields that are pointers these values are values, and stay.
//! Mirrors: k8s.io/api v0.36.3 {core,apps,autoscaling,batch,networking,policy,rbac,storage}/*/types.go and
//! k8s.io/apimachinery/pkg/apis/meta/v1/types.go: scalars that are not pointers and have `omitempty`. Left out are those
//! of `status`, of `managedFields`, of events, and `apiVersion`, `kind` and `image`, which all objects that are tried have.

use crate::objects::schema::{Schema, Shape};
use engine_json::{Map, Str, Value};

/// What the names of these types begin with.
const GROUPS: [&str; 9] = [
    "core.v1.",
    "apps.v1.",
    "autoscaling.",
    "batch.v1.",
    "meta.v1.",
    "networking.v1.",
    "policy.v1.",
    "rbac.v1.",
    "storage.v1.",
];

/// Fields that are such in every type that has one of this name.
const EVERYWHERE: &[&str] = &[
    // Truths and numbers.
    "chapAuthDiscovery",
    "chapAuthSession",
    "failureThreshold",
    "generation",
    "healthCheckNodePort",
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "hostPort",
    "initialDelaySeconds",
    "minReadySeconds",
    "nodePort",
    "number",
    "paused",
    "publishNotReadyAddresses",
    "sslEnabled",
    "stdin",
    "stdinOnce",
    "successThreshold",
    "tty",
    "unschedulable",
    // Texts.
    "clusterIP",
    "concurrencyPolicy",
    "dnsPolicy",
    "externalName",
    "externalTrafficPolicy",
    "generateName",
    "group",
    "host",
    "imagePullPolicy",
    "level",
    "loadBalancerIP",
    "medium",
    "persistentVolumeReclaimPolicy",
    "podManagementPolicy",
    "priorityClassName",
    "providerID",
    "role",
    "schedulerName",
    "scheme",
    "selfLink",
    "serviceAccount",
    "serviceAccountName",
    "sessionAffinity",
    "subPath",
    "subPathExpr",
    "subdomain",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "user",
    "volumeName",
    "whenDeleted",
    "whenScaled",
    "workingDir",
];

/// Fields that are such in every type but these.
const EXCEPT_IN: &[(&str, &[&str])] = &[
    ("fsType", &["core.v1.AzureDiskVolumeSource", "core.v1.CSIVolumeSource", "core.v1.LocalVolumeSource"]),
    ("readOnly", &["core.v1.AzureDiskVolumeSource", "core.v1.CSIVolumeSource"]),
];

/// Fields that are such in these types alone.
const IN: &[(&str, &[&str])] = &[
    ("controller", &["networking.v1.IngressClassSpec"]),
    ("datasetName", &["core.v1.FlockerVolumeSource"]),
    ("datasetUUID", &["core.v1.FlockerVolumeSource"]),
    ("directory", &["core.v1.GitRepoVolumeSource"]),
    ("externalID", &["core.v1.NodeSpec"]),
    ("fieldPath", &["core.v1.ObjectReference"]),
    ("hostIP", &["core.v1.ContainerPort"]),
    ("iscsiInterface", &["core.v1.ISCSIPersistentVolumeSource", "core.v1.ISCSIVolumeSource"]),
    ("keyring", &["core.v1.RBDPersistentVolumeSource", "core.v1.RBDVolumeSource"]),
    ("podCIDR", &["core.v1.NodeSpec"]),
    ("pool", &["core.v1.RBDPersistentVolumeSource", "core.v1.RBDVolumeSource"]),
    ("prefix", &["core.v1.EnvFromSource"]),
    ("protectionDomain", &["core.v1.ScaleIOPersistentVolumeSource", "core.v1.ScaleIOVolumeSource"]),
    ("pullPolicy", &["core.v1.ImageVolumeSource"]),
    ("reference", &["core.v1.ImageVolumeSource"]),
    ("request", &["core.v1.ResourceClaim"]),
    ("revision", &["core.v1.GitRepoVolumeSource"]),
    ("secretFile", &["core.v1.CephFSPersistentVolumeSource", "core.v1.CephFSVolumeSource"]),
    ("storageMode", &["core.v1.ScaleIOPersistentVolumeSource", "core.v1.ScaleIOVolumeSource"]),
    ("storagePolicyID", &["core.v1.VsphereVirtualDiskVolumeSource"]),
    ("storagePolicyName", &["core.v1.VsphereVirtualDiskVolumeSource"]),
    ("storagePool", &["core.v1.ScaleIOPersistentVolumeSource", "core.v1.ScaleIOVolumeSource"]),
    ("tenant", &["core.v1.QuobyteVolumeSource"]),
    ("volumeNamespace", &["core.v1.StorageOSPersistentVolumeSource", "core.v1.StorageOSVolumeSource"]),
    (
        "apiVersion",
        &[
            "autoscaling.v1.CrossVersionObjectReference",
            "autoscaling.v2.CrossVersionObjectReference",
            "core.v1.ObjectFieldSelector",
            "core.v1.ObjectReference",
        ],
    ),
    ("containerName", &["core.v1.ResourceFieldSelector"]),
    ("effect", &["core.v1.Toleration"]),
    ("hostname", &["core.v1.EndpointAddress", "core.v1.PodSpec"]),
    ("key", &["core.v1.Toleration"]),
    (
        "name",
        &[
            "core.v1.ConfigMapEnvSource",
            "core.v1.ConfigMapKeySelector",
            "core.v1.ConfigMapProjection",
            "core.v1.ConfigMapVolumeSource",
            "core.v1.ContainerPort",
            "core.v1.EndpointPort",
            "core.v1.LocalObjectReference",
            "core.v1.ObjectReference",
            "core.v1.PodDNSConfigOption",
            "core.v1.SecretEnvSource",
            "core.v1.SecretKeySelector",
            "core.v1.SecretProjection",
            "core.v1.SecretReference",
            "core.v1.ServicePort",
            "meta.v1.ObjectMeta",
            "networking.v1.ServiceBackendPort",
        ],
    ),
    (
        "namespace",
        &["core.v1.ObjectReference", "core.v1.SecretReference", "meta.v1.ObjectMeta", "rbac.v1.Subject"],
    ),
    ("apiGroup", &["rbac.v1.Subject"]),
    ("audience", &["core.v1.ServiceAccountTokenProjection"]),
    ("nodeName", &["core.v1.PodSpec"]),
    ("operator", &["core.v1.Toleration"]),
    ("partition", &["core.v1.AWSElasticBlockStoreVolumeSource", "core.v1.GCEPersistentDiskVolumeSource"]),
    (
        "path",
        &[
            "core.v1.CephFSPersistentVolumeSource",
            "core.v1.CephFSVolumeSource",
            "core.v1.HTTPGetAction",
            "networking.v1.HTTPIngressPath",
        ],
    ),
    ("periodSeconds", &["core.v1.Probe"]),
    ("protocol", &["core.v1.ContainerPort", "core.v1.EndpointPort", "core.v1.ServicePort"]),
    ("replicas", &["autoscaling.v1.ScaleSpec"]),
    ("resourceVersion", &["core.v1.ObjectReference", "meta.v1.ObjectMeta"]),
    ("restartPolicy", &["core.v1.PodSpec"]),
    ("secretName", &["core.v1.SecretVolumeSource", "networking.v1.IngressTLS"]),
    ("storageClassName", &["core.v1.PersistentVolumeSpec"]),
    ("targetContainerName", &["core.v1.EphemeralContainer"]),
    ("timeoutSeconds", &["core.v1.Probe"]),
    (
        "type",
        &[
            "apps.v1.DaemonSetUpdateStrategy",
            "apps.v1.DeploymentStrategy",
            "apps.v1.StatefulSetUpdateStrategy",
            "core.v1.SELinuxOptions",
            "core.v1.Secret",
            "core.v1.ServiceSpec",
        ],
    ),
    ("uid", &["core.v1.ObjectReference", "meta.v1.ObjectMeta"]),
    ("value", &["core.v1.EnvVar", "core.v1.Taint", "core.v1.Toleration"]),
];

/// Whether a field of a type is left out where it is false, zero or empty.
pub(crate) fn leaves_out_zero(of: &str, field: &str) -> bool {
    let among = |rows: &'static [(&str, &[&str])]| {
        rows.iter().find(|(name, _)| *name == field).map(|(_, types)| types.contains(&of))
    };
    GROUPS.iter().any(|group| of.starts_with(group))
        && (EVERYWHERE.contains(&field) || among(EXCEPT_IN) == Some(false) || among(IN) == Some(true))
}

/// Whether a value is false, zero or an empty text.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(truth) => !truth,
        Value::Number(_) => value.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Takes away what does not arrive.
pub(crate) fn leave_out(object: &mut Value, schema: &Schema) {
    // Of most objects nothing has to be looked up.
    if !has_zero(object) {
        return;
    }
    if let Some(shape) = schema.of(object) {
        walk(object, &shape, schema);
    } else if let Some(metadata) = object.object_mut().and_then(|map| map.get_mut("metadata")) {
        walk(metadata, &Schema::metadata(), schema);
    }
}

fn has_zero(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().any(has_zero),
        Value::Array(items) => items.iter().any(has_zero),
        scalar => is_zero(scalar),
    }
}

fn walk(value: &mut Value, shape: &Shape, schema: &Schema) {
    match shape {
        Shape::Object(of) => {
            let Some(map) = value.object_mut() else { return };
            let is_left_out = |(key, value): (&Str, &Value)| {
                (is_zero(value) && leaves_out_zero(of, key)).then(|| key.clone())
            };
            let keys: Vec<Str> = map.iter().filter_map(is_left_out).collect();
            for key in &keys {
                drop(map.remove(key));
            }
            below(map, shape, schema);
        }
        Shape::Map(_) => value.object_mut().into_iter().for_each(|map| below(map, shape, schema)),
        Shape::List(element) => {
            let items = value.array_mut().into_iter().flatten();
            items.filter(|item| has_zero(item)).for_each(|item| walk(item, element, schema));
        }
        Shape::Text | Shape::Number | Shape::Truth | Shape::Either | Shape::Any => {}
    }
}

fn below(map: &mut Map, shape: &Shape, schema: &Schema) {
    for (key, item) in map.iter_mut().filter(|(_, item)| has_zero(item)) {
        if let (Some(shape), true) = (schema.field(shape, key), !is_zero(item)) {
            walk(item, &shape, schema);
        }
    }
}
