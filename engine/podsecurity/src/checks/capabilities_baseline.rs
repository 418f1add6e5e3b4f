//! Standards, Baseline, "Capabilities": only capabilities that a container runtime gives by default may be added.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.capabilities.add` of every container | unset, empty, the names in `ALLOWED` |
//!
//! Names count as they are written, without `CAP_`. `add: [NET_RAW]` gives
//! `container "a" must not include "NET_RAW" in securityContext.capabilities.add`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers, quoted, sorted_list, values};

/// What a container may add.
const ALLOWED: &[&str] = &[
    "AUDIT_WRITE",
    "CHOWN",
    "DAC_OVERRIDE",
    "FOWNER",
    "FSETID",
    "KILL",
    "MKNOD",
    "NET_BIND_SERVICE",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_CHROOT",
];

pub(super) static CHECK: Check = Check {
    id: "capabilities_baseline",
    level: Level::Baseline,
    section: "Capabilities",
    fields: &[
        "spec.initContainers[*].securityContext.capabilities.add",
        "spec.containers[*].securityContext.capabilities.add",
        "spec.ephemeralContainers[*].securityContext.capabilities.add",
    ],
    revisions: &[Revision::new(0, capabilities_baseline_1_0)],
    reason: Reason::Fixed("non-default capabilities"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn capabilities_baseline_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    forbid_added(pod, ALLOWED, findings);
}

/// Notes for every container the capabilities that it adds beyond the allowed ones.
pub(super) fn forbid_added(pod: &Pod<'_>, allowed: &[&str], findings: &mut Findings) {
    for container in pod.containers(findings) {
        let keys = &["securityContext", "capabilities", "add"];
        let mut added = container.texts(keys, findings).unwrap_or_default();
        added.retain(|capability| !allowed.contains(capability));
        if !added.is_empty() {
            container.forbid(keys, sorted_list(added), findings);
        }
    }
}

/// The sentence about added capabilities.
pub(super) fn detail(found: &Found<'_>) -> String {
    let names = quoted(values(found));
    format!("{} must not include {names} in securityContext.capabilities.add", containers(found))
}
