//! Standards, Restricted, "Running as Non-root user (v1.23+)": nobody asks for user 0.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.runAsUser` of the Pod and of every container | unset, any number but 0 |
//!
//! `runAsUser: 0` in a container gives `container "a" must not set runAsUser=0`. Since v1.35 a Pod in a user namespace
//! (`hostUsers: false`) is not asked.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Bits, Findings, Place, Pod};
use crate::words::{Found, setters};

pub(super) static CHECK: Check = Check {
    id: "runAsUser",
    level: Level::Restricted,
    section: "Running as Non-root user",
    fields: &[
        "spec.securityContext.runAsUser",
        "spec.initContainers[*].securityContext.runAsUser",
        "spec.containers[*].securityContext.runAsUser",
        "spec.ephemeralContainers[*].securityContext.runAsUser",
    ],
    revisions: &[Revision::new(23, run_as_user_1_23), Revision::new(35, run_as_user_1_35)],
    reason: Reason::Fixed("runAsUser=0"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn run_as_user_1_23(pod: &Pod<'_>, findings: &mut Findings) {
    forbid_root(&pod.spec, findings);
    for container in pod.containers(findings) {
        forbid_root(&container, findings);
    }
}

fn run_as_user_1_35(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.has_user_namespace(findings) {
        run_as_user_1_23(pod, findings);
    }
}

fn forbid_root(place: &Place<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "runAsUser"];
    if place.integer(keys, Bits::Int64, findings) == Some(0) {
        place.forbid(keys, 0, findings);
    }
}

fn detail(found: &Found<'_>) -> String {
    format!("{} must not set runAsUser=0", setters(found))
}
