//! What Kubernetes' types ask of their fields, a row each.
//!
//! In: nothing. Out: tables. A further demand is a row; what hangs on more than one type stands in `objects/valid`.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core,apps,autoscaling,batch,networking,policy,rbac}/validation/validation.go of 1.34

/// A type, a field without which none is taken, and, in the words of YAML, what stands there where nothing else does.
pub(super) type Needed = (&'static str, &'static str, &'static str);

pub(super) const NEEDED: &[Needed] = &[
    // ValidateEnv, ValidateEnvFrom, validateSecretKeySelector, validateConfigMapKeySelector
    ("core.v1.EnvVar", "name", "x"),
    ("core.v1.ConfigMapEnvSource", "name", "x"),
    ("core.v1.SecretEnvSource", "name", "x"),
    ("core.v1.ConfigMapKeySelector", "name", "x"),
    ("core.v1.ConfigMapKeySelector", "key", "x"),
    ("core.v1.SecretKeySelector", "name", "x"),
    ("core.v1.SecretKeySelector", "key", "x"),
    ("core.v1.ObjectFieldSelector", "fieldPath", "metadata.name"),
    ("core.v1.ResourceFieldSelector", "resource", "limits.cpu"),
    // validateVolumeSource
    ("core.v1.HostPathVolumeSource", "path", "/x"),
    ("core.v1.ConfigMapVolumeSource", "name", "x"),
    ("core.v1.SecretVolumeSource", "secretName", "x"),
    ("core.v1.PersistentVolumeClaimVolumeSource", "claimName", "x"),
    ("core.v1.NFSVolumeSource", "server", "x"),
    ("core.v1.NFSVolumeSource", "path", "/x"),
    ("core.v1.CSIVolumeSource", "driver", "x"),
    ("core.v1.AWSElasticBlockStoreVolumeSource", "volumeID", "x"),
    ("core.v1.AzureDiskVolumeSource", "diskName", "x"),
    ("core.v1.AzureDiskVolumeSource", "diskURI", "https://x"),
    ("core.v1.AzureFileVolumeSource", "secretName", "x"),
    ("core.v1.AzureFileVolumeSource", "shareName", "x"),
    ("core.v1.CephFSVolumeSource", "monitors", "[x]"),
    ("core.v1.CinderVolumeSource", "volumeID", "x"),
    ("core.v1.DownwardAPIVolumeFile", "path", "x"),
    ("core.v1.FlexVolumeSource", "driver", "x"),
    ("core.v1.GCEPersistentDiskVolumeSource", "pdName", "x"),
    ("core.v1.GitRepoVolumeSource", "repository", "x"),
    ("core.v1.GlusterfsVolumeSource", "endpoints", "x"),
    ("core.v1.GlusterfsVolumeSource", "path", "x"),
    ("core.v1.ImageVolumeSource", "reference", "registry.example/app:1.0"),
    ("core.v1.ISCSIVolumeSource", "iqn", "iqn.2001-01.com.example:x"),
    ("core.v1.ISCSIVolumeSource", "targetPortal", "x"),
    ("core.v1.PhotonPersistentDiskVolumeSource", "pdID", "x"),
    ("core.v1.PortworxVolumeSource", "volumeID", "x"),
    ("core.v1.QuobyteVolumeSource", "registry", "x:1"),
    ("core.v1.QuobyteVolumeSource", "volume", "x"),
    ("core.v1.RBDVolumeSource", "image", "x"),
    ("core.v1.RBDVolumeSource", "monitors", "[x]"),
    ("core.v1.ScaleIOVolumeSource", "gateway", "x"),
    ("core.v1.ScaleIOVolumeSource", "system", "x"),
    ("core.v1.ScaleIOVolumeSource", "volumeName", "x"),
    ("core.v1.StorageOSVolumeSource", "volumeName", "x"),
    ("core.v1.VsphereVirtualDiskVolumeSource", "volumePath", "x"),
    ("core.v1.ConfigMapProjection", "name", "x"),
    ("core.v1.SecretProjection", "name", "x"),
    ("core.v1.ServiceAccountTokenProjection", "path", "x"),
    ("core.v1.KeyToPath", "key", "x"),
    ("core.v1.KeyToPath", "path", "x"),
    // validateContainerPorts, validateHandler
    ("core.v1.ContainerPort", "containerPort", "80"),
    ("core.v1.HTTPHeader", "name", "x"),
    ("core.v1.ExecAction", "command", "[x]"),
    ("core.v1.HTTPGetAction", "port", "80"),
    ("core.v1.TCPSocketAction", "port", "80"),
    ("core.v1.GRPCAction", "port", "80"),
    // ValidateServicePort
    ("core.v1.ServicePort", "port", "80"),
    // validateSeccompProfileField, ValidateAppArmorProfileField, validateOS, validateSysctls
    ("core.v1.SeccompProfile", "type", "RuntimeDefault"),
    ("core.v1.AppArmorProfile", "type", "RuntimeDefault"),
    ("core.v1.PodOS", "name", "linux"),
    ("core.v1.Sysctl", "name", "x"),
    // ValidateVolumeDevices, validateResizePolicy
    ("core.v1.VolumeDevice", "name", "x"),
    ("core.v1.VolumeDevice", "devicePath", "/x"),
    ("core.v1.ContainerResizePolicy", "resourceName", "cpu"),
    ("core.v1.ContainerResizePolicy", "restartPolicy", "NotRequired"),
    // validateTopologySpreadConstraints, validatePodAffinityTerm, validateWeightedPodAffinityTerms, ValidatePreferredSchedulingTerms
    ("core.v1.TopologySpreadConstraint", "maxSkew", "1"),
    ("core.v1.TopologySpreadConstraint", "topologyKey", "x"),
    ("core.v1.TopologySpreadConstraint", "whenUnsatisfiable", "DoNotSchedule"),
    ("core.v1.PodAffinityTerm", "topologyKey", "x"),
    ("core.v1.WeightedPodAffinityTerm", "podAffinityTerm", "{}"),
    ("core.v1.WeightedPodAffinityTerm", "weight", "1"),
    ("core.v1.PreferredSchedulingTerm", "weight", "1"),
    ("core.v1.NodeSelector", "nodeSelectorTerms", "[{}]"),
    ("core.v1.NodeSelectorRequirement", "key", "x"),
    ("core.v1.NodeSelectorRequirement", "operator", "Exists"),
    // validateReadinessGates, validateSchedulingGates, validatePodResourceClaim, ValidateHostAliases
    ("core.v1.PodReadinessGate", "conditionType", "x"),
    ("core.v1.PodSchedulingGate", "name", "x"),
    ("core.v1.PodResourceClaim", "name", "x"),
    ("core.v1.HostAlias", "ip", "10.0.0.1"),
    // ValidatePersistentVolumeClaimSpec, ValidatePersistentVolumeSpec, validateLimitRange
    ("core.v1.PersistentVolumeClaim", "spec", "{}"),
    ("core.v1.PersistentVolumeClaimTemplate", "spec", "{}"),
    ("core.v1.EphemeralVolumeSource", "volumeClaimTemplate", "{}"),
    ("core.v1.PersistentVolumeClaimSpec", "accessModes", "[ReadWriteOnce]"),
    ("core.v1.PersistentVolumeClaimSpec", "resources", "{}"),
    ("core.v1.PersistentVolume", "spec", "{}"),
    ("core.v1.PersistentVolumeSpec", "accessModes", "[ReadWriteOnce]"),
    ("core.v1.PersistentVolumeSpec", "capacity", "{storage: 1Gi}"),
    ("core.v1.LimitRangeItem", "type", "Container"),
    // ValidateHorizontalPodAutoscalerSpec, ValidateCrossVersionObjectReference, validateMetricSpec
    ("autoscaling.v1.HorizontalPodAutoscaler", "spec", "{}"),
    ("autoscaling.v1.HorizontalPodAutoscalerSpec", "maxReplicas", "1"),
    ("autoscaling.v1.HorizontalPodAutoscalerSpec", "scaleTargetRef", "{}"),
    ("autoscaling.v1.CrossVersionObjectReference", "kind", "Deployment"),
    ("autoscaling.v1.CrossVersionObjectReference", "name", "x"),
    ("autoscaling.v2.HorizontalPodAutoscaler", "spec", "{}"),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", "maxReplicas", "1"),
    ("autoscaling.v2.HorizontalPodAutoscalerSpec", "scaleTargetRef", "{}"),
    ("autoscaling.v2.CrossVersionObjectReference", "kind", "Deployment"),
    ("autoscaling.v2.CrossVersionObjectReference", "name", "x"),
    ("autoscaling.v2.MetricSpec", "type", "Resource"),
    ("autoscaling.v2.ResourceMetricSource", "name", "cpu"),
    ("autoscaling.v2.ResourceMetricSource", "target", "{type: Utilization, averageUtilization: 1}"),
    // ValidateCronJobSpec, ValidateStorageClass
    ("batch.v1.CronJobSpec", "schedule", "'0 0 * * *'"),
    ("storage.v1.StorageClass", "provisioner", "x"),
    // ValidateTaint, ValidateEndpointSlice, validateWebhook, ValidateCustomResourceDefinition
    ("core.v1.Taint", "key", "x"),
    ("core.v1.Taint", "effect", "NoSchedule"),
    ("discovery.v1.EndpointSlice", "addressType", "IPv4"),
    ("admissionregistration.v1.ValidatingWebhook", "sideEffects", "None"),
    ("admissionregistration.v1.MutatingWebhook", "sideEffects", "None"),
    ("apiextensions.v1.CustomResourceDefinitionSpec", "scope", "Namespaced"),
    // ValidateIngressSpec, validateHTTPIngressPath, validateIngressBackend
    ("networking.v1.Ingress", "spec", "{}"),
    ("networking.v1.HTTPIngressRuleValue", "paths", "[{}]"),
    ("networking.v1.HTTPIngressPath", "pathType", "Prefix"),
    ("networking.v1.HTTPIngressPath", "backend", "{}"),
    ("networking.v1.IngressServiceBackend", "name", "x"),
    ("networking.v1.IngressServiceBackend", "port", "{}"),
    ("core.v1.TypedLocalObjectReference", "kind", "X"),
    ("core.v1.TypedLocalObjectReference", "name", "x"),
    // ValidateIPBlock
    ("networking.v1.IPBlock", "cidr", "10.0.0.0/8"),
    // ValidatePolicyRule, ValidateRoleBinding
    ("rbac.v1.PolicyRule", "verbs", "[get]"),
    ("rbac.v1.RoleBinding", "roleRef", "{}"),
    ("rbac.v1.ClusterRoleBinding", "roleRef", "{}"),
    ("rbac.v1.RoleRef", "kind", "ClusterRole"),
    ("rbac.v1.RoleRef", "name", "x"),
    ("rbac.v1.Subject", "kind", "User"),
    ("rbac.v1.Subject", "name", "x"),
    // ValidateLabelSelectorRequirement
    ("meta.v1.LabelSelectorRequirement", "key", "x"),
    ("meta.v1.LabelSelectorRequirement", "operator", "Exists"),
    // ValidateOwnerReferences
    ("meta.v1.OwnerReference", "apiVersion", "v1"),
    ("meta.v1.OwnerReference", "kind", "X"),
    ("meta.v1.OwnerReference", "name", "x"),
    ("meta.v1.OwnerReference", "uid", "x"),
];

/// Fields of a type of which one at most is there.
pub(super) struct OneOf {
    pub(super) of: &'static str,
    /// Those of one group may stand beside each other.
    pub(super) groups: Groups,
    /// What stands there where one is needed and none is there.
    pub(super) default: Option<(&'static str, &'static str)>,
    /// What is tried where others are read.
    pub(super) tried: &'static [&'static str],
}

