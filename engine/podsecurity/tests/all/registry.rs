//! The rules of the table of checks, as the original's own registry demands them.

use engine_podsecurity::{CHECKS, Level, NEWEST_MINOR, Reason, Version, applicable};
use std::collections::BTreeSet;

#[test]
fn ids_are_unique_and_in_the_order_of_the_results() {
    let ids: BTreeSet<&str> = CHECKS.iter().map(|check| check.id).collect();
    assert_eq!(ids.len(), CHECKS.len());
    assert!(CHECKS.is_sorted_by_key(|check| (check.level, check.id)));
    assert!(CHECKS.iter().all(|check| check.level != Level::Privileged));
}

#[test]
fn revisions_increase_and_none_is_newer_than_the_newest() {
    for check in CHECKS {
        let since: Vec<u64> = check.revisions.iter().map(|revision| revision.since).collect();
        assert!(!since.is_empty(), "{}", check.id);
        assert!(since.windows(2).all(|pair| pair[0] < pair[1]), "{}: {since:?}", check.id);
        assert!(since.iter().all(|since| *since <= NEWEST_MINOR), "{}: {since:?}", check.id);
    }
    let newest = CHECKS.iter().flat_map(|check| check.revisions).map(|revision| revision.since).max();
    assert_eq!(newest, Some(NEWEST_MINOR));
}

#[test]
fn only_restricted_checks_override_and_only_baseline_checks_are_overridden() {
    for check in CHECKS {
        for overridden in check.revisions.iter().flat_map(|revision| revision.overrides) {
            assert_eq!(check.level, Level::Restricted, "{}", check.id);
            let target = CHECKS.iter().find(|other| other.id == *overridden).unwrap();
            assert_eq!(target.level, Level::Baseline, "{}", check.id);
        }
    }
}

#[test]
fn every_check_says_what_it_is_about() {
    for check in CHECKS {
        assert!(!check.section.is_empty() && !check.fields.is_empty(), "{}", check.id);
        let reason = match check.reason {
            Reason::Fixed(reason) | Reason::Counted { one: reason, .. } => reason,
        };
        assert!(!reason.is_empty(), "{}", check.id);
    }
}

#[test]
fn a_version_from_the_future_is_the_newest_and_keeps_its_name() {
    let ids = |version| applicable(Level::Restricted, version).map(|(check, _)| check.id).collect::<Vec<_>>();
    let future = Version::parse("v1.99").unwrap();
    assert_eq!(ids(future), ids(Version::Latest));
    assert_eq!(future.to_string(), "v1.99");
    assert_eq!(applicable(Level::Privileged, Version::Latest).count(), 0);
    for bad in
        ["", "v1", "v1.", "v1.01", "V1.2", "v1.2 ", "v1.-2", "v2.0", "v1.9223372036854775808", "Latest"]
    {
        assert_eq!(Version::parse(bad), None, "{bad:?}");
    }
}
