//! In which versions of Kubernetes the verdict on an object changes.
//!
//! In: an object that is or makes a Pod. Out: stretches of versions with the same verdicts, and the checks that make
//! the difference where one begins.

use super::Object;
use crate::wire;
use engine_json::ordered::OrderedSet;
use engine_podsecurity::{CHECKS, Level, NEWEST_MINOR, PodView, Version, evaluate, pod_of};

/// The failing checks of baseline and of restricted.
type Failing = [OrderedSet<&'static str>; 2];

/// The stretches, from v1.0 to the newest version that any check knows.
pub(super) fn of_object(object: &Object) -> Vec<wire::PsaStretch> {
    let Some(pod) = pod_of(&object.value) else { return Vec::new() };
    let mut stretches: Vec<wire::PsaStretch> = Vec::new();
    let mut before: Option<Failing> = None;
    for minor in borders() {
        let failing = failing(&pod, minor);
        let verdict = |failing: &Failing| failing.each_ref().map(OrderedSet::is_empty);
        if before.as_ref().is_none_or(|before| verdict(before) != verdict(&failing)) {
            if let Some(last) = stretches.last_mut() {
                last.to = format!("v1.{}", minor.saturating_sub(1));
            }
            stretches.push(stretch(minor, before.as_ref(), &failing));
        }
        before = Some(failing);
    }
    stretches
}

fn stretch(minor: u64, before: Option<&Failing>, now: &Failing) -> wire::PsaStretch {
    let [baseline, restricted] = now;
    let all = |failing: &Failing| -> OrderedSet<&'static str> { failing.iter().flatten().copied().collect() };
    let (old, new) = (before.map(all).unwrap_or_default(), all(now));
    let only = |one: &OrderedSet<&str>, other: &OrderedSet<&str>| -> Vec<String> {
        let further = one.iter().filter(|id| !other.contains(**id));
        if before.is_none() { Vec::new() } else { further.map(|id| (*id).to_owned()).collect() }
    };
    wire::PsaStretch {
        from: format!("v1.{minor}"),
        to: format!("v1.{NEWEST_MINOR}"),
        baseline: baseline.is_empty(),
        restricted: restricted.is_empty(),
        starts: only(&new, &old),
        stops: only(&old, &new),
    }
}

/// The versions in which some check begins or changes: nothing changes between them.
fn borders() -> OrderedSet<u64> {
    let since = CHECKS.iter().flat_map(|check| check.revisions).map(|revision| revision.since);
    engine_json::arrange::set(since.chain([0]))
}

fn failing(pod: &PodView<'_>, minor: u64) -> Failing {
    [Level::Baseline, Level::Restricted].map(|level| {
        let results = evaluate(level, Version::Minor(minor), pod);
        results.iter().filter(|result| !result.allowed).map(|result| result.check.id).collect()
    })
}
