//! What an API server fills in: one row for each field.
//!
//! In: nothing. Out: kinds, ways in their objects, fields there and their values in the words of YAML. What hangs on other fields is in
//! `pods` and in the module above.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{admissionregistration/v1,core/v1,apps/v1,autoscaling/v2,batch/v1,rbac/v1,scheduling/v1,
//! storage/v1}/defaults.go

/// A field and its value.
pub(super) type Row = (&'static str, &'static str);

/// What is filled in at one place.
pub(super) struct Filled {
    /// The kinds.
    pub(super) kinds: &'static [&'static str],
    /// The way to the place; `[]` stands for each element of a list.
    pub(super) way: &'static [&'static str],
    /// The fields.
    pub(super) rows: &'static [Row],
}

const fn filled(
    kinds: &'static [&'static str],
    way: &'static [&'static str],
    rows: &'static [Row],
) -> Filled {
    Filled { kinds, way, rows }
}

/// The groups of the kinds below.
pub(super) const VERSIONS: [&str; 12] = [
    "v1",
    "admissionregistration.k8s.io/v1",
    "apps/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "discovery.k8s.io/v1",
    "networking.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1",
];

/// Kinds of Kubernetes' own whose `spec` is a struct and not a pointer to one, so that it is there in every request.
// k8s.io/api: encoding/json writes a struct also where it is empty.
const WITH_SPEC: &[&str] = &[
    "CSINode",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Ingress",
    "Job",
    "LimitRange",
    "Namespace",
    "NetworkPolicy",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodDisruptionBudget",
    "ReplicaSet",
    "ReplicationController",
    "ResourceQuota",
    "Service",
    "StatefulSet",
];