pub(super) enum Groups {
    /// These.
    Are(&'static [&'static [&'static str]]),
    /// Every field but these is a group.
    AllBut(&'static [&'static str]),
}

pub(super) const ONE_OF: &[OneOf] = &[
    OneOf {
        of: "core.v1.Volume",
        groups: Groups::AllBut(&["name"]),
        default: None,
        tried: &["configMap", "emptyDir", "persistentVolumeClaim", "downwardAPI", "iscsi"],
    },
    OneOf {
        of: "core.v1.VolumeProjection",
        groups: Groups::AllBut(&[]),
        default: Some(("configMap", "{}")),
        tried: &["configMap", "secret", "downwardAPI", "serviceAccountToken"],
    },
    OneOf {
        of: "core.v1.EnvVar",
        groups: Groups::Are(&[&["value"], &["valueFrom"]]),
        default: None,
        tried: &[],
    },
    OneOf {
        of: "core.v1.EnvVarSource",
        groups: Groups::AllBut(&[]),
        default: Some(("fieldRef", "{}")),
        tried: &["fieldRef", "configMapKeyRef", "secretKeyRef", "resourceFieldRef"],
    },
    OneOf {
        of: "core.v1.EnvFromSource",
        groups: Groups::AllBut(&["prefix"]),
        default: Some(("configMapRef", "{}")),
        tried: &["configMapRef", "secretRef"],
    },
    OneOf {
        of: "core.v1.LifecycleHandler",
        groups: Groups::AllBut(&[]),
        default: Some(("tcpSocket", "{}")),
        tried: &["exec", "tcpSocket", "httpGet", "sleep"],
    },
    OneOf {
        of: "core.v1.Probe",
        groups: Groups::Are(&[&["exec"], &["httpGet"], &["tcpSocket"], &["grpc"]]),
        default: Some(("tcpSocket", "{}")),
        tried: &["exec", "tcpSocket", "grpc", "httpGet"],
    },
    OneOf {
        of: "networking.v1.NetworkPolicyPeer",
        groups: Groups::Are(&[&["ipBlock"], &["podSelector", "namespaceSelector"]]),
        default: Some(("podSelector", "{}")),
        tried: &["podSelector", "ipBlock"],
    },
    OneOf {
        of: "core.v1.FCVolumeSource",
        groups: Groups::Are(&[&["targetWWNs"], &["wwids"]]),
        default: Some(("wwids", "[x]")),
        tried: &[],
    },
    OneOf {
        of: "core.v1.FlockerVolumeSource",
        groups: Groups::Are(&[&["datasetName"], &["datasetUUID"]]),
        default: Some(("datasetName", "x")),
        tried: &[],
    },
    OneOf {
        of: "core.v1.DownwardAPIVolumeFile",
        groups: Groups::Are(&[&["fieldRef"], &["resourceFieldRef"]]),
        default: Some(("fieldRef", "{}")),
        tried: &[],
    },
    OneOf {
        of: "core.v1.PersistentVolumeSpec",
        groups: Groups::AllBut(&[
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode",
        ]),
        default: Some(("hostPath", "{}")),
        tried: &["hostPath", "nfs", "csi", "iscsi"],
    },
    OneOf {
        of: "networking.v1.IngressSpec",
        groups: Groups::Are(&[&["defaultBackend", "rules"]]),
        default: Some(("defaultBackend", "{}")),
        tried: &["defaultBackend"],
    },
    OneOf {
        of: "networking.v1.IngressBackend",
        groups: Groups::Are(&[&["service"], &["resource"]]),
        default: Some(("service", "{}")),
        tried: &["service", "resource"],
    },
    OneOf {
        of: "networking.v1.ServiceBackendPort",
        groups: Groups::Are(&[&["name"], &["number"]]),
        default: Some(("number", "80")),
        tried: &[],
    },
    OneOf {
        of: "policy.v1.PodDisruptionBudgetSpec",
        groups: Groups::Are(&[&["minAvailable"], &["maxUnavailable"]]),
        default: None,
        tried: &[],
    },
];

/// A type, a field and the texts that it may hold, or the elements of the list that it is.
pub(super) type Choices = (&'static str, &'static str, &'static [&'static str]);

