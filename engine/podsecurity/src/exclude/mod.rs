//! Pod Security as Kyverno's `podSecurity` subrule evaluates it, and its exclusions.
//!
//! In: a Pod, a level, a version, and what to exclude. Out: the checks that still fail, with the errors they still
//! list. Kyverno runs a fork of the library (of Kubernetes 1.34) check by check, so that its verdict is not that of
//! Pod Security Admission:
//!
//! * no check overrides another, and a check older than its first revision runs that revision;
//! * any level but `baseline`, `privileged` included, runs everything;
//! * the newest revisions are those of v1.34.
//!
//! ```
//! use engine_podsecurity::{Level, Version, exclude};
//! let pod = engine_json::parse(r#"{"kind":"Pod","spec":{"hostPID":true}}"#).unwrap();
//! let pod = exclude::pod_of(&pod).unwrap();
//! let policy = (Level::Baseline, Version::Latest);
//! let failed = exclude::evaluate(policy, &pod);
//! assert_eq!(
//!     exclude::failure_text(&failed, &str::to_owned),
//!     "(Forbidden reason: host namespaces, field error list: [spec.hostPID is forbidden, forbidden values found: true])"
//! );
//! let exclusion = exclude::Exclusion { control: "Host Namespaces".into(), ..Default::default() };
//! let left = exclude::apply(policy, &[exclusion], failed, &pod, &exclude::Wildcard(|pattern, text| pattern == text));
//! assert!(left.is_empty());
//! ```
//!
//! Mirrors: pkg/pss/evaluate.go

mod apply;
mod controls;
mod narrow;
mod text;
mod width;

use crate::place::Pod;
use crate::pod::of_template;
use crate::{CHECKS, Check, CheckResult, Level, PodView, Revision, Version};
use engine_json::Value;
use engine_json::arrange::Arrange as _;

pub use apply::{Exclusion, Wildcard, apply};
pub use controls::{CONTROLS, Control, Images, control_of};
pub use narrow::narrowest;
pub use text::{failure_text, listed_text, named_containers};
pub use width::{Part, Width, widths};

/// The newest minor version that the fork knows revisions of.
const FORK_MINOR: u64 = 34;

/// The Pod of an object, as Kyverno takes it: by the kind alone.
pub fn pod_of(object: &Value) -> Option<PodView<'_>> {
    match object.find_str(&["kind"]) {
        "Pod" => Some(PodView::whole(object)),
        "DaemonSet" | "Deployment" | "Job" | "StatefulSet" | "ReplicaSet" | "ReplicationController" => {
            Some(of_template(object))
        }
        // Kyverno: getSpec in validate_pss.go takes the metadata of the job template, not of the Pod template.
        "CronJob" => Some(PodView::at(
            object,
            &["spec", "jobTemplate", "metadata"],
            &["spec", "jobTemplate", "spec", "template", "spec"],
        )),
        _ => None,
    }
}

/// The checks that fail, in the order in which the fork runs them: by the bytes of their ids.
pub fn evaluate(policy: (Level, Version), pod: &PodView<'_>) -> Vec<CheckResult> {
    let pod = Pod::new(pod);
    let checks = applicable(policy).into_iter();
    let results =
        checks.map(|(check, revision)| check.run(revision, &pod, check.fork_detail.unwrap_or(check.detail)));
    results.filter(|result| !result.allowed).collect()
}

/// The checks of a level and a version, in the order in which the fork runs them, each with the revision that runs.
pub fn applicable((level, version): (Level, Version)) -> Vec<(&'static Check, &'static Revision)> {
    let minor = version.minor(FORK_MINOR);
    let in_fork = |check: &&&Check| check.revisions.first().is_some_and(|first| first.since <= FORK_MINOR);
    // Kyverno: only the level `baseline` leaves the restricted checks out.
    let asked = |check: &&&Check| level != Level::Baseline || check.level == Level::Baseline;
    let mut checks: Vec<_> = CHECKS.iter().filter(in_fork).filter(asked).collect();
    checks.arrange_by_key(|check| check.id);
    let chosen = |check: &'static Check| {
        // Kyverno: a check younger than the version runs its first revision instead of none.
        check.revision(minor).or(check.revisions.first()).map(|revision| (check, revision))
    };
    checks.into_iter().filter_map(|check| chosen(check)).collect()
}
