//! The control names that a Kyverno policy may exclude.
//!
//! In: `Capabilities`. Out: the ids of its checks, the level they begin at, and whether an exclusion must name images.
//!
//! Mirrors: pkg/pss/utils/mapping.go

use crate::Level;

/// Whether an exclusion of a control names images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Images {
    /// It must: the control is about containers.
    Required,
    /// It may: the control is about the Pod and its containers.
    Optional,
    /// It must not: the control is about the Pod.
    Forbidden,
}

/// A control of the Pod Security Standards, as policies call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The name: `Host Ports`.
    pub name: &'static str,
    /// The ids of its checks.
    pub checks: &'static [&'static str],
    /// The level from which on it may be excluded.
    pub level: Level,
    /// Whether images are named.
    pub images: Images,
}

const fn row(name: &'static str, checks: &'static [&'static str], level: Level, images: Images) -> Control {
    Control { name, checks, level, images }
}

/// All controls; the check of probes and lifecycle hosts has none and cannot be excluded.
pub const CONTROLS: [Control; 15] = [
    row(
        "Capabilities",
        &["capabilities_baseline", "capabilities_restricted"],
        Level::Baseline,
        Images::Required,
    ),
    row(
        "Seccomp",
        &["seccompProfile_baseline", "seccompProfile_restricted"],
        Level::Baseline,
        Images::Optional,
    ),
    row("Privileged Containers", &["privileged"], Level::Baseline, Images::Required),
    row("Host Ports", &["hostPorts"], Level::Baseline, Images::Required),
    row("/proc Mount Type", &["procMount"], Level::Baseline, Images::Required),
    row("HostProcess", &["windowsHostProcess"], Level::Baseline, Images::Optional),
    row("SELinux", &["seLinuxOptions"], Level::Baseline, Images::Optional),
    row("Host Namespaces", &["hostNamespaces"], Level::Baseline, Images::Forbidden),
    row("HostPath Volumes", &["hostPathVolumes"], Level::Baseline, Images::Forbidden),
    row("Sysctls", &["sysctls"], Level::Baseline, Images::Forbidden),
    row("AppArmor", &["appArmorProfile"], Level::Baseline, Images::Optional),
    row("Privilege Escalation", &["allowPrivilegeEscalation"], Level::Restricted, Images::Required),
    row("Running as Non-root", &["runAsNonRoot"], Level::Restricted, Images::Optional),
    row("Running as Non-root user", &["runAsUser"], Level::Restricted, Images::Optional),
    row("Volume Types", &["restrictedVolumes"], Level::Restricted, Images::Forbidden),
];

/// The control that a check belongs to.
pub fn control_of(check: &str) -> Option<&'static Control> {
    CONTROLS.iter().find(|control| control.checks.contains(&check))
}
