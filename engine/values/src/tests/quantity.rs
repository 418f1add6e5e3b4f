//! Quantities.

use super::text;
use crate::go_text::float_v;
use crate::quantity::{Format, Quantity};
use std::cmp::Ordering;

/// A text, its canonical text, the text of the same value after an addition, its float, its rounded integer.
const CASES: &[(&str, &str, &str, &str, &str)] = &[
    ("0", "0", "0", "0", "0"),
    ("1", "1", "1", "1", "1"),
    ("100m", "100m", "100m", "0.1", "1"),
    ("0.1", "100m", "100m", "0.1", "1"),
    ("1500m", "1500m", "1500m", "1.5", "2"),
    ("1.5", "1500m", "1500m", "1.5", "2"),
    ("1000", "1k", "1k", "1000", "1000"),
    ("1000m", "1", "1", "1", "1"),
    ("1024", "1024", "1024", "1024", "1024"),
    ("1Ki", "1Ki", "1Ki", "1024", "1024"),
    ("1024Ki", "1Mi", "1Mi", "1.048576e+06", "1048576"),
    ("1.5Gi", "1536Mi", "1536Mi", "1.610612736e+09", "1610612736"),
    ("0.5Ki", "512", "512", "512", "512"),
    ("1000Ki", "1000Ki", "1000Ki", "1.024e+06", "1024000"),
    ("1k", "1k", "1k", "1000", "1000"),
    ("1e3", "1e3", "1e3", "1000", "1000"),
    ("1E3", "1E3", "1e3", "1000", "1000"),
    ("1E", "1E", "1E", "1e+18", "1000000000000000000"),
    ("1e-3", "1e-3", "1e-3", "0.001", "1"),
    ("12e6", "12e6", "12e6", "1.2e+07", "12000000"),
    ("1.25e2", "1.25e2", "125", "125", "125"),
    ("5n", "5n", "5n", "5e-09", "1"),
    ("0.5n", "1n", "1n", "1e-09", "1"),
    ("0.0000000001", "1n", "1n", "1e-09", "1"),
    ("-0.0000000001", "-1n", "-1n", "-1e-09", "1"),
    ("-1500m", "-1500m", "-1500m", "-1.5", "-2"),
    ("+1Gi", "+1Gi", "1Gi", "1.073741824e+09", "1073741824"),
    ("01Gi", "01Gi", "1Gi", "1.073741824e+09", "1073741824"),
    ("8Gi", "8Gi", "8Gi", "8.589934592e+09", "8589934592"),
    ("8192Mi", "8Gi", "8Gi", "8.589934592e+09", "8589934592"),
    (
        "9223372036854775807",
        "9223372036854775807",
        "9223372036854775807",
        "9.223372036854776e+18",
        "9223372036854775807",
    ),
    (
        "9223372036854775808",
        "9223372036854775808",
        "9223372036854775808",
        "9.223372036854776e+18",
        "-9223372036854775808",
    ),
    ("99999999999999999999", "99999999999999999999", "99999999999999999999", "1e+20", "7766279631452241919"),
    ("9Ei", "9223372036854775807", "9223372036854775807", "9.223372036854776e+18", "9223372036854775807"),
    (
        "1.1Ei",
        "1268213655067531673600m",
        "1268213655067531673600m",
        "1.2682136550675318e+18",
        "1268213655067531674",
    ),
    ("1000E", "1", "1", "1e+21", "0"),
    ("1e21", "1e21", "1e21", "1e+21", "0"),
    (
        "123456789012345678901234567890",
        "123456789012345678901234567890",
        "123456789012345678901234567890",
        "1.234567890123457e+29",
        "-4362896299872285998",
    ),
    ("0.000001", "1u", "1u", "1e-06", "1"),
    ("1.000000001", "1.000000001", "1000000001n", "1.000000001", "2"),
    ("1.0000000001Mi", "1048576000104858n", "1048576000104858n", "1.048576000104858e+06", "1048577"),
    ("3.", "3.", "3", "3", "3"),
    ("k", "0", "0", "0", "0"),
    ("+", "0", "0", "0", "0"),
    (".", "0", "0", "0", "0"),
    ("1e-20", "1e-9", "1e-9", "1e-09", "1"),
    (
        "100000000000000000000Ki",
        "9223372036854775807",
        "9223372036854775807",
        "9.223372036854776e+18",
        "9223372036854775807",
    ),
];

