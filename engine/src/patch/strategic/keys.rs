//! Which lists of Kubernetes' own kinds are merged, and by which keys of their items.
//!
//! In: `apps/v1` and `Deployment`, then the fields on the way down. Out: for `spec.template.spec.containers` the key
//! `name`. All other lists are replaced whole, and so are all lists of kinds that are not here.
//!
//! The facts are those of `x-kubernetes-patch-strategy`, `x-kubernetes-patch-merge-key` and
//! `x-kubernetes-list-map-keys` in the OpenAPI document of Kubernetes 1.21.2, which is the one that kyaml 0.21.1
//! and so Kyverno 1.19 carries; what Kubernetes has added since is merged as an unknown field.

/// A map whose fields lead to lists that are merged.
#[derive(Debug)]
pub(super) struct Shape(&'static [(&'static str, Field)]);

#[derive(Debug)]
enum Field {
    /// A map.
    Map(&'static Shape),
    /// A list merged by these keys; without any it is a set of scalars.
    List(&'static [&'static str]),
    /// A list merged by `name` whose items have lists themselves.
    ListOf(&'static Shape),
}

/// What is known of a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schema {
    Map(&'static Shape),
    List { keys: &'static [&'static str], items: Option<&'static Shape> },
}

impl Schema {
    /// What is known of an object of this kind.
    pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<Schema> {
        let special = SPECIAL.iter().find(|(version, name, _)| *version == api_version && *name == kind);
        if let Some((_, _, shape)) = special {
            return Some(Schema::Map(shape));
        }
        let (_, kinds) = PLAIN.iter().find(|(version, _)| *version == api_version)?;
        kinds.contains(&kind).then_some(Schema::Map(&OBJECT))
    }

    /// What is known of a field.
    pub(super) fn field(self, key: &str) -> Option<Schema> {
        let Schema::Map(shape) = self else { return None };
        let (_, field) = shape.0.iter().find(|(name, _)| *name == key)?;
        Some(match field {
            Field::Map(shape) => Schema::Map(shape),
            Field::List(keys) => Schema::List { keys, items: None },
            Field::ListOf(shape) => Schema::List { keys: BY_NAME, items: Some(shape) },
        })
    }
}

const BY_NAME: &[&str] = &["name"];
const BY_TYPE: &[&str] = &["type"];

const METADATA: (&str, Field) = ("metadata", Field::Map(&OBJECT_META));
static OBJECT_META: Shape =
    Shape(&[("finalizers", Field::List(&[])), ("ownerReferences", Field::List(&["uid"]))]);

/// An object of which only the metadata have such lists.
static OBJECT: Shape = Shape(&[METADATA]);
/// The same with `status.conditions`.
static WITH_CONDITIONS: Shape = Shape(&[METADATA, STATUS]);
const STATUS: (&str, Field) = ("status", Field::Map(&CONDITIONS));
static CONDITIONS: Shape = Shape(&[("conditions", Field::List(BY_TYPE))]);

static CONTAINER: Shape = Shape(&[
    ("env", Field::List(BY_NAME)),
    ("ports", Field::List(&["containerPort", "protocol"])),
    ("volumeDevices", Field::List(&["devicePath"])),
    ("volumeMounts", Field::List(&["mountPath"])),
]);
static EPHEMERAL_CONTAINER: Shape = Shape(&[
    ("env", Field::List(BY_NAME)),
    ("volumeDevices", Field::List(&["devicePath"])),
    ("volumeMounts", Field::List(&["mountPath"])),
]);
static VOLUME: Shape = Shape(&[("ephemeral", Field::Map(&EPHEMERAL_VOLUME))]);
static EPHEMERAL_VOLUME: Shape = Shape(&[("volumeClaimTemplate", Field::Map(&OBJECT))]);
static POD_SPEC: Shape = Shape(&[
    ("containers", Field::ListOf(&CONTAINER)),
    ("ephemeralContainers", Field::ListOf(&EPHEMERAL_CONTAINER)),
    ("hostAliases", Field::List(&["ip"])),
    ("imagePullSecrets", Field::List(BY_NAME)),
    ("initContainers", Field::ListOf(&CONTAINER)),
    ("topologySpreadConstraints", Field::List(&["topologyKey", "whenUnsatisfiable"])),
    ("volumes", Field::ListOf(&VOLUME)),
]);
static POD: Shape = Shape(&[METADATA, ("spec", Field::Map(&POD_SPEC)), ("status", Field::Map(&POD_STATUS))]);
static POD_STATUS: Shape = Shape(&[("conditions", Field::List(BY_TYPE)), ("podIPs", Field::List(&["ip"]))]);

static POD_TEMPLATE: Shape = Shape(&[METADATA, ("spec", Field::Map(&POD_SPEC))]);
static POD_TEMPLATE_OBJECT: Shape = Shape(&[METADATA, ("template", Field::Map(&POD_TEMPLATE))]);
const TEMPLATE_SPEC: (&str, Field) = ("spec", Field::Map(&CONTROLLER_SPEC));
static CONTROLLER_SPEC: Shape = Shape(&[("template", Field::Map(&POD_TEMPLATE))]);
static CONTROLLER: Shape = Shape(&[METADATA, TEMPLATE_SPEC, STATUS]);
static CRON_JOB: Shape = Shape(&[METADATA, ("spec", Field::Map(&CRON_JOB_SPEC))]);
static CRON_JOB_SPEC: Shape = Shape(&[("jobTemplate", Field::Map(&JOB_TEMPLATE))]);
static JOB_TEMPLATE: Shape = Shape(&[METADATA, TEMPLATE_SPEC]);

static SERVICE: Shape = Shape(&[METADATA, ("spec", Field::Map(&SERVICE_SPEC)), STATUS]);
static SERVICE_SPEC: Shape = Shape(&[("ports", Field::List(&["port", "protocol"]))]);
static SERVICE_ACCOUNT: Shape = Shape(&[METADATA, ("secrets", Field::List(BY_NAME))]);
static COMPONENT_STATUS: Shape = Shape(&[METADATA, ("conditions", Field::List(BY_TYPE))]);
static NODE: Shape =
    Shape(&[METADATA, ("spec", Field::Map(&NODE_SPEC)), ("status", Field::Map(&NODE_STATUS))]);
static NODE_SPEC: Shape = Shape(&[("podCIDRs", Field::List(&[]))]);
static NODE_STATUS: Shape =
    Shape(&[("addresses", Field::List(BY_TYPE)), ("conditions", Field::List(BY_TYPE))]);
static WEBHOOKS: Shape = Shape(&[METADATA, ("webhooks", Field::List(BY_NAME))]);
static CSI_NODE: Shape = Shape(&[METADATA, ("spec", Field::Map(&CSI_NODE_SPEC))]);
static CSI_NODE_SPEC: Shape = Shape(&[("drivers", Field::List(BY_NAME))]);
static KUSTOMIZATION: Shape =
    Shape(&[("configMapGenerator", Field::List(BY_NAME)), ("secretGenerator", Field::List(BY_NAME))]);

/// Kinds with lists of their own.
static SPECIAL: &[(&str, &str, &Shape)] = &[
    ("v1", "Pod", &POD),
    ("v1", "PodTemplate", &POD_TEMPLATE_OBJECT),
    ("v1", "ReplicationController", &CONTROLLER),
    ("v1", "Service", &SERVICE),
    ("v1", "ServiceAccount", &SERVICE_ACCOUNT),
    ("v1", "Namespace", &WITH_CONDITIONS),
    ("v1", "Node", &NODE),
    ("v1", "PersistentVolumeClaim", &WITH_CONDITIONS),
    ("v1", "ComponentStatus", &COMPONENT_STATUS),
    ("apps/v1", "DaemonSet", &CONTROLLER),
    ("apps/v1", "Deployment", &CONTROLLER),
    ("apps/v1", "ReplicaSet", &CONTROLLER),
    ("apps/v1", "StatefulSet", &CONTROLLER),
    ("batch/v1", "Job", &CONTROLLER),
    ("batch/v1", "CronJob", &CRON_JOB),
    ("batch/v1beta1", "CronJob", &CRON_JOB),
    ("policy/v1", "PodDisruptionBudget", &WITH_CONDITIONS),
    ("policy/v1beta1", "PodDisruptionBudget", &WITH_CONDITIONS),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", &WEBHOOKS),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", &WEBHOOKS),
    ("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", &WEBHOOKS),
    ("admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", &WEBHOOKS),
    ("apiregistration.k8s.io/v1", "APIService", &WITH_CONDITIONS),
    ("apiregistration.k8s.io/v1beta1", "APIService", &WITH_CONDITIONS),
    ("storage.k8s.io/v1", "CSINode", &CSI_NODE),
    ("storage.k8s.io/v1beta1", "CSINode", &CSI_NODE),
    ("kustomize.config.k8s.io/v1beta1", "Kustomization", &KUSTOMIZATION),
];

