//! Standards, Baseline, "AppArmor": the profile of the runtime may be replaced by a local one, not switched off.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.appArmorProfile.type` of the Pod and of every container | unset, `RuntimeDefault`, `Localhost` |
//! | annotations `container.apparmor.security.beta.kubernetes.io/*` | unset, empty, `runtime/default`, `localhost/*` |
//!
//! An annotation counts whether or not the container it names is there. `Unconfined` in the Pod gives
//! `pod must not set AppArmor profile type to "Unconfined"`.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Place, Pod};
use crate::words::{Found, annotation, plural, quoted, setters, values};
use crate::{Level, Subject};
use engine_json::arrange::Arrange as _;

const ANNOTATION_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";

pub(super) static CHECK: Check = Check {
    id: "appArmorProfile",
    level: Level::Baseline,
    section: "AppArmor",
    fields: &[
        "metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]",
        "spec.securityContext.appArmorProfile.type",
        "spec.initContainers[*].securityContext.appArmorProfile.type",
        "spec.containers[*].securityContext.appArmorProfile.type",
        "spec.ephemeralContainers[*].securityContext.appArmorProfile.type",
    ],
    revisions: &[Revision::new(0, app_armor_profile_1_0)],
    reason: Reason::Counted {
        one: "forbidden AppArmor profile",
        many: "forbidden AppArmor profiles",
        count: |found| profiles(found).len(),
    },
    detail,
    fork_detail: None,
    lists_fields: true,
};

fn app_armor_profile_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    type_of(&pod.spec, findings);
    for container in pod.containers(findings) {
        type_of(&container, findings);
    }
    for (key, value) in pod.annotations(|key| key.starts_with(ANNOTATION_PREFIX), findings) {
        if !value.is_empty() && value != "runtime/default" && !value.starts_with("localhost/") {
            findings.forbid_annotation(key, value);
        }
    }
}

fn type_of(place: &Place<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "appArmorProfile", "type"];
    let Some(_) = place.map(&["securityContext", "appArmorProfile"], findings) else { return };
    let profile = place.text(keys, findings);
    if !matches!(profile, Some("RuntimeDefault" | "Localhost")) && !findings.is_unread(place, keys) {
        place.forbid(keys, profile.unwrap_or(""), findings);
    }
}

/// The refused types, then the refused annotations as `key="value"`, each part sorted.
fn profiles(found: &Found<'_>) -> Vec<String> {
    let (annotations, fields): (Vec<_>, Vec<_>) =
        found.iter().partition(|violation| violation.subject == Subject::Annotation);
    let mut texts: Vec<String> = annotations.into_iter().map(annotation).collect();
    texts.arrange();
    values(&fields).into_iter().chain(texts).collect()
}

fn detail(found: &Found<'_>) -> String {
    let annotations = found.iter().filter(|violation| violation.subject == Subject::Annotation).count();
    let mut who: Vec<String> = vec![setters(found)];
    if annotations > 0 {
        who.push(plural(annotations, "annotation", "annotations").to_owned());
    }
    who.retain(|part| !part.is_empty());
    format!("{} must not set AppArmor profile type to {}", who.join(" and "), quoted(profiles(found)))
}
