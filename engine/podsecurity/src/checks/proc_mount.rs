//! Standards, Baseline, "/proc Mount Type": the masks over `/proc` stay.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.procMount` of every container | unset, `Default` |
//!
//! `procMount: Unmasked` gives `container "a" must not set securityContext.procMount to "Unmasked"`. Since v1.35 a Pod in
//! a user namespace (`hostUsers: false`) is not asked at this level; restricted has its own check from then on.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers, quoted, values};

/// The fields that both levels restrict.
pub(super) const FIELDS: &[&str] = &[
    "spec.initContainers[*].securityContext.procMount",
    "spec.containers[*].securityContext.procMount",
    "spec.ephemeralContainers[*].securityContext.procMount",
];

pub(super) static CHECK: Check = Check {
    id: "procMount",
    level: Level::Baseline,
    section: "/proc Mount Type",
    fields: FIELDS,
    revisions: &[Revision::new(0, proc_mount_1_0), Revision::new(35, proc_mount_1_35)],
    reason: Reason::Fixed("procMount"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

/// Asks every Pod.
pub(super) fn proc_mount_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "procMount"];
    for container in pod.containers(findings) {
        match container.text(keys, findings) {
            None | Some("Default") => {}
            Some(other) => container.forbid(keys, other, findings),
        }
    }
}

fn proc_mount_1_35(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.has_user_namespace(findings) {
        proc_mount_1_0(pod, findings);
    }
}

/// The sentence of both levels.
pub(super) fn detail(found: &Found<'_>) -> String {
    format!("{} must not set securityContext.procMount to {}", containers(found), quoted(values(found)))
}