const ERRORS: &[(&str, &str)] = &[
    ("", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1i", "unable to parse quantity's suffix"),
    ("1KI", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1kk", "unable to parse quantity's suffix"),
    (" 1", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1 ", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("0x1", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1e", "unable to parse quantity's suffix"),
    ("1e+", "unable to parse quantity's suffix"),
    ("abc", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1.2.3", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("1e-2x", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("--1", "unable to parse quantity's suffix"),
    ("1/2", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
    ("e-20", "unable to parse numeric part of quantity"),
    ("1٣", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
];

/// Two quantities, how they compare, their sum, difference, product and quotient.
const PAIRS: &[(&str, &str, &str, &str, &str, &str, &str)] = &[
    ("1", "1", "=", "2", "0", "1", "1"),
    ("1", "1000m", "=", "2", "0", "1", "1"),
    ("1Gi", "1G", ">", "2073741824", "73741824", "1000000000Gi", "1"),
    ("1Gi", "1024Mi", "=", "2Gi", "0", "1Ei", "1"),
    ("0", "5Mi", "<", "5Mi", "-5Mi", "0", "0"),
    ("5Mi", "0", ">", "5Mi", "5Mi", "0", "-"),
    ("1.5Gi", "512Mi", ">", "2Gi", "1Gi", "768Pi", "3"),
    ("100m", "1Ki", "<", "1024100m", "-1023900m", "102400m", "0"),
    (
        "9223372036854775807",
        "1",
        ">",
        "9223372036854775808",
        "9223372036854775806",
        "9223372036854775807",
        "9223372036854775807",
    ),
    ("-1", "1", "<", "0", "-2", "-1", "-1"),
    ("1e3", "1k", "=", "2e3", "0", "1e6", "0"),
    ("1Ki", "-1", ">", "1023", "1025", "-1Ki", "-1Ki"),
    ("1n", "1E", "<", "1000000000000000000000000001n", "-999999999999999999999999999n", "1G", "0"),
    ("10", "3", ">", "13", "7", "30", "3"),
    ("1Gi", "3", ">", "1073741827", "1073741821", "3Gi", "357913941"),
    ("1", "0.3", ">", "1300m", "700m", "300m", "3300m"),
    ("-7", "2", "<", "-5", "-9", "-14", "-3"),
    (
        "99999999999999999999",
        "0.000000001",
        ">",
        "99999999999999999999000000001n",
        "99999999999999999998999999999n",
        "99999999999999999999n",
        "99999999999999999999G",
    ),
    (
        "1e100",
        "1",
        ">",
        "10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
        "10e99",
        "10e99",
    ),
    ("4Ei", "4Ei", "=", "8Ei", "0", "16", "1"),
];

#[test]
fn texts_are_read_and_written_as_in_kubernetes() {
    for (input, canonical, computed, float, value) in CASES {
        let quantity = Quantity::parse(input).unwrap();
        let sum = Quantity::from_int(0, Format::DecimalSi).plus(&quantity);
        let found = [
            quantity.to_string(),
            text(sum),
            float_v(quantity.approximate_f64()),
            quantity.value().to_string(),
        ];
        assert_eq!(found, [*canonical, *computed, *float, *value], "{input:?}");
    }
    for (input, message) in ERRORS {
        assert_eq!(text(Quantity::parse(input)), *message, "{input:?}");
    }
}

#[test]
fn arithmetic_is_exact() {
    for (left, right, order, sum, difference, product, quotient) in PAIRS {
        let (a, b) = (Quantity::parse(left).unwrap(), Quantity::parse(right).unwrap());
        let sign = match a.cmp(&b) {
            Ordering::Less => "<",
            Ordering::Equal => "=",
            Ordering::Greater => ">",
        };
        let found = [sign.to_owned(), text(a.plus(&b)), text(a.minus(&b)), text(a.times(&b))];
        assert_eq!(found, [*order, *sum, *difference, *product], "{left} {right}");
        if *quotient == "-" {
            assert!(a.divided_by(&b).is_err(), "{left} / {right}");
        } else {
            assert_eq!(text(a.divided_by(&b)), *quotient, "{left} / {right}");
        }
    }
}

#[test]
fn far_powers_of_ten_are_compared_and_not_written_out() {
    let parse = |text: &str| Quantity::parse(text).unwrap();
    let (huge, tiny, one) = (parse("1e2000000000"), parse("1e-2000000000"), parse("1"));
    assert!(huge > one && one > tiny && huge.negated() < tiny);
    assert_eq!(huge.to_string(), "100e1999999998");
    assert_eq!(tiny.to_string(), "1e-9");
    assert_eq!(parse("0e2000000000").value(), 0);
    assert_eq!(text(huge.plus(&one)), "the quantity has too many digits");
    assert_eq!(text(Quantity::parse(&"9".repeat(20_000))), "the quantity has too many digits");
}
