//! Standards, Restricted, "Seccomp (v1.19+)": a filter must be set, and be the runtime's or a local one.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.seccompProfile.type` of the Pod and of every container | `RuntimeDefault`, `Localhost`; unset in a container when the Pod says one of them, and in the Pod when every container does |
//!
//! Without the field anywhere: `pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or
//! "Localhost"`. Overrides the baseline check. Since v1.25 Pods with `os.name: windows` are not asked.

use super::seccomp_profile_baseline::{Profile, detail as detail_of_bad, forbid_types};
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers};
use crate::{Fault, Level};

const OVERRIDES: &[&str] = &["seccompProfile_baseline"];

pub(super) static CHECK: Check = Check {
    id: "seccompProfile_restricted",
    level: Level::Restricted,
    section: "Seccomp",
    fields: &[
        "spec.securityContext.seccompProfile.type",
        "spec.initContainers[*].securityContext.seccompProfile.type",
        "spec.containers[*].securityContext.seccompProfile.type",
        "spec.ephemeralContainers[*].securityContext.seccompProfile.type",
    ],
    revisions: &[
        Revision { since: 19, overrides: OVERRIDES, run: seccomp_profile_restricted_1_19 },
        Revision { since: 25, overrides: OVERRIDES, run: seccomp_profile_restricted_1_25 },
    ],
    reason: Reason::Fixed("seccompProfile"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn seccomp_profile_restricted_1_19(pod: &Pod<'_>, findings: &mut Findings) {
    let of_pod = forbid_types(&pod.spec, findings);
    let mut silent = Vec::new();
    let containers = pod.containers(findings);
    for container in &containers {
        if forbid_types(container, findings) == Profile::Unset {
            silent.push(container);
        }
    }
    // Go: those who say nothing are named only when nobody says something bad.
    if of_pod != Profile::Good && findings.violations.is_empty() {
        for container in silent {
            container.note(&["securityContext", "seccompProfile", "type"], None, Fault::Required, findings);
        }
    }
}

fn seccomp_profile_restricted_1_25(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.is_windows(findings) {
        seccomp_profile_restricted_1_19(pod, findings);
    }
}

fn detail(found: &Found<'_>) -> String {
    if found.iter().any(|violation| violation.fault != Fault::Required) {
        return detail_of_bad(found);
    }
    let allowed = r#""RuntimeDefault" or "Localhost""#;
    format!("pod or {} must set securityContext.seccompProfile.type to {allowed}", containers(found))
}
