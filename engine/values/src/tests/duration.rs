//! Durations: a text, and how Go writes its value.

use super::text;
use crate::Duration;

const CASES: &[(&str, &str)] = &[
    ("0", "0s"),
    ("-0", "0s"),
    ("1h", "1h0m0s"),
    ("90m", "1h30m0s"),
    ("1h15m30.918273645s", "1h15m30.918273645s"),
    ("-1.5h", "-1h30m0s"),
    ("+5s", "5s"),
    ("100ns", "100ns"),
    ("1.5µs", "1.5µs"),
    ("2μs", "2µs"),
    ("2us", "2µs"),
    ("1.000000001s", "1.000000001s"),
    ("999ms", "999ms"),
    ("0.3333333333333333333h", "20m0s"),
    ("9223372036854775807ns", "2562047h47m16.854775807s"),
    ("9223372036854775808ns", r#"time: invalid duration "9223372036854775808ns""#),
    ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
    ("2562048h", r#"time: invalid duration "2562048h""#),
    ("9007199254.740993ms", "2501h59m59.254740993s"),
    (".5s", "500ms"),
    ("1.s", "1s"),
    ("3000000h", r#"time: invalid duration "3000000h""#),
    ("", r#"time: invalid duration """#),
    ("1", r#"time: missing unit in duration "1""#),
    ("-", r#"time: invalid duration "-""#),
    ("1x", r#"time: unknown unit "x" in duration "1x""#),
    ("1h 2m", r#"time: unknown unit "h " in duration "1h 2m""#),
    ("1d", r#"time: unknown unit "d" in duration "1d""#),
    ("h", r#"time: invalid duration "h""#),
    (".s", r#"time: invalid duration ".s""#),
    ("1.2.3s", r#"time: missing unit in duration "1.2.3s""#),
    ("é", r#"time: invalid duration "\xc3\xa9""#),
    (r#""1\"#, r#"time: invalid duration "\"1\\""#),
    ("1s\n", r#"time: unknown unit "s\x0a" in duration "1s\x0a""#),
];

#[test]
fn texts_are_read_and_written_as_in_go() {
    for (input, output) in CASES {
        assert_eq!(text(Duration::parse(input)), *output, "{input:?}");
    }
}

#[test]
fn arithmetic_is_that_of_int64() {
    assert_eq!(Duration(i64::MAX).plus(Duration(1)), Duration(i64::MIN));
    assert_eq!(Duration::from_seconds_f64(0.1 + 0.2).to_string(), "300ms");
    assert_eq!(Duration::from_seconds_f64(1e10), Duration(i64::MIN));
    assert_eq!(Duration(-7).remainder(Duration(3)), Some(Duration(-1)));
    assert_eq!(Duration(i64::MIN).remainder(Duration(-1)), Some(Duration::ZERO));
    assert_eq!(Duration(1).remainder(Duration::ZERO), None);
}
