//! Standards, Baseline, "Sysctls": only kernel settings that stay inside the Pod.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `spec.securityContext.sysctls[*].name` | the names in `ALLOWED`, each from the version beside it |
//!
//! `name: kernel.msgmax` gives the detail `kernel.msgmax`; names count as written, with dots.

use crate::Level;
use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::Found;
use engine_json::Value;

/// The settings a Pod may ask for, and the minor version that first allowed them.
const ALLOWED: &[(u64, &str)] = &[
    (0, "kernel.shm_rmid_forced"),
    (0, "net.ipv4.ip_local_port_range"),
    (0, "net.ipv4.tcp_syncookies"),
    (0, "net.ipv4.ping_group_range"),
    (0, "net.ipv4.ip_unprivileged_port_start"),
    (27, "net.ipv4.ip_local_reserved_ports"),
    (29, "net.ipv4.tcp_keepalive_time"),
    (29, "net.ipv4.tcp_fin_timeout"),
    (29, "net.ipv4.tcp_keepalive_intvl"),
    (29, "net.ipv4.tcp_keepalive_probes"),
    (32, "net.ipv4.tcp_rmem"),
    (32, "net.ipv4.tcp_wmem"),
    (37, "net.ipv4.tcp_slow_start_after_idle"),
    (37, "net.ipv4.tcp_notsent_lowat"),
];

pub(super) static CHECK: Check = Check {
    id: "sysctls",
    level: Level::Baseline,
    section: "Sysctls",
    fields: &["spec.securityContext.sysctls[*].name"],
    revisions: &[
        Revision::new(0, |pod, findings| sysctls(pod, 0, findings)),
        Revision::new(27, |pod, findings| sysctls(pod, 27, findings)),
        Revision::new(29, |pod, findings| sysctls(pod, 29, findings)),
        Revision::new(32, |pod, findings| sysctls(pod, 32, findings)),
        Revision::new(37, |pod, findings| sysctls(pod, 37, findings)),
    ],
    reason: Reason::Fixed("forbidden sysctls"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn sysctls(pod: &Pod<'_>, minor: u64, findings: &mut Findings) {
    for sysctl in pod.spec.items(&["securityContext", "sysctls"], findings) {
        let name = sysctl.text(&["name"], findings).unwrap_or("");
        let is_allowed = ALLOWED.iter().any(|(since, allowed)| *since <= minor && *allowed == name);
        if !is_allowed && !findings.is_unread(&sysctl, &["name"]) {
            sysctl.forbid(&["name"], name, findings);
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    let names = found.iter().map(|violation| violation.value.as_ref().and_then(Value::as_str).unwrap_or(""));
    names.collect::<Vec<_>>().join(", ")
}
