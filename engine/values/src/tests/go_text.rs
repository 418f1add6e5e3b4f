//! Numbers and quoted strings.

use super::text;
use crate::go_text::*;

/// A float, and the same as `%v`, `%f`, `'E'`, `'f'` of 32 bits, `'e'` and `'g'` with three digits.
const FLOATS: &[(&str, &str, &str, &str, &str, &str, &str)] = &[
    ("0", "0", "0.000000", "0E+00", "0", "0.000e+00", "0"),
    ("-0", "-0", "-0.000000", "-0E+00", "-0", "-0.000e+00", "-0"),
    ("1", "1", "1.000000", "1E+00", "1", "1.000e+00", "1"),
    ("30", "30", "30.000000", "3E+01", "30", "3.000e+01", "30"),
    ("8080", "8080", "8080.000000", "8.08E+03", "8080", "8.080e+03", "8.08e+03"),
    ("0.1", "0.1", "0.100000", "1E-01", "0.1", "1.000e-01", "0.1"),
    ("1e6", "1e+06", "1000000.000000", "1E+06", "1000000", "1.000e+06", "1e+06"),
    ("123456", "123456", "123456.000000", "1.23456E+05", "123456", "1.235e+05", "1.23e+05"),
    ("1234567", "1.234567e+06", "1234567.000000", "1.234567E+06", "1234567", "1.235e+06", "1.23e+06"),
    (
        "1e21",
        "1e+21",
        "1000000000000000000000.000000",
        "1E+21",
        "1000000000000000000000",
        "1.000e+21",
        "1e+21",
    ),
    ("1e-4", "0.0001", "0.000100", "1E-04", "0.0001", "1.000e-04", "0.0001"),
    ("0.00001234", "1.234e-05", "0.000012", "1.234E-05", "0.00001234", "1.234e-05", "1.23e-05"),
    ("1.5", "1.5", "1.500000", "1.5E+00", "1.5", "1.500e+00", "1.5"),
    ("-2.5", "-2.5", "-2.500000", "-2.5E+00", "-2.5", "-2.500e+00", "-2.5"),
    (
        "1125899906842624.25",
        "1.1258999068426242e+15",
        "1125899906842624.250000",
        "1.1258999068426242E+15",
        "1125899900000000",
        "1.126e+15",
        "1.13e+15",
    ),
    (
        "9007199254740993",
        "9.007199254740992e+15",
        "9007199254740992.000000",
        "9.007199254740992E+15",
        "9007199000000000",
        "9.007e+15",
        "9.01e+15",
    ),
    ("5e-324", "5e-324", "0.000000", "5E-324", "0", "4.941e-324", "4.94e-324"),
    (
        "1.7976931348623157e308",
        "1.7976931348623157e+308",
        "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558632766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490090389328944075868508455133942304583236903222948165808559332123348274797826204144723168738177180919299881250404026184124858368.000000",
        "1.7976931348623157E+308",
        "+Inf",
        "1.798e+308",
        "1.8e+308",
    ),
    ("inf", "+Inf", "+Inf", "+Inf", "+Inf", "+Inf", "+Inf"),
    ("-inf", "-Inf", "-Inf", "-Inf", "-Inf", "-Inf", "-Inf"),
    ("nan", "NaN", "NaN", "NaN", "NaN", "NaN", "NaN"),
    ("100", "100", "100.000000", "1E+02", "100", "1.000e+02", "100"),
    ("1e20", "1e+20", "100000000000000000000.000000", "1E+20", "100000000000000000000", "1.000e+20", "1e+20"),
    ("0.3", "0.3", "0.300000", "3E-01", "0.3", "3.000e-01", "0.3"),
];

