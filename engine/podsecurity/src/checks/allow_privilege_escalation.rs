//! Standards, Restricted, "Privilege Escalation (v1.8+)": no process may gain more rights than its parent.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.allowPrivilegeEscalation` of every container | false; it must be said |
//!
//! `containers: [{name: a}]` is refused: `container "a" must set securityContext.allowPrivilegeEscalation=false`.
//! Since v1.25 Pods with `os.name: windows` are not asked.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers};
use crate::{Fault, Level};

pub(super) static CHECK: Check = Check {
    id: "allowPrivilegeEscalation",
    level: Level::Restricted,
    section: "Privilege Escalation",
    fields: &[
        "spec.initContainers[*].securityContext.allowPrivilegeEscalation",
        "spec.containers[*].securityContext.allowPrivilegeEscalation",
        "spec.ephemeralContainers[*].securityContext.allowPrivilegeEscalation",
    ],
    revisions: &[
        Revision::new(8, allow_privilege_escalation_1_8),
        Revision::new(25, allow_privilege_escalation_1_25),
    ],
    reason: Reason::Fixed("allowPrivilegeEscalation != false"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn allow_privilege_escalation_1_8(pod: &Pod<'_>, findings: &mut Findings) {
    for container in pod.containers(findings) {
        let context = container.map(&["securityContext"], findings);
        let keys = &["securityContext", "allowPrivilegeEscalation"];
        match container.bool(keys, findings) {
            Some(false) => {}
            Some(true) => container.forbid(keys, true, findings),
            None if findings.is_unread(&container, keys) => {}
            // Kyverno: check_allowPrivilegeEscalation.go lists a forbidden "nil" beside other settings, and a
            // required value where there is no security context at all.
            None if context.is_some() => container.note(keys, None, Fault::Unset, findings),
            None => container.note(keys, None, Fault::Required, findings),
        }
    }
}

fn allow_privilege_escalation_1_25(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.is_windows(findings) {
        allow_privilege_escalation_1_8(pod, findings);
    }
}

fn detail(found: &Found<'_>) -> String {
    format!("{} must set securityContext.allowPrivilegeEscalation=false", containers(found))
}
