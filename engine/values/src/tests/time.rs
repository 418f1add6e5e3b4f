//! Times and layouts.

use super::text;
use crate::Duration;
use crate::time::{RFC3339, Time};

/// A layout, a text, and the time it is, written with its zone.
const CASES: &[(&str, &str, &str)] = &[
    (RFC3339, "2026-11-21T09:08:07Z", "2026-11-21T09:08:07 +00:00 UTC"),
    (RFC3339, "2026-11-21T09:08:07.123456789+05:30", "2026-11-21T09:08:07.123456789 +05:30 +0530"),
    (RFC3339, "2024-02-29T24:00:00Z", r#"parsing time "2024-02-29T24:00:00Z": hour out of range"#),
    (RFC3339, "2023-02-29T00:00:00Z", r#"parsing time "2023-02-29T00:00:00Z": day out of range"#),
    (
        RFC3339,
        "2026-11-21",
        r#"parsing time "2026-11-21" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T""#,
    ),
    (
        RFC3339,
        "2026-11-21T09:08:07",
        r#"parsing time "2026-11-21T09:08:07" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00""#,
    ),
    (RFC3339, "2026-11-21T9:08:07Z", "2026-11-21T09:08:07 +00:00 UTC"),
    (RFC3339, "2026-11-21T09:08:07+24:00", "2026-11-21T09:08:07 +24:00 +2400"),
    (
        RFC3339,
        "2026-11-21T09:08:07+25:00",
        r#"parsing time "2026-11-21T09:08:07+25:00": time zone offset hour out of range"#,
    ),
    ("Mon, 02 Jan 2006 15:04:05 MST", "Sat, 21 Nov 2026 09:08:07 GMT", "2026-11-21T09:08:07 +00:00 GMT"),
    ("Mon, 02 Jan 2006 15:04:05 MST", "Sat, 21 Nov 2026 09:08:07 GMT+3", "2026-11-21T12:08:07 +03:00 GMT+3"),
    (
        "Mon, 02 Jan 2006 15:04:05 -0700",
        "Sat, 21 Nov 2026 09:08:07 -0700",
        "2026-11-21T09:08:07 -07:00 -0700",
    ),
    ("Mon Jan _2 15:04:05 MST 2006", "Sat Nov 21 09:08:07 CET 2026", "2026-11-21T09:08:07 +00:00 CET"),
    ("Mon Jan _2 15:04:05 2006", "Sat Nov  1 09:08:07 2026", "2026-11-01T09:08:07 +00:00 UTC"),
    ("2006-002", "2024-060", "2024-02-29T00:00:00 +00:00 UTC"),
    ("2006-002", "2023-366", r#"parsing time "2023-366": day-of-year out of range"#),
    ("3:04PM", "12:30AM", "0000-01-01T00:30:00 +00:00 UTC"),
    ("3:04PM", "13:30AM", r#"parsing time "13:30AM": hour out of range"#),
    ("06", "69", "1969-01-01T00:00:00 +00:00 UTC"),
    ("06", "68", "2068-01-01T00:00:00 +00:00 UTC"),
    ("January 2, 2006", "march 9, 2001", "2001-03-09T00:00:00 +00:00 UTC"),
    ("Jan", "Foo", r#"parsing time "Foo" as "Jan": cannot parse "Foo" as "Jan""#),
    (
        "15:04:05,000",
        "10:11:12,5",
        r#"parsing time "10:11:12,5" as "15:04:05,000": cannot parse ",5" as ",000""#,
    ),
    ("15:04:05", "10:11:12,5", "0000-01-01T10:11:12.5 +00:00 UTC"),
    ("2006 extra", "2026 extra text", r#"parsing time "2026 extra text": extra text: " text""#),
    ("Month 1", "Month 13", r#"parsing time "Month 13": month out of range"#),
    ("-07:00:00", "-00:00:01", "0000-01-01T00:00:00 +00:00 UTC"),
    ("2006", "é026", r#"parsing time "\xc3\xa9026" as "2006": cannot parse "\xc3\xa9026" as "2006""#),
];

/// A layout, and the ninth of February 2024 half an hour west of three hours west of UTC written by it.
const LAYOUTS: &[(&str, &str)] = &[
    ("2006-01-02T15:04:05Z07:00", "2024-02-09T15:04:05-03:30"),
    ("2006-01-02T15:04:05.999999999Z07:00", "2024-02-09T15:04:05.06007-03:30"),
    ("Mon, 02 Jan 2006 15:04:05 MST", "Fri, 09 Feb 2024 15:04:05 -0330"),
    ("Monday, 02-Jan-06 15:04:05 MST", "Friday, 09-Feb-24 15:04:05 -0330"),
    ("Mon Jan _2 15:04:05 2006", "Fri Feb  9 15:04:05 2024"),
    ("3:04PM", "3:04PM"),
    ("Jan _2 15:04:05.000", "Feb  9 15:04:05.060"),
    ("Jan January Mon Monday", "Feb February Fri Friday"),
    ("1 01 2 _2 02 __2 002", "2 02 9  9 09  40 040"),
    ("3 03 15 4 04 5 05 06 2006", "3 03 15 4 04 5 05 24 2024"),
    ("PM pm", "PM pm"),
    (".0 .00 .999 ,9", ".0 .06 .06 "),
    ("Z07 Z0700 Z07:00 Z070000 Z07:00:00 -07", "-03 -0330 -03:30 -033000 -03:30:00 -03"),
    ("_2006 Month Janet .5 .09", "_2024 Month Janet .5 .09"),
];

#[test]
fn texts_are_read_as_in_go() {
    for (layout, input, output) in CASES {
        let time = Time::parse(layout, input);
        let shown = time.map(|time| time.format("2006-01-02T15:04:05.999999999 -07:00 MST"));
        assert_eq!(text(shown), *output, "{layout:?} {input:?}");
    }
}

#[test]
fn layouts_are_filled_as_in_go() {
    let offset = -(3 * 3600 + 30 * 60);
    let time = Time { unix: 1_707_503_645, nanoseconds: 60_070_000, offset, zone: "".into() };
    for (layout, output) in LAYOUTS {
        assert_eq!(time.format(layout), *output, "{layout:?}");
    }
}

#[test]
fn times_are_added_and_cut() {
    let time = Time::parse_rfc3339("2024-02-28T23:59:59.75+02:00").unwrap();
    let shown = |time: &Time| time.format("2006-01-02T15:04:05.999Z07:00");
    let parse = |text: &str| Duration::parse(text).unwrap();
    assert_eq!(shown(&time.plus(parse("500ms"))), "2024-02-29T00:00:00.25+02:00");
    assert_eq!(shown(&time.plus(parse("-24h"))), "2024-02-27T23:59:59.75+02:00");
    assert_eq!(shown(&time.truncate(parse("1h"))), "2024-02-28T23:00:00+02:00");
    assert_eq!(shown(&time.truncate(parse("7s"))), "2024-02-28T23:59:53+02:00");
    assert_eq!(shown(&time.utc()), "2024-02-28T21:59:59.75Z");
    assert_eq!(time.since(&Time::from_unix(1_709_157_600, 0)).to_string(), "-250ms");
    assert_eq!(Time::from_unix(i64::MAX, 0).since(&time), Duration(i64::MAX));
    assert!(time < time.plus(Duration(1)) && time == time.utc());
}

#[test]
fn the_calendar_goes_on_to_the_ends_of_int64() {
    let shown = |unix: i64| Time::from_unix(unix, 0).format("2006-01-02T15:04:05Z07:00 Mon 002");
    assert_eq!(shown(i64::MAX), "292277026596-12-04T15:30:07Z Sun 339");
    assert_eq!(shown(i64::MIN), "292277026596-12-04T15:30:08Z Sun 339");
    assert_eq!(shown(-9_223_371_966_579_724_800), "-292277020430-01-01T00:00:00Z Thu 001");
    assert_eq!(shown(-9_223_371_966_579_724_801), "-292277020431-12-31T23:59:59Z Wed 365");
    assert_eq!(shown(-62_135_596_800), "0001-01-01T00:00:00Z Mon 001");
    assert_eq!(shown(-62_167_219_200), "0000-01-01T00:00:00Z Sat 001");
}
