//! Standards, Baseline, "HostProcess": no Windows container runs as a process of the node.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.windowsOptions.hostProcess` of the Pod and of every container | unset, false |
//!
//! `hostProcess: true` in the Pod gives `pod must not set securityContext.windowsOptions.hostProcess=true`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Place, Pod};
use crate::words::{Found, setters};

pub(super) static CHECK: Check = Check {
    id: "windowsHostProcess",
    level: Level::Baseline,
    section: "HostProcess",
    fields: &[
        "spec.securityContext.windowsOptions.hostProcess",
        "spec.initContainers[*].securityContext.windowsOptions.hostProcess",
        "spec.containers[*].securityContext.windowsOptions.hostProcess",
        "spec.ephemeralContainers[*].securityContext.windowsOptions.hostProcess",
    ],
    revisions: &[Revision::new(0, windows_host_process_1_0)],
    reason: Reason::Fixed("hostProcess"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn windows_host_process_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    forbid_host_process(&pod.spec, findings);
    for container in pod.containers(findings) {
        forbid_host_process(&container, findings);
    }
}

fn forbid_host_process(place: &Place<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "windowsOptions", "hostProcess"];
    if place.bool(keys, findings) == Some(true) {
        place.forbid(keys, true, findings);
    }
}

fn detail(found: &Found<'_>) -> String {
    format!("{} must not set securityContext.windowsOptions.hostProcess=true", setters(found))
}
