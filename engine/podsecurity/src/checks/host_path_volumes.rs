//! Standards, Baseline, "HostPath Volumes": no volume is a folder of the node.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `spec.volumes[*].hostPath` | unset |
//!
//! `hostPath: {path: /etc}` in the volume `etc` gives `volume "etc"`; an empty `hostPath: {}` counts as set.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, plural, quoted};
use crate::{Level, Subject, Violation};

pub(super) static CHECK: Check = Check {
    id: "hostPathVolumes",
    level: Level::Baseline,
    section: "HostPath Volumes",
    fields: &["spec.volumes[*].hostPath"],
    revisions: &[Revision::new(0, host_path_volumes_1_0)],
    reason: Reason::Fixed("hostPath volumes"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn host_path_volumes_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    for volume in pod.volumes(findings) {
        if volume.map(&["hostPath"], findings).is_some() {
            let path = volume.text(&["hostPath", "path"], findings).unwrap_or("");
            volume.forbid(&["hostPath"], path, findings);
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    format!("{} {}", plural(found.len(), "volume", "volumes"), quoted(names(found)))
}

/// The names of the volumes found, in order.
pub(super) fn names<'v>(found: &[&'v Violation]) -> impl Iterator<Item = &'v str> {
    found.iter().map(|violation| match &violation.subject {
        Subject::Volume(name) => name.as_str(),
        Subject::Pod | Subject::Container(_) | Subject::Annotation => "",
    })
}