const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];
const LOCAL: &[&str] = &["Cluster", "Local"];
const MESSAGES: &[&str] = &["File", "FallbackToLogsOnError"];
const PROFILES: &[&str] = &["RuntimeDefault", "Unconfined", "Localhost"];
const ACCESS_MODES: &[&str] = &["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
const VOLUME_MODES: &[&str] = &["Filesystem", "Block"];
const PULLED: &[&str] = &["Always", "IfNotPresent", "Never"];

const FAILURES: &[&str] = &["Fail", "Ignore"];
const MATCHES: &[&str] = &["Exact", "Equivalent"];
const SIDE_EFFECTS: &[&str] = &["None", "NoneOnDryRun"];

pub(super) const CHOICES: &[Choices] = &[
    ("core.v1.PodSpec", "dnsPolicy", &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
    ("core.v1.PodSpec", "preemptionPolicy", &["Never", "PreemptLowerPriority"]),
    ("core.v1.PodSpec", "restartPolicy", &["Always", "OnFailure", "Never"]),
    ("core.v1.Container", "imagePullPolicy", PULLED),
    ("core.v1.EphemeralContainer", "imagePullPolicy", PULLED),
    // validateInitContainerRestartPolicy
    ("core.v1.Container", "restartPolicy", &["Always"]),
    ("core.v1.ContainerPort", "protocol", PROTOCOLS),
    ("core.v1.ServicePort", "protocol", PROTOCOLS),
    ("networking.v1.NetworkPolicyPort", "protocol", PROTOCOLS),
    ("networking.v1.NetworkPolicySpec", "policyTypes", &["Ingress", "Egress"]),
    ("core.v1.ServiceSpec", "type", &["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
    ("core.v1.ServiceSpec", "sessionAffinity", &["None", "ClientIP"]),
    ("core.v1.ServiceSpec", "ipFamilyPolicy", &["SingleStack", "PreferDualStack", "RequireDualStack"]),
    ("core.v1.ServiceSpec", "externalTrafficPolicy", LOCAL),
    ("core.v1.ServiceSpec", "internalTrafficPolicy", LOCAL),
    // validateContainerCommon, validateHTTPGetAction, validateHostPathType
    ("core.v1.Container", "terminationMessagePolicy", MESSAGES),
    ("core.v1.EphemeralContainer", "terminationMessagePolicy", MESSAGES),
    ("core.v1.HTTPGetAction", "scheme", &["HTTP", "HTTPS"]),
    (
        "core.v1.HostPathVolumeSource",
        "type",
        &[
            "",
            "DirectoryOrCreate",
            "Directory",
            "FileOrCreate",
            "File",
            "Socket",
            "CharDevice",
            "BlockDevice",
        ],
    ),
    // validateSeccompProfileType, ValidateAppArmorProfileField, ValidateProcMountType, validateOS, validateFSGroupChangePolicy
    ("core.v1.SeccompProfile", "type", PROFILES),
    ("core.v1.AppArmorProfile", "type", PROFILES),
    ("core.v1.SecurityContext", "procMount", &["Default", "Unmasked"]),
    ("core.v1.PodOS", "name", &["linux", "windows"]),
    ("core.v1.PodSecurityContext", "fsGroupChangePolicy", &["OnRootMismatch", "Always"]),
    ("core.v1.PodSecurityContext", "supplementalGroupsPolicy", &["Merge", "Strict"]),
    ("core.v1.PodSecurityContext", "seLinuxChangePolicy", &["Recursive", "MountOption"]),
    // validateResizePolicy, validateMountPropagation, ValidateTolerations, validateTaintEffect, ValidateWhenUnsatisfiable
    ("core.v1.ContainerResizePolicy", "resourceName", &["cpu", "memory"]),
    ("core.v1.ContainerResizePolicy", "restartPolicy", &["NotRequired", "RestartContainer"]),
    ("core.v1.VolumeMount", "mountPropagation", &["None", "HostToContainer", "Bidirectional"]),
    ("core.v1.Toleration", "operator", &["", "Exists", "Equal"]),
    ("core.v1.Toleration", "effect", &["", "NoSchedule", "PreferNoSchedule", "NoExecute"]),
    ("core.v1.TopologySpreadConstraint", "whenUnsatisfiable", &["DoNotSchedule", "ScheduleAnyway"]),
    ("core.v1.NodeSelectorRequirement", "operator", &["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
    // ValidatePersistentVolumeClaimSpec, ValidatePersistentVolumeSpec
    ("core.v1.PersistentVolumeClaimSpec", "accessModes", ACCESS_MODES),
    ("core.v1.PersistentVolumeClaimSpec", "volumeMode", VOLUME_MODES),
    ("core.v1.PersistentVolumeSpec", "accessModes", ACCESS_MODES),
    ("core.v1.PersistentVolumeSpec", "volumeMode", VOLUME_MODES),
    ("core.v1.PersistentVolumeSpec", "persistentVolumeReclaimPolicy", &["Retain", "Recycle", "Delete"]),
    // ValidateDeploymentStrategy, ValidateStatefulSetSpec, ValidateDaemonSetUpdateStrategy, ValidateCronJobSpec, ValidateJobSpec
    ("apps.v1.DeploymentStrategy", "type", &["Recreate", "RollingUpdate"]),
    ("apps.v1.DaemonSetUpdateStrategy", "type", &["OnDelete", "RollingUpdate"]),
    ("apps.v1.StatefulSetUpdateStrategy", "type", &["OnDelete", "RollingUpdate"]),
    ("apps.v1.StatefulSetSpec", "podManagementPolicy", &["OrderedReady", "Parallel"]),
    ("batch.v1.CronJobSpec", "concurrencyPolicy", &["Allow", "Forbid", "Replace"]),
    ("batch.v1.JobSpec", "completionMode", &["NonIndexed", "Indexed"]),
    ("networking.v1.HTTPIngressPath", "pathType", &["Exact", "Prefix", "ImplementationSpecific"]),
    ("autoscaling.v2.MetricSpec", "type", &["Object", "Pods", "Resource", "External", "ContainerResource"]),
    ("autoscaling.v2.MetricTarget", "type", &["Utilization", "Value", "AverageValue"]),
    ("autoscaling.v2.HPAScalingRules", "selectPolicy", &["Max", "Min", "Disabled"]),
    // ValidateStorageClass, ValidatePriorityClass, ValidateCSIDriver, ValidateEndpointSlice
    ("storage.v1.StorageClass", "reclaimPolicy", &["Delete", "Retain"]),
    ("storage.v1.StorageClass", "volumeBindingMode", &["Immediate", "WaitForFirstConsumer"]),
    ("storage.v1.CSIDriverSpec", "fsGroupPolicy", &["ReadWriteOnceWithFSType", "File", "None"]),
    ("scheduling.v1.PriorityClass", "preemptionPolicy", &["Never", "PreemptLowerPriority"]),
    ("discovery.v1.EndpointSlice", "addressType", &["IPv4", "IPv6", "FQDN"]),
    // validateWebhook, validateMutatingWebhook
    ("admissionregistration.v1.ValidatingWebhook", "failurePolicy", FAILURES),
    ("admissionregistration.v1.ValidatingWebhook", "matchPolicy", MATCHES),
    ("admissionregistration.v1.ValidatingWebhook", "sideEffects", SIDE_EFFECTS),
    ("admissionregistration.v1.MutatingWebhook", "failurePolicy", FAILURES),
    ("admissionregistration.v1.MutatingWebhook", "matchPolicy", MATCHES),
    ("admissionregistration.v1.MutatingWebhook", "sideEffects", SIDE_EFFECTS),
    ("admissionregistration.v1.MutatingWebhook", "reinvocationPolicy", &["Never", "IfNeeded"]),
    // ValidateCustomResourceDefinition, validateLimitRange, validateResourceQuotaScopes, ValidateTaint
    ("apiextensions.v1.CustomResourceDefinitionSpec", "scope", &["Cluster", "Namespaced"]),
    ("core.v1.LimitRangeItem", "type", &["Container", "Pod", "PersistentVolumeClaim"]),
    (
        "core.v1.ResourceQuotaSpec",
        "scopes",
        &[
            "Terminating",
            "NotTerminating",
            "BestEffort",
            "NotBestEffort",
            "PriorityClass",
            "CrossNamespacePodAffinity",
        ],
    ),
    ("core.v1.Taint", "effect", &["NoSchedule", "PreferNoSchedule", "NoExecute"]),
    ("policy.v1.PodDisruptionBudgetSpec", "unhealthyPodEvictionPolicy", &["IfHealthyBudget", "AlwaysAllow"]),
    ("rbac.v1.RoleRef", "kind", &["ClusterRole", "Role"]),
    ("rbac.v1.Subject", "kind", &["User", "Group", "ServiceAccount"]),
    ("rbac.v1.Subject", "apiGroup", &["rbac.authorization.k8s.io"]),
    ("meta.v1.LabelSelectorRequirement", "operator", &["In", "NotIn", "Exists", "DoesNotExist"]),
];

/// Texts to try where a field takes those of one form alone, as addresses; what it takes is said in `objects/valid`.
pub(super) const SAMPLES: &[Choices] = &[
    ("core.v1.HostAlias", "ip", ADDRESSES),
    ("core.v1.PodDNSConfig", "nameservers", ADDRESSES),
    ("core.v1.ServiceSpec", "externalIPs", ADDRESSES),
    ("core.v1.ServiceSpec", "clusterIP", &["None", "10.0.0.1"]),
    ("core.v1.ServiceSpec", "loadBalancerSourceRanges", NETWORKS),
    ("networking.v1.IPBlock", "cidr", NETWORKS),
    ("networking.v1.IPBlock", "except", &["10.1.0.0/16", "10.2.0.0/16"]),
    ("networking.v1.HTTPIngressPath", "path", &["/", "/x"]),
    ("networking.v1.IngressRule", "host", HOSTS),
    ("meta.v1.ObjectMeta", "finalizers", &["example.com/x", "kubernetes"]),
    ("networking.v1.IngressTLS", "hosts", HOSTS),
    ("batch.v1.CronJobSpec", "schedule", &["0 0 * * *", "* * * * *", "*/5 * * * *", "0 1 1 1 1", "@daily"]),
];

const ADDRESSES: &[&str] = &["10.0.0.1", "127.0.0.1", "100.64.0.1", "fd00::1"];
const HOSTS: &[&str] = &["a.example", "*.example"];
const NETWORKS: &[&str] = &["10.0.0.0/8", "0.0.0.0/0", "100.64.0.0/10", "::/0"];

/// A field that stands beside one text of another field alone.
pub(super) struct Tagged {
    /// The type.
    pub(super) of: &'static str,
    /// The field that says which of several is meant.
    pub(super) tag: &'static str,
    /// What it says where the member is meant.
    pub(super) text: &'static str,
    /// The field that is meant.
    pub(super) member: &'static str,
    /// What stands there, in the words of YAML, where the member is needed and there is nothing.
    pub(super) default: Option<&'static str>,
    /// Whether it is meant where nothing says which is.
    pub(super) is_default: bool,
}

const fn tagged(
    of: &'static str,
    tag: &'static str,
    text: &'static str,
    member: &'static str,
    default: Option<&'static str>,
) -> Tagged {
    Tagged { of, tag, text, member, default, is_default: false }
}

pub(super) const TAGGED: &[Tagged] = &[
    // validateSeccompProfileField, ValidateAppArmorProfileField
    tagged("core.v1.SeccompProfile", "type", "Localhost", "localhostProfile", Some("x")),
    tagged("core.v1.AppArmorProfile", "type", "Localhost", "localhostProfile", Some("x")),
    // ValidateDeploymentStrategy, ValidateStatefulSetSpec
    Tagged {
        is_default: true,
        ..tagged("apps.v1.DeploymentStrategy", "type", "RollingUpdate", "rollingUpdate", None)
    },
    Tagged {
        is_default: true,
        ..tagged("apps.v1.StatefulSetUpdateStrategy", "type", "RollingUpdate", "rollingUpdate", None)
    },
    // ValidateService
    tagged("core.v1.ServiceSpec", "sessionAffinity", "ClientIP", "sessionAffinityConfig", None),
    tagged("core.v1.ServiceSpec", "type", "LoadBalancer", "loadBalancerSourceRanges", None),
    tagged("core.v1.ServiceSpec", "type", "LoadBalancer", "loadBalancerClass", None),
    tagged("core.v1.ServiceSpec", "type", "LoadBalancer", "allocateLoadBalancerNodePorts", None),
    // validateMetricSpec
    tagged("autoscaling.v2.MetricSpec", "type", "Resource", "resource", Some("{}")),
    tagged("autoscaling.v2.MetricSpec", "type", "Pods", "pods", Some("{}")),
    tagged("autoscaling.v2.MetricSpec", "type", "Object", "object", Some("{}")),
    tagged("autoscaling.v2.MetricSpec", "type", "External", "external", Some("{}")),
    tagged("autoscaling.v2.MetricSpec", "type", "ContainerResource", "containerResource", Some("{}")),
];