/// In objects; what lies below other rows comes behind them.
pub(super) const IN_OBJECTS: &[Filled] = &[
    filled(WITH_SPEC, &[], &[("spec", "{}")]),
    filled(&["NetworkPolicy"], &["spec"], &[("podSelector", "{}")]),
    filled(&["Role", "ClusterRole"], &[], &[("rules", "null")]),
    filled(&["EndpointSlice"], &[], &[("endpoints", "null"), ("ports", "null")]),
    filled(&["LimitRange"], &["spec"], &[("limits", "null")]),
    filled(&["CSINode"], &["spec"], &[("drivers", "null")]),
    filled(&["CSINode"], &["spec", "drivers", "[]"], &[("topologyKeys", "null")]),
    filled(
        &["RoleBinding", "ClusterRoleBinding"],
        &["roleRef"],
        &[("apiGroup", "rbac.authorization.k8s.io")],
    ),
    filled(&["PriorityClass"], &[], &[("preemptionPolicy", "PreemptLowerPriority")]),
    filled(WEBHOOKS, &["webhooks", "[]"], WEBHOOK),
    filled(&["MutatingWebhookConfiguration"], &["webhooks", "[]"], &[("reinvocationPolicy", "Never")]),
    filled(WEBHOOKS, &["webhooks", "[]", "rules", "[]"], &[("scope", "'*'")]),
    filled(WEBHOOKS, &["webhooks", "[]", "clientConfig", "service"], &[("port", "443")]),
    filled(&["Secret"], &[], &[("type", "Opaque")]),
    filled(&["Service"], &["spec"], &[("type", "ClusterIP"), ("sessionAffinity", "None")]),
    filled(&["Service"], &["spec", "ports", "[]"], PROTOCOL),
    filled(&["PersistentVolumeClaim"], &["spec"], &[("volumeMode", "Filesystem")]),
    filled(
        &["PersistentVolume"],
        &["spec"],
        &[("volumeMode", "Filesystem"), ("persistentVolumeReclaimPolicy", "Retain")],
    ),
    filled(&["StorageClass"], &[], &[("reclaimPolicy", "Delete"), ("volumeBindingMode", "Immediate")]),
    filled(&["HorizontalPodAutoscaler"], &["spec"], &[("minReplicas", "1")]),
    filled(
        &["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"],
        &["spec"],
        &[("replicas", "1")],
    ),
    filled(&["Deployment", "StatefulSet", "DaemonSet"], &["spec"], &[("revisionHistoryLimit", "10")]),
    filled(&["Deployment"], &["spec"], &[("progressDeadlineSeconds", "600"), ("strategy", "{}")]),
    filled(&["StatefulSet"], &["spec"], &[("podManagementPolicy", "OrderedReady"), ("updateStrategy", "{}")]),
    filled(&["StatefulSet"], &["spec"], &[("persistentVolumeClaimRetentionPolicy", "{}")]),
    filled(
        &["StatefulSet"],
        &["spec", "persistentVolumeClaimRetentionPolicy"],
        &[("whenDeleted", "Retain"), ("whenScaled", "Retain")],
    ),
    // apps/v1/conversion.go: Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec.
    filled(
        &["StatefulSet"],
        &["spec", "volumeClaimTemplates", "[]"],
        &[
            ("apiVersion", "v1"),
            ("kind", "PersistentVolumeClaim"),
            ("metadata", "{}"),
            ("spec", "{}"),
            ("status", "{phase: Pending}"),
        ],
    ),
    filled(
        &["StatefulSet"],
        &["spec", "volumeClaimTemplates", "[]", "spec"],
        &[("volumeMode", "Filesystem")],
    ),
    filled(&["DaemonSet"], &["spec"], &[("updateStrategy", "{}")]),
    filled(&["CronJob"], &["spec", "jobTemplate"], &[("metadata", "{}")]),
    filled(&["Job"], &["spec"], JOB),
    filled(&["CronJob"], &["spec", "jobTemplate", "spec"], JOB),
    filled(
        &["CronJob"],
        &["spec"],
        &[
            ("concurrencyPolicy", "Allow"),
            ("suspend", "false"),
            ("successfulJobsHistoryLimit", "3"),
            ("failedJobsHistoryLimit", "1"),
        ],
    ),
];
/// How Pods are replaced, where nothing else is written: the kind, the field of its spec, and what is filled in beside `RollingUpdate`.
pub(super) const STRATEGIES: [(&str, &str, &[Row]); 3] = [
    ("Deployment", "strategy", &[("maxUnavailable", "25%"), ("maxSurge", "25%")]),
    ("StatefulSet", "updateStrategy", &[("partition", "0")]),
    ("DaemonSet", "updateStrategy", &[("maxUnavailable", "1"), ("maxSurge", "0")]),
];
/// How traffic comes to Services, by their type: `SetDefaults_Service`. One that stands for a name has none of these.
pub(super) const TRAFFIC: [(&str, &[Row]); 3] = [
    ("ClusterIP", &[("internalTrafficPolicy", "Cluster")]),
    ("NodePort", &[("internalTrafficPolicy", "Cluster"), ("externalTrafficPolicy", "Cluster")]),
    (
        "LoadBalancer",
        &[
            ("internalTrafficPolicy", "Cluster"),
            ("externalTrafficPolicy", "Cluster"),
            ("allocateLoadBalancerNodePorts", "true"),
        ],
    ),
];
/// What says which webhooks are asked.
const WEBHOOKS: &[&str] = &["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
const WEBHOOK: &[Row] = &[
    ("failurePolicy", "Fail"),
    ("matchPolicy", "Equivalent"),
    ("namespaceSelector", "{}"),
    ("objectSelector", "{}"),
    ("timeoutSeconds", "10"),
];
const JOB: &[Row] = &[("backoffLimit", "6"), ("suspend", "false"), ("completionMode", "NonIndexed")];
const PROTOCOL: &[Row] = &[("protocol", "TCP")];

/// In the spec of a Pod.
pub(super) const SPEC: &[Row] = &[
    ("restartPolicy", "Always"),
    ("dnsPolicy", "ClusterFirst"),
    ("terminationGracePeriodSeconds", "30"),
    ("schedulerName", "default-scheduler"),
    ("enableServiceLinks", "true"),
    ("securityContext", "{}"),
];
/// In each of its containers.
pub(super) const CONTAINER: &[Row] = &[
    ("terminationMessagePath", "/dev/termination-log"),
    ("terminationMessagePolicy", "File"),
    ("resources", "{}"),
];
const PROBE: &[Row] =
    &[("timeoutSeconds", "1"), ("periodSeconds", "10"), ("successThreshold", "1"), ("failureThreshold", "3")];
const HTTP: &[Row] = &[("path", "/"), ("scheme", "HTTP")];
const MODE: &[Row] = &[("defaultMode", "420")];

/// Below each of its containers.
pub(super) const IN_CONTAINERS: &[(&[&str], &[Row])] = &[
    (&["ports", "[]"], PROTOCOL),
    (&["livenessProbe"], PROBE),
    (&["readinessProbe"], PROBE),
    (&["startupProbe"], PROBE),
    (&["livenessProbe", "httpGet"], HTTP),
    (&["readinessProbe", "httpGet"], HTTP),
    (&["startupProbe", "httpGet"], HTTP),
    (&["lifecycle", "postStart", "httpGet"], HTTP),
    (&["lifecycle", "preStop", "httpGet"], HTTP),
    (&["env", "[]", "valueFrom", "fieldRef"], &[("apiVersion", "v1")]),
];
/// Below each of its volumes.
pub(super) const IN_VOLUMES: &[(&[&str], &[Row])] = &[
    (&["secret"], MODE),
    (&["configMap"], MODE),
    (&["downwardAPI"], MODE),
    (&["projected"], MODE),
    (&["projected"], &[("sources", "null")]),
    (&["ephemeral", "volumeClaimTemplate", "spec"], &[("volumeMode", "Filesystem")]),
    (&["hostPath"], &[("type", "''")]),
];
