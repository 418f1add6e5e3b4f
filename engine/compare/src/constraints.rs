//! What Kubernetes' types ask of their fields: which are needed, of which there is one at most, which hold one of a few texts.
//!
//! In: the name of a type, and what an object has there. Out: whether it may be so, and what is filled in so that it may. What completes
//! objects and what refuses them both read these rows.
//! Mirrors: k8s.io/kubernetes/pkg/apis/{core,rbac,networking,policy}/validation/validation.go

use engine_json::{Map, Value};

/// A type, a field without which none is taken, and, in the words of YAML, what stands there where nothing else does.
type Needed = (&'static str, &'static str, &'static str);

const NEEDED: [Needed; 40] = [
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
    ("core.v1.ConfigMapProjection", "name", "x"),
    ("core.v1.SecretProjection", "name", "x"),
    ("core.v1.ServiceAccountTokenProjection", "path", "x"),
    ("core.v1.KeyToPath", "key", "x"),
    ("core.v1.KeyToPath", "path", "x"),
    // validateContainerPorts, validateHandler
    ("core.v1.ContainerPort", "containerPort", "80"),
    ("core.v1.ExecAction", "command", "[x]"),
    ("core.v1.HTTPGetAction", "port", "80"),
    ("core.v1.TCPSocketAction", "port", "80"),
    ("core.v1.GRPCAction", "port", "80"),
    // ValidateService
    ("core.v1.ServicePort", "port", "80"),
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
    ("meta.v1.LabelSelectorRequirement", "operator", "Exists"),
    // ValidateOwnerReferences
    ("meta.v1.OwnerReference", "apiVersion", "v1"),
    ("meta.v1.OwnerReference", "kind", "X"),
    ("meta.v1.OwnerReference", "name", "x"),
    ("meta.v1.OwnerReference", "uid", "x"),
];

/// Fields of a type of which one at most is there.
struct OneOf {
    of: &'static str,
    /// Those of one group may stand beside each other.
    groups: Groups,
    /// What stands there where one is needed and none is there.
    default: Option<(&'static str, &'static str)>,
    /// What is tried where others are read.
    tried: &'static [&'static str],
}

enum Groups {
    Are(&'static [&'static [&'static str]]),
    /// Every field but these is a group.
    AllBut(&'static [&'static str]),
}

const ONE_OF: [OneOf; 9] = [
    OneOf {
        of: "core.v1.Volume",
        groups: Groups::AllBut(&["name"]),
        default: None,
        tried: &["configMap", "emptyDir"],
    },
    OneOf {
        of: "core.v1.VolumeProjection",
        groups: Groups::AllBut(&[]),
        default: Some(("configMap", "{}")),
        tried: &["configMap", "secret"],
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
        tried: &["fieldRef", "configMapKeyRef"],
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
        tried: &["exec", "tcpSocket"],
    },
    OneOf {
        of: "core.v1.Probe",
        groups: Groups::Are(&[&["exec"], &["httpGet"], &["tcpSocket"], &["grpc"]]),
        default: Some(("tcpSocket", "{}")),
        tried: &["exec", "tcpSocket"],
    },
    OneOf {
        of: "networking.v1.NetworkPolicyPeer",
        groups: Groups::Are(&[&["ipBlock"], &["podSelector", "namespaceSelector"]]),
        default: Some(("podSelector", "{}")),
        tried: &["podSelector", "ipBlock"],
    },
    OneOf {
        of: "policy.v1.PodDisruptionBudgetSpec",
        groups: Groups::Are(&[&["minAvailable"], &["maxUnavailable"]]),
        default: None,
        tried: &[],
    },
];

/// A type, a field and the texts that it may hold, or the elements of the list that it is.
type Choices = (&'static str, &'static str, &'static [&'static str]);

const PROTOCOLS: &[&str] = &["TCP", "UDP", "SCTP"];
const PULLED: &[&str] = &["Always", "IfNotPresent", "Never"];

