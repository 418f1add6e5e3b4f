//! Standards, Baseline, "Privileged Containers": no container runs without the walls of a container.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.privileged` of every container | unset, false |
//!
//! `privileged: true` gives `container "a" must not set securityContext.privileged=true`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers};

pub(super) static CHECK: Check = Check {
    id: "privileged",
    level: Level::Baseline,
    section: "Privileged Containers",
    fields: &[
        "spec.initContainers[*].securityContext.privileged",
        "spec.containers[*].securityContext.privileged",
        "spec.ephemeralContainers[*].securityContext.privileged",
    ],
    revisions: &[Revision::new(0, privileged_1_0)],
    reason: Reason::Fixed("privileged"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn privileged_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "privileged"];
    for container in pod.containers(findings) {
        if container.bool(keys, findings) == Some(true) {
            container.forbid(keys, true, findings);
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    format!("{} must not set securityContext.privileged=true", containers(found))
}
