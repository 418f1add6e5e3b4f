//! Standards, Baseline, "Seccomp": the filter of the runtime may be replaced by a local one, not switched off.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | since v1.19: `securityContext.seccompProfile.type` of the Pod and of every container | unset, `RuntimeDefault`, `Localhost` |
//! | before: annotations `seccomp.security.alpha.kubernetes.io/pod` and `container.seccomp.security.alpha.kubernetes.io/` with the name of a container | unset, `runtime/default`, `docker/default`, `localhost/*` |
//!
//! `type: Unconfined` gives `container "a" must not set securityContext.seccompProfile.type to "Unconfined"`.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Place, Pod};
use crate::words::{Found, annotation, plural, quoted, setters, values};
use crate::{Level, Subject};
use engine_json::ordered::{OrderedMap, OrderedSet};

const POD_ANNOTATION: &str = "seccomp.security.alpha.kubernetes.io/pod";
const CONTAINER_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";

pub(super) static CHECK: Check = Check {
    id: "seccompProfile_baseline",
    level: Level::Baseline,
    section: "Seccomp",
    fields: &[
        "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]",
        "metadata.annotations[container.seccomp.security.alpha.kubernetes.io/*]",
        "spec.securityContext.seccompProfile.type",
        "spec.initContainers[*].securityContext.seccompProfile.type",
        "spec.containers[*].securityContext.seccompProfile.type",
        "spec.ephemeralContainers[*].securityContext.seccompProfile.type",
    ],
    revisions: &[
        Revision::new(0, seccomp_profile_baseline_1_0),
        Revision::new(19, seccomp_profile_baseline_1_19),
    ],
    reason: Reason::Fixed("seccompProfile"),
    detail,
    fork_detail: None,
    lists_fields: true,
};

/// Reads the annotations of the time before the field.
fn seccomp_profile_baseline_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    let containers = pod.containers(findings);
    let mut named: OrderedMap<&str, usize> = OrderedMap::new();
    for container in &containers {
        *named.entry(container.container_name()).or_default() += 1;
    }
    let times = |key: &str| match key.strip_prefix(CONTAINER_PREFIX) {
        Some(name) => named.get(name).copied().unwrap_or(0),
        None => usize::from(key == POD_ANNOTATION),
    };
    for (key, value) in pod.annotations(|key| times(key) > 0, findings) {
        if matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/") {
            continue;
        }
        // Go: each container of that name adds the annotation once more to the list of fields.
        for _ in 0..times(key) {
            findings.forbid_annotation(key, value);
        }
    }
}

fn seccomp_profile_baseline_1_19(pod: &Pod<'_>, findings: &mut Findings) {
    forbid_types(&pod.spec, findings);
    for container in pod.containers(findings) {
        forbid_types(&container, findings);
    }
}

/// Whether the place sets a profile, good or bad; notes a bad one.
pub(super) fn forbid_types(place: &Place<'_>, findings: &mut Findings) -> Profile {
    let keys = &["securityContext", "seccompProfile", "type"];
    if place.map(&["securityContext", "seccompProfile"], findings).is_none() {
        return if findings.is_unread(place, keys) { Profile::Bad } else { Profile::Unset };
    }
    match place.text(keys, findings) {
        Some("RuntimeDefault" | "Localhost") => Profile::Good,
        other => {
            if !findings.is_unread(place, keys) {
                place.forbid(keys, other.unwrap_or(""), findings);
            }
            Profile::Bad
        }
    }
}

/// What a place says of its profile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    /// Nothing.
    Unset,
    /// Something allowed.
    Good,
    /// Something else.
    Bad,
}

/// The sentence about profiles that are set and not allowed.
pub(super) fn detail(found: &Found<'_>) -> String {
    if found.iter().any(|violation| violation.subject == Subject::Annotation) {
        let texts: OrderedSet<String> =
            engine_json::arrange::set(found.iter().map(|violation| annotation(violation)));
        let noun = plural(texts.len(), "annotation", "annotations");
        return format!("forbidden {noun} {}", texts.into_iter().collect::<Vec<_>>().join(", "));
    }
    format!(
        "{} must not set securityContext.seccompProfile.type to {}",
        setters(found),
        quoted(values(found))
    )
}
