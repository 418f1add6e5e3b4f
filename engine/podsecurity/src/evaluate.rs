//! The checks of a level and a version, over a Pod.
//!
//! In: a level, a version, a Pod. Out: what each check says, in the order of the original: the baseline
//! checks by id, then the restricted ones by id.

use crate::check::{Check, CheckResult, Revision};
use crate::checks::CHECKS;
use crate::level::{Level, NEWEST_MINOR, Version};
use crate::place::Pod;
use crate::pod::PodView;

/// All checks of a level and a version, each with what it says of the Pod. Privileged has none.
pub fn evaluate(level: Level, version: Version, pod: &PodView<'_>) -> Vec<CheckResult> {
    let pod = Pod::new(pod);
    applicable(level, version).map(|(check, revision)| check.run(revision, &pod, check.detail)).collect()
}

/// The checks of a level and a version, in order, each with the revision that runs.
pub fn applicable(
    level: Level,
    version: Version,
) -> impl Iterator<Item = (&'static Check, &'static Revision)> {
    let minor = version.minor(NEWEST_MINOR);
    let overridden = move |id: &str| {
        let restricted = CHECKS.iter().filter(|check| level == Level::Restricted && check.level == level);
        restricted.filter_map(|check| check.revision(minor)).any(|revision| revision.overrides.contains(&id))
    };
    CHECKS
        .iter()
        .filter(move |check| check.level <= level && !overridden(check.id))
        .filter_map(move |check| check.revision(minor).map(|revision| (*check, revision)))
}