/// Kinds whose metadata alone have such lists.
static PLAIN: &[(&str, &[&str])] = &[
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("apiextensions.k8s.io/v1beta1", &["CustomResourceDefinition"]),
    ("apps/v1", &["ControllerRevision"]),
    ("authentication.k8s.io/v1", &["TokenRequest", "TokenReview"]),
    ("authentication.k8s.io/v1beta1", &["TokenReview"]),
    (
        "authorization.k8s.io/v1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    (
        "authorization.k8s.io/v1beta1",
        &[
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ],
    ),
    ("autoscaling/v1", &["HorizontalPodAutoscaler", "Scale"]),
    ("autoscaling/v2beta1", &["HorizontalPodAutoscaler"]),
    ("autoscaling/v2beta2", &["HorizontalPodAutoscaler"]),
    ("certificates.k8s.io/v1", &["CertificateSigningRequest"]),
    ("certificates.k8s.io/v1beta1", &["CertificateSigningRequest"]),
    ("coordination.k8s.io/v1", &["Lease"]),
    ("coordination.k8s.io/v1beta1", &["Lease"]),
    ("discovery.k8s.io/v1", &["EndpointSlice"]),
    ("discovery.k8s.io/v1beta1", &["EndpointSlice"]),
    ("events.k8s.io/v1", &["Event"]),
    ("events.k8s.io/v1beta1", &["Event"]),
    ("extensions/v1beta1", &["Ingress"]),
    ("flowcontrol.apiserver.k8s.io/v1beta1", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io/v1", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("networking.k8s.io/v1beta1", &["Ingress", "IngressClass"]),
    ("node.k8s.io/v1", &["RuntimeClass"]),
    ("node.k8s.io/v1beta1", &["RuntimeClass"]),
    ("policy/v1beta1", &["Eviction", "PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io/v1", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    ("rbac.authorization.k8s.io/v1beta1", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    ("scheduling.k8s.io/v1", &["PriorityClass"]),
    ("scheduling.k8s.io/v1beta1", &["PriorityClass"]),
    ("storage.k8s.io/v1", &["CSIDriver", "StorageClass", "VolumeAttachment"]),
    ("storage.k8s.io/v1beta1", &["CSIDriver", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"]),
    (
        "v1",
        &[
            "Binding",
            "ConfigMap",
            "Endpoints",
            "Event",
            "LimitRange",
            "PersistentVolume",
            "ResourceQuota",
            "Secret",
        ],
    ),
];
