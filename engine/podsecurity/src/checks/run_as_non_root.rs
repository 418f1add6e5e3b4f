//! Standards, Restricted, "Running as Non-root": the image's user must not be root, and the Pod must say so.
//!
//! | restricted fields | allowed values |
//! |---|---|
//! | `securityContext.runAsNonRoot` of the Pod and of every container | true; unset in a container when the Pod says true |
//!
//! Without the field anywhere: `pod or container "a" must set securityContext.runAsNonRoot=true`. Since v1.35 a Pod in a
//! user namespace (`hostUsers: false`) is not asked.

use crate::check::{Check, Reason, Revision};
use crate::place::{Findings, Pod};
use crate::words::{Found, containers, setters};
use crate::{Fault, Level};

pub(super) static CHECK: Check = Check {
    id: "runAsNonRoot",
    level: Level::Restricted,
    section: "Running as Non-root",
    fields: &[
        "spec.securityContext.runAsNonRoot",
        "spec.initContainers[*].securityContext.runAsNonRoot",
        "spec.containers[*].securityContext.runAsNonRoot",
        "spec.ephemeralContainers[*].securityContext.runAsNonRoot",
    ],
    revisions: &[Revision::new(0, run_as_non_root_1_0), Revision::new(35, run_as_non_root_1_35)],
    reason: Reason::Fixed("runAsNonRoot != true"),
    detail: |found| sentences(found).into_iter().next().unwrap_or_default(),
    // Kyverno: the fork says both sentences where upstream stops after the first.
    fork_detail: Some(|found| sentences(found).join("\n")),
    lists_fields: true,
};

fn run_as_non_root_1_0(pod: &Pod<'_>, findings: &mut Findings) {
    let keys = &["securityContext", "runAsNonRoot"];
    let of_pod = pod.spec.bool(keys, findings);
    if of_pod == Some(false) {
        pod.spec.forbid(keys, false, findings);
    }
    let containers = pod.containers(findings);
    let mut silent = Vec::new();
    for container in &containers {
        match container.bool(keys, findings) {
            Some(true) => {}
            Some(false) => container.forbid(keys, false, findings),
            None if findings.is_unread(container, keys) || findings.is_unread(&pod.spec, keys) => {}
            None => silent.push(container),
        }
    }
    if of_pod != Some(true) {
        for container in silent {
            container.note(keys, None, Fault::Required, findings);
        }
    }
}

fn run_as_non_root_1_35(pod: &Pod<'_>, findings: &mut Findings) {
    if !pod.has_user_namespace(findings) {
        run_as_non_root_1_0(pod, findings);
    }
}

/// What is said to those who said false, then to those who said nothing.
fn sentences(found: &Found<'_>) -> Vec<String> {
    let (silent, explicit): (Vec<_>, Vec<_>) =
        found.iter().partition(|violation| violation.fault == Fault::Required);
    let mut sentences = Vec::new();
    if !explicit.is_empty() {
        sentences.push(format!("{} must not set securityContext.runAsNonRoot=false", setters(&explicit)));
    }
    if !silent.is_empty() {
        sentences.push(format!("pod or {} must set securityContext.runAsNonRoot=true", containers(&silent)));
    }
    sentences
}
