//! Fields that hold one of a few texts.
//!
//! In: the name of a field. Out: the texts that an API server takes there. The search tries each of them, and nothing else.

/// Fields of Pods, of containers and of ports.
// Kubernetes: pkg/apis/core/validation: validateRestartPolicy, validateDNSPolicy, validatePreemptionPolicy, validatePullPolicy,
// validateContainerPorts.
const CHOICES: [(&str, &[&str]); 5] = [
    ("dnsPolicy", &["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
    ("imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
    ("preemptionPolicy", &["Never", "PreemptLowerPriority"]),
    ("protocol", &["TCP", "UDP", "SCTP"]),
    ("restartPolicy", &["Always", "OnFailure", "Never"]),
];

/// The texts that a field may hold; nothing where it may hold any.
pub(crate) fn choices(field: &str) -> &'static [&'static str] {
    CHOICES.iter().find(|(known, _)| *known == field).map_or(&[], |(_, texts)| texts)
}