const CHOICES: [Choices; 14] = [
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
    ("rbac.v1.RoleRef", "kind", &["ClusterRole", "Role"]),
    ("rbac.v1.Subject", "kind", &["User", "Group", "ServiceAccount"]),
    ("meta.v1.LabelSelectorRequirement", "operator", &["In", "NotIn", "Exists", "DoesNotExist"]),
];

/// The texts that a field of a type may hold; nothing where it may hold any.
pub(crate) fn choices(of: &str, field: &str) -> &'static [&'static str] {
    let is_it = |(known, name, _): &&Choices| *known == of && *name == field;
    CHOICES.iter().find(is_it).map_or(&[], |(_, _, texts)| texts)
}

impl OneOf {
    fn of_type(of: &str) -> Option<&'static OneOf> {
        ONE_OF.iter().find(|one| one.of == of)
    }

    /// The group of a field, if it is in one.
    fn group(&self, field: &str) -> Option<usize> {
        match &self.groups {
            Groups::Are(groups) => groups.iter().position(|group| group.contains(&field)),
            Groups::AllBut(others) => (!others.contains(&field)).then_some(0),
        }
    }

    /// Whether two fields may not stand beside each other.
    fn excludes(&self, one: &str, other: &str) -> bool {
        let (Some(group), Some(other_group)) = (self.group(one), self.group(other)) else { return false };
        match self.groups {
            Groups::Are(_) => group != other_group,
            Groups::AllBut(_) => one != other,
        }
    }
}

/// A field that stands in place of the one of several that is read.
pub(crate) fn other_of(of: &str, is_read: impl Fn(&str) -> bool) -> Option<&'static str> {
    let one_of = OneOf::of_type(of)?;
    one_of.tried.iter().copied().find(|field| !is_read(field))
}

/// Whether a type takes none without the field.
pub(crate) fn is_needed(of: &str, field: &str) -> bool {
    NEEDED.iter().any(|(known, needed, _)| *known == of && *needed == field)
}

/// Takes away what may not stand beside a field.
pub(crate) fn keep_one(map: &mut Map, of: &str, field: &str) {
    let Some(one_of) = OneOf::of_type(of) else { return };
    let others: Vec<_> = map.keys().filter(|key| one_of.excludes(key, field)).cloned().collect();
    for other in others {
        map.remove(&other);
    }
}

/// Puts there what a type asks for.
pub(crate) fn fill_in(map: &mut Map, of: &str) {
    let put = |map: &mut Map, field: &'static str, text: &str| {
        map.insert(field, engine::yaml::parse_one(text).unwrap_or_default().with_int_numbers());
    };
    for (_, field, text) in NEEDED.iter().filter(|(known, _, _)| *known == of) {
        // A text without letters was put there.
        if map.get(field).is_none_or(|value| !is_there(value) && value.as_str().is_none()) {
            put(map, field, text);
        }
    }
    if let Some(one_of) = OneOf::of_type(of)
        && let Some((field, text)) = one_of.default
        && map.keys().all(|key| one_of.group(key).is_none())
    {
        put(map, field, text);
    }
}

/// Whether a map has what its type asks for.
pub(crate) fn are_met(map: &Map, of: &str) -> bool {
    let has = |field: &str| map.get(field).is_some_and(is_there);
    let are_there = NEEDED.iter().filter(|(known, _, _)| *known == of).all(|(_, field, _)| has(field));
    let is_one = OneOf::of_type(of).is_none_or(|one_of| {
        let mut there = map.keys().filter(|key| one_of.group(key).is_some());
        match there.next() {
            None => one_of.default.is_none(),
            Some(first) => there.all(|other| !one_of.excludes(first, other)),
        }
    });
    let is_choice = |(_, field, texts): &Choices| {
        let is_it = |value: &Value| value.as_str().is_none_or(|text| texts.contains(&text));
        match map.get(field) {
            Some(Value::Array(items)) => items.iter().all(is_it),
            Some(value) => is_it(value),
            None => true,
        }
    };
    are_there && is_one && CHOICES.iter().filter(|(known, _, _)| *known == of).all(is_choice)
}

/// Whether a value is there, and is not an empty text or list.
fn is_there(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
    }
}
