//! Standards, Baseline, "SELinux": the type is one of the container types, user and role stay the runtime's.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.seLinuxOptions.type` of the Pod and of every container | unset, empty, `container_t`, `container_init_t`, `container_kvm_t`, since v1.31 `container_engine_t` |
//! | `securityContext.seLinuxOptions.user` and `.role` of the same | unset, empty |
//!
//! `type: spc_t` in the Pod gives `pod set forbidden securityContext.seLinuxOptions: type "spc_t"`. The level is free.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Keys, Place, Pod};
use crate::words::{Found, plural, quoted, setters, values};
use crate::{Level, Violation};
use engine_json::Segment;

const TYPES_1_0: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t"];
const TYPES_1_31: &[&str] = &["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"];

pub(super) static CHECK: Check = Check {
    id: "seLinuxOptions",
    level: Level::Baseline,
    section: "SELinux",
    fields: &[
        "spec.securityContext.seLinuxOptions.type",
        "spec.initContainers[*].securityContext.seLinuxOptions.type",
        "spec.containers[*].securityContext.seLinuxOptions.type",
        "spec.ephemeralContainers[*].securityContext.seLinuxOptions.type",
        "spec.securityContext.seLinuxOptions.user",
        "spec.initContainers[*].securityContext.seLinuxOptions.user",
        "spec.containers[*].securityContext.seLinuxOptions.user",
        "spec.ephemeralContainers[*].securityContext.seLinuxOptions.user",
        "spec.securityContext.seLinuxOptions.role",
        "spec.initContainers[*].securityContext.seLinuxOptions.role",
        "spec.containers[*].securityContext.seLinuxOptions.role",
        "spec.ephemeralContainers[*].securityContext.seLinuxOptions.role",
    ],
    revisions: &[
        Revision::new(0, |pod, findings| se_linux_options(pod, TYPES_1_0, findings)),
        Revision::new(31, |pod, findings| se_linux_options(pod, TYPES_1_31, findings)),
    ],
    reason: Reason::Fixed("seLinuxOptions"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn se_linux_options(pod: &Pod<'_>, types: &[&str], findings: &mut Findings) {
    options_of(&pod.spec, types, findings);
    for container in pod.containers(findings) {
        options_of(&container, types, findings);
    }
}

fn options_of(place: &Place<'_>, types: &[&str], findings: &mut Findings) {
    let fields: [(&'static Keys, &[&str]); 3] = [
        (&["securityContext", "seLinuxOptions", "type"], types),
        (&["securityContext", "seLinuxOptions", "user"], &[""]),
        (&["securityContext", "seLinuxOptions", "role"], &[""]),
    ];
    for (keys, allowed) in fields {
        match place.text(keys, findings) {
            Some(text) if !allowed.contains(&text) => place.forbid(keys, text, findings),
            Some(_) | None => {}
        }
    }
}

fn detail(found: &Found<'_>) -> String {
    let about = |key: &str| -> Vec<&Violation> {
        found.iter().filter(|violation| violation.path.last() == Some(&Segment::from(key))).copied().collect()
    };
    let mut parts = Vec::new();
    let types = values(&about("type"));
    if !types.is_empty() {
        parts.push(format!("{} {}", plural(types.len(), "type", "types"), quoted(types)));
    }
    if !about("user").is_empty() {
        parts.push("user may not be set".to_owned());
    }
    if !about("role").is_empty() {
        parts.push("role may not be set".to_owned());
    }
    format!("{} set forbidden securityContext.seLinuxOptions: {}", setters(found), parts.join("; "))
}
