//! Schedules: what is one, and when it is due.

use crate::cron::Cron;
use crate::time::Time;

fn due(schedule: &str, after: &str, count: usize) -> Vec<String> {
    let cron = Cron::parse(schedule).unwrap();
    let mut at = Time::parse_rfc3339(after).unwrap().unix;
    let mut found = Vec::new();
    for _ in 0..count {
        let Some(next) = cron.next(at) else { break };
        found.push(Time::from_unix(next, 0).to_rfc3339());
        at = next;
    }
    found
}

#[test]
fn the_next_moments_come_in_order() {
    assert_eq!(
        due("*/20 * * * *", "2026-01-31T23:39:59Z", 3),
        ["2026-01-31T23:40:00Z", "2026-02-01T00:00:00Z", "2026-02-01T00:20:00Z"]
    );
    assert_eq!(
        due("0 2 * * mon-fri", "2026-11-20T02:00:00Z", 2),
        ["2026-11-23T02:00:00Z", "2026-11-24T02:00:00Z"]
    );
    assert_eq!(due("@monthly", "2026-12-15T10:00:00Z", 1), ["2027-01-01T00:00:00Z"]);
    assert_eq!(due("5/25 3 * * *", "2026-01-01T00:00:00Z", 3).len(), 3);
    assert_eq!(
        due("5/25 3 * * *", "2026-01-01T03:06:00Z", 2),
        ["2026-01-01T03:30:00Z", "2026-01-01T03:55:00Z"]
    );
}

#[test]
fn a_day_of_the_month_or_of_the_week_is_enough_where_both_are_named() {
    assert_eq!(
        due("0 0 15 * sun", "2026-11-10T00:00:00Z", 3),
        ["2026-11-15T00:00:00Z", "2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z"]
    );
    assert_eq!(due("0 0 * 2 0", "2026-02-02T00:00:00Z", 1), ["2026-02-08T00:00:00Z"]);
}

#[test]
fn a_rare_day_is_found_and_one_that_never_comes_is_not() {
    assert_eq!(due("0 0 29 2 *", "2097-01-01T00:00:00Z", 1), ["2104-02-29T00:00:00Z"]);
    assert_eq!(due("0 0 31 2 *", "2026-01-01T00:00:00Z", 1), Vec::<String>::new());
}

#[test]
fn what_a_cluster_does_not_accept_is_no_schedule() {
    for text in ["", "hello", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *"]
    {
        assert!(Cron::parse(text).is_err(), "{text}");
    }
    for text in
        ["* * * * 7", "5-1 * * * *", "*/0 * * * *", "@every 1h", "@nightly", "1,,2 * * * *", "L * * * *"]
    {
        assert!(Cron::parse(text).is_err(), "{text}");
    }
}