const PARSED_FLOATS: &[(&str, &str)] = &[
    ("1", "1"),
    ("+1.5", "1.5"),
    ("-.5e1", "-5"),
    ("1.", "1"),
    ("1_000.5", "1000.5"),
    ("0x1p-2", "0.25"),
    ("0X1.8P+3", "12"),
    ("0x_1p4", "16"),
    ("0x1.fffffffffffff8p1022", "8.98846567431158e+307"),
    ("0x1p-1074", "5e-324"),
    ("0x1p-1075", "0"),
    ("Infinity", "+Inf"),
    ("-inf", "-Inf"),
    ("NaN", "NaN"),
    ("+nan", r#"strconv.ParseFloat: parsing "+nan": invalid syntax"#),
    ("1e400", r#"strconv.ParseFloat: parsing "1e400": value out of range"#),
    ("1e-400", "0"),
    ("", r#"strconv.ParseFloat: parsing "": invalid syntax"#),
    (".", r#"strconv.ParseFloat: parsing ".": invalid syntax"#),
    (" 1", r#"strconv.ParseFloat: parsing " 1": invalid syntax"#),
    ("1e", r#"strconv.ParseFloat: parsing "1e": invalid syntax"#),
    ("0x1", r#"strconv.ParseFloat: parsing "0x1": invalid syntax"#),
    ("_1", r#"strconv.ParseFloat: parsing "_1": invalid syntax"#),
    ("1__0", r#"strconv.ParseFloat: parsing "1__0": invalid syntax"#),
    ("0b1", r#"strconv.ParseFloat: parsing "0b1": invalid syntax"#),
    ("1e5x", r#"strconv.ParseFloat: parsing "1e5x": invalid syntax"#),
    ("١", r#"strconv.ParseFloat: parsing "١": invalid syntax"#),
];

const PARSED_INTS: &[(&str, &str)] = &[
    ("0", "0"),
    ("-0", "0"),
    ("+42", "42"),
    ("007", "7"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", r#"strconv.ParseInt: parsing "9223372036854775808": value out of range"#),
    ("-9223372036854775808", "-9223372036854775808"),
    ("-9223372036854775809", r#"strconv.ParseInt: parsing "-9223372036854775809": value out of range"#),
    ("", r#"strconv.ParseInt: parsing "": invalid syntax"#),
    ("-", r#"strconv.ParseInt: parsing "-": invalid syntax"#),
    ("1.0", r#"strconv.ParseInt: parsing "1.0": invalid syntax"#),
    ("1_0", r#"strconv.ParseInt: parsing "1_0": invalid syntax"#),
    ("0x10", r#"strconv.ParseInt: parsing "0x10": invalid syntax"#),
    (" 1", r#"strconv.ParseInt: parsing " 1": invalid syntax"#),
    ("99999999999999999999x", r#"strconv.ParseInt: parsing "99999999999999999999x": value out of range"#),
    ("1x", r#"strconv.ParseInt: parsing "1x": invalid syntax"#),
];

const QUOTED: &[(&str, &str)] = &[
    ("", r#""""#),
    ("plain", r#""plain""#),
    ("a\"b\\c", r#""a\"b\\c""#),
    ("tab\tline\n", r#""tab\tline\n""#),
    ("\x01", r#""\x01""#),
    ("\u{e9} \u{fc} \u{6f22}", r#""é ü 漢""#),
    ("\u{a0}\u{200b}", r#""\u00a0\u200b""#),
    ("\u{2028}", r#""\u2028""#),
    ("\u{1f600}", r#""😀""#),
    ("\u{301}x", r#""́x""#),
    ("\u{fffd}", r#""�""#),
    ("\x7f", r#""\x7f""#),
];

#[test]
fn floats_are_written_as_in_go() {
    for (input, v, f, e, f32, e3, g3) in FLOATS {
        let value: f64 = input.parse().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "Go's float32(value)")]
        let short = value as f32;
        let found = [
            float_v(value),
            float_f(value),
            float_e(value),
            format_float32(short, FloatFormat::Fixed),
            format_float(value, FloatFormat::LowerExponent, Some(3)),
            format_float(value, FloatFormat::General, Some(3)),
        ];
        assert_eq!(found, [*v, *f, *e, *f32, *e3, *g3], "{input}");
    }
}

#[test]
fn numbers_are_read_as_in_go() {
    for (input, output) in PARSED_FLOATS {
        assert_eq!(text(parse_float(input).map(float_v)), *output, "{input:?}");
    }
    for (input, output) in PARSED_INTS {
        assert_eq!(text(parse_int(input)), *output, "{input:?}");
    }
}

#[test]
fn strings_are_quoted_as_in_go() {
    for (input, output) in QUOTED {
        assert_eq!(quote(input), *output);
    }
}

#[test]
fn floats_become_integers_as_on_amd64() {
    assert_eq!(float_to_int(-2.9), -2);
    for beyond in [f64::NAN, f64::INFINITY, 9_223_372_036_854_775_808.0, -1e300] {
        assert_eq!(float_to_int(beyond), i64::MIN);
    }
}
