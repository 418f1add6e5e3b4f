//! Standards, Restricted, "Capabilities (v1.22+)": containers drop every capability and may add one.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.capabilities.drop` of every container | a list with `ALL` in it |
//! | `securityContext.capabilities.add` of every container | unset, empty, `NET_BIND_SERVICE` |
//!
//! `drop: [KILL]` gives `container "a" must set securityContext.capabilities.drop=["ALL"]`. Overrides the baseline
//! check. Since v1.25 Pods with `os.name: windows` are not asked.

use super::capabilities_baseline::{detail as detail_of_added, forbid_added};
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers, sorted_list};
use crate::{Fault, Level, Violation};
use engine_json::Segment;

const OVERRIDES: &[&str] = &["capabilities_baseline"];

pub(super) static CHECK: Check = Check {
    id: "capabilities_restricted",
    level: Level::Restricted,
    section: "Capabilities",
    fields: &[
        "spec.initContainers[*].securityContext.capabilities.drop",
        "spec.containers[*].securityContext.capabilities.drop",
        "spec.ephemeralContainers[*].securityContext.capabilities.drop",
        "spec.initContainers[*].securityContext.capabilities.add",
        "spec.containers[*].securityContext.capabilities.add",
        "spec.ephemeralContainers[*].securityContext.capabilities.add",
    ],
    revisions: &[
        Revision { since: 22, overrides: OVERRIDES, run: capabilities_restricted_1_22 },
        Revision { since: 25, overrides: OVERRIDES, run: capabilities_restricted_1_25 },
    ],
    reason: Reason::Fixed("unrestricted capabilities"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn capabilities_restricted_1_22(pod: &Pod<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "capabilities", "drop"];
    for container in pod.containers(findings) {
        match container.texts(keys, findings) {
            Some(dropped) if dropped.contains(&"ALL") => {}
            Some(dropped) if !dropped.is_empty() => container.forbid(keys, sorted_list(dropped), findings),
            Some(_) | None if findings.is_unread(&container, keys) => {}
            Some(_) | None => container.note(keys, None, Fault::Required, findings),
        }
    }
    forbid_added(pod, &["NET_BIND_SERVICE"], findings);
}

fn capabilities_restricted_1_25(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.is_windows(findings) {
        capabilities_restricted_1_22(pod, findings);
    }
}

fn detail(found: &Found<'_>) -> String {
    let is_about_drop = |violation: &&&Violation| violation.path.contains(&Segment::from("drop"));
    let (dropped, added): (Vec<_>, Vec<_>) = found.iter().partition(is_about_drop);
    let mut details = Vec::new();
    if !dropped.is_empty() {
        details
            .push(format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", containers(&dropped)));
    }
    if !added.is_empty() {
        details.push(detail_of_added(&added));
    }
    details.join("; ")
}
