//! A level of Pod Security as policies, for Pods whose verdicts are recorded: each target decides as Kubernetes' admission does, and
//! excludes what Kyverno excludes.
//!
//! In: some of the recorded rows; `cargo run --release -p tests --bin compiled` asks all. Out: a failure for each row that differs.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as the test does")]

use engine_convert::podsecurity::Target;
use tests::compiled::attackers::recorded_exclusions;
use tests::compiled::{FILES, tally};
use tests::recorded::Recorded;
use tests::suites::EXCLUDED;

/// Of how many recorded Pods one is asked here.
const EVERY: usize = 120;

fn decides_as_recorded(target: Target) {
    let recorded = Recorded::all();
    for file in FILES.into_iter().filter(|(rows, _)| recorded.is_there_or_skip(rows)) {
        let tally = tally(&recorded, file, target, EVERY).unwrap();
        assert_eq!(tally.differing, Vec::<String>::new(), "{target:?} {file:?}");
        assert!(tally.rows > 50 && tally.same > tally.rows / 2, "{target:?} {file:?}: {tally:?}");
        // What differs is said by the rule of Kyverno alone.
        let may_differ = target == Target::Classic;
        assert!(may_differ || tally.same == tally.rows, "{target:?} {file:?}: {tally:?}");
    }
}

#[test]
fn validating_policies_decide_as_recorded() {
    decides_as_recorded(Target::ValidatingPolicies);
}

#[test]
fn an_admission_policy_decides_as_recorded() {
    decides_as_recorded(Target::AdmissionPolicy);
}

#[test]
fn a_rule_of_pod_security_decides_as_recorded() {
    decides_as_recorded(Target::Classic);
}

#[test]
fn classic_rules_in_cel_decide_as_recorded() {
    decides_as_recorded(Target::ClassicCel);
}

/// Lists of which Kyverno lifts more than they say, as docs/pod-security.md says; and one of volumes with a `hostPath` without a path, which
/// Kubernetes refuses.
const LOOSE: [&str; 3] = ["nonroot-pod", "seccomp-pod", "hostpath-values"];

fn excludes_what_kyverno_excludes(target: Target) {
    let recorded = Recorded::all();
    if !recorded.is_there_or_skip(EXCLUDED) {
        return;
    }
    for (exclude, asked) in recorded_exclusions(&recorded, target, 37).unwrap() {
        assert_eq!(asked.wider, Vec::<String>::new(), "{exclude}");
        let is_said = LOOSE.contains(&exclude.as_str());
        assert!(is_said || asked.stricter.is_empty(), "{exclude}: {:?}", asked.stricter);
    }
}

#[test]
fn validating_policies_exclude_what_kyverno_excludes() {
    excludes_what_kyverno_excludes(Target::ValidatingPolicies);
}

#[test]
fn an_admission_policy_excludes_what_kyverno_excludes() {
    excludes_what_kyverno_excludes(Target::AdmissionPolicy);
}
