//! Standards, Baseline, "Host Namespaces": a Pod does not share the node's network, processes or IPC.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `spec.hostNetwork`, `spec.hostPID`, `spec.hostIPC` | unset, false |
//!
//! `hostPID: true` gives the detail `hostPID=true`.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Keys, Pod};
use crate::words::Found;
use engine_json::Segment;

pub(super) static CHECK: Check = Check {
    id: "hostNamespaces",
    level: Level::Baseline,
    section: "Host Namespaces",
    fields: &["spec.hostNetwork", "spec.hostPID", "spec.hostIPC"],
    revisions: &[Revision::new(0, host_namespaces_1_0)],
    reason: Reason::Fixed("host namespaces"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn host_namespaces_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    let fields: [&'static Keys; 3] = [&["hostNetwork"], &["hostPID"], &["hostIPC"]];
    for keys in fields {
        if pod.spec.bool(keys, findings) == Some(true) {
            pod.spec.forbid(keys, true, findings);
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    let last = found.iter().filter_map(|violation| violation.path.last());
    let fields = last.map(|segment| match segment {
        Segment::Key(key) => format!("{key}=true"),
        Segment::Index(at) => format!("{at}=true"),
    });
    fields.collect::<Vec<_>>().join(", ")
}
