//! How Go writes numbers and strings, and which texts it reads as numbers.
//!
//! In: a float, an integer or a text. Out: `3E+01`, `1e+06`, `0.500000`, `"a\tb"`; or the number in a text, with
//! Go's error: `strconv.ParseInt: parsing "x": invalid syntax`.
//!
//! Mirrors: Go's `strconv` (`FormatFloat`, `ParseFloat`, `ParseInt`, `Quote`) and the verbs `%v`, `%f`, `%q` of
//! `fmt`. The hexadecimal floats are in `hex_float`.

mod hex_float;

use std::fmt;
use std::str::FromStr;

/// The forms of `strconv.FormatFloat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatFormat {
    /// `'e'`: `1.5e+06`.
    LowerExponent,
    /// `'E'`: `1.5E+06`.
    UpperExponent,
    /// `'f'`: `1500000`.
    Fixed,
    /// `'g'`: `'e'` for large and small exponents, `'f'` between.
    General,
}

/// `strconv.FormatFloat(value, format, precision, 64)`; no precision is the shortest text that reads back.
pub fn format_float(value: f64, format: FloatFormat, precision: Option<usize>) -> String {
    let digits = match precision {
        None => {
            let digits = Digits::of(&format!("{:e}", value.abs()));
            // Shorter texts cannot tie: every decimal of 15 digits is another float.
            if digits.len() < 16 { digits } else { digits.or_even(&value.abs()) }
        }
        Some(precision) => Digits::rounded(value, format, precision),
    };
    finish(value, &digits, format, precision)
}

/// `strconv.FormatFloat(float64(value), format, -1, 32)`: the shortest text that reads back as 32 bits.
pub fn format_float32(value: f32, format: FloatFormat) -> String {
    let digits = Digits::of(&format!("{:e}", value.abs()));
    let digits = if digits.len() < 7 { digits } else { digits.or_even(&value.abs()) };
    finish(f64::from(value), &digits, format, None)
}

/// A float as `%v` prints it: `30`, `1e+06`, `0.1`.
pub fn float_v(value: f64) -> String {
    format_float(value, FloatFormat::General, None)
}

/// A float as `%f` prints it, with six decimals: `30.000000`.
pub fn float_f(value: f64) -> String {
    format_float(value, FloatFormat::Fixed, Some(6))
}

/// A float as `strconv.FormatFloat(value, 'E', -1, 64)` prints it: `3E+01`.
pub fn float_e(value: f64) -> String {
    format_float(value, FloatFormat::UpperExponent, None)
}

/// Go's `int64(value)`: cut off towards zero; what does not fit becomes the least integer.
// Go: the language leaves the overflow open; this is what amd64 does, where the answers were recorded.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
pub fn float_to_int(value: f64) -> i64 {
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        value as i64
    } else {
        i64::MIN
    }
}

/// Ten to this power with the rounding of Go's `math.Pow10`, which multiplies two table entries.
pub fn pow10(exponent: i32) -> f64 {
    const LARGE: [f64; 10] = [1e0, 1e32, 1e64, 1e96, 1e128, 1e160, 1e192, 1e224, 1e256, 1e288];
    const TINY: [f64; 11] = [1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320];
    let size = exponent.unsigned_abs() as usize;
    let small: f64 = format!("1e{}", size % 32).parse().unwrap_or(f64::NAN);
    match exponent {
        0..=308 => LARGE.get(size / 32).map_or(f64::NAN, |large| large * small),
        -323..=-1 => TINY.get(size / 32).map_or(f64::NAN, |tiny| tiny / small),
        309.. => f64::INFINITY,
        ..-323 => 0.0,
    }
}

/// Why a text is no number, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberError {
    function: &'static str,
    text: String,
    /// Whether the text is a number, but too large.
    pub is_out_of_range: bool,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = if self.is_out_of_range { "value out of range" } else { "invalid syntax" };
        write!(f, "strconv.{}: parsing {}: {reason}", self.function, quote(&self.text))
    }
}

impl std::error::Error for NumberError {}

/// `strconv.ParseInt(text, 10, 64)`.
pub fn parse_int(text: &str) -> Result<i64, NumberError> {
    let error = |is_out_of_range| NumberError { function: "ParseInt", text: text.to_owned(), is_out_of_range };
    let size = digits(text.strip_prefix(['+', '-']).unwrap_or(text)).map_err(error)?;
    let value = if text.starts_with('-') { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() };
    value.ok_or_else(|| error(true))
}

/// `strconv.ParseUint(text, 10, 64)`: digits only, no sign.
pub fn parse_uint(text: &str) -> Result<u64, NumberError> {
    let error = |is_out_of_range| NumberError { function: "ParseUint", text: text.to_owned(), is_out_of_range };
    digits(text).map_err(error)
}

/// The digits as a number; the error says whether they are too many, if that shows before a character that is no
/// digit.
fn digits(text: &str) -> Result<u64, bool> {
    if text.is_empty() {
        return Err(false);
    }
    text.bytes().try_fold(0_u64, |value, byte| {
        if !byte.is_ascii_digit() {
            return Err(false);
        }
        value.checked_mul(10).and_then(|value| value.checked_add(u64::from(byte - b'0'))).ok_or(true)
    })
}

/// `strconv.ParseFloat(text, 64)`: decimal and hexadecimal floats, `inf` and `nan`, `_` between digits.
pub fn parse_float(text: &str) -> Result<f64, NumberError> {
    let error = |is_out_of_range| NumberError { function: "ParseFloat", text: text.to_owned(), is_out_of_range };
    if let Some(value) = named_float(text) {
        return Ok(value);
    }
    if text.contains('_') && !underscores_are_fine(text) {
        return Err(error(false));
    }
    let plain = text.replace('_', "");
    let value = if hex_float::is_hex(&plain) { hex_float::parse(&plain) } else { decimal_float(&plain) };
    match value {
        Some(value) if value.is_infinite() => Err(error(true)),
        Some(value) => Ok(value),
        None => Err(error(false)),
    }
}

fn named_float(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("nan") {
        return Some(f64::NAN);
    }
    let word = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_infinity = word.eq_ignore_ascii_case("inf") || word.eq_ignore_ascii_case("infinity");
    let infinity = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    is_infinity.then_some(infinity)
}

/// Digits with at most one point and an exponent; Rust's own reader also takes words, so the grammar is checked.
fn decimal_float(text: &str) -> Option<f64> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = body.split_once(['e', 'E']).map_or((body, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !all_digits(digits) {
            return None;
        }
    }
    text.parse().ok()
}

/// An underscore must stand between digits, or between the prefix `0x` and a digit.
// Go: internal/strconv atoi.go underscoreOK.
fn underscores_are_fine(text: &str) -> bool {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let prefix = ["0x", "0X", "0b", "0B", "0o", "0O"].iter().find(|prefix| body.starts_with(**prefix));
    let is_hex = prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case("0x"));
    let mut before = if prefix.is_some() { '0' } else { '^' };
    for c in body.chars().skip(prefix.map_or(0, |prefix| prefix.len())) {
        let is_digit = c.is_ascii_digit() || is_hex && c.is_ascii_hexdigit();
        before = match c {
            _ if is_digit => '0',
            '_' if before != '0' => return false,
            '_' => '_',
            _ if before == '_' => return false,
            _ => '!',
        };
    }
    before != '_'
}

/// A string in double quotes, as `strconv.Quote` and `%q` write it.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(c),
            '\0'..='\u{1f}' | '\u{7f}' => out.extend([format!("\\x{:02x}", c as u32)]),
            _ if is_print(c) => out.push(c),
            ..='\u{ffff}' => out.extend([format!("\\u{:04x}", c as u32)]),
            _ => out.extend([format!("\\U{:08x}", c as u32)]),
        }
    }
    out.push('"');
    out
}

/// Whether Go prints the character as it is: letters, marks, numbers, punctuation, symbols.
///
/// Rust's `Debug` of a string draws the same line, save that it also escapes a combining mark at the start.
fn is_print(c: char) -> bool {
    let mut text = String::from("a");
    text.push(c);
    !text.escape_debug().any(|escaped| escaped == '\\')
}

/// The decimal digits of a float without its sign: `0.d1d2d3… × 10^point`; zero has none.
struct Digits {
    digits: String,
    point: i32,
}

impl Digits {
    /// Of a text that Rust's `{:e}` printed, such as `1.25e-7`.
    fn of(text: &str) -> Digits {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits = mantissa.replace('.', "");
        let digits = digits.trim_end_matches('0');
        let point = if digits.is_empty() { 0 } else { exponent.parse::<i32>().unwrap_or(0) + 1 };
        Digits { digits: digits.to_owned(), point }
    }

    /// These shortest digits, or as many others that are as near to the value and end with an even digit.
    ///
    /// Where the value lies half-way between two shortest texts, Rust takes the upper one and Go the even one.
    fn or_even<F: fmt::LowerExp + FromStr + PartialEq>(self, value: &F) -> Digits {
        let text = format!("{value:.*e}", self.digits.len().saturating_sub(1));
        if text.parse().is_ok_and(|read: F| read == *value) { Digits::of(&text) } else { self }
    }

    /// Rounded to as many digits as the format shows with this precision, half to even.
    fn rounded(value: f64, format: FloatFormat, precision: usize) -> Digits {
        let value = value.abs();
        match format {
            FloatFormat::LowerExponent | FloatFormat::UpperExponent => {
                Digits::of(&format!("{value:.precision$e}"))
            }
            FloatFormat::General => Digits::of(&format!("{value:.*e}", precision.max(1) - 1)),
            FloatFormat::Fixed => {
                let text = format!("{value:.precision$}");
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                let all = format!("{whole}{fraction}");
                let trimmed = all.trim_start_matches('0');
                // Zeros behind the point push it to the left of the first digit.
                let count = |length: usize| i32::try_from(length).unwrap_or(i32::MAX);
                let point = count(whole.len()) - count(all.len() - trimmed.len());
                let point = if trimmed.is_empty() { 0 } else { point };
                Digits { digits: trimmed.trim_end_matches('0').to_owned(), point }
            }
        }
    }

    fn len(&self) -> i32 {
        i32::try_from(self.digits.len()).unwrap_or(i32::MAX)
    }

    /// `d.ddde±dd` with this many digits behind the point.
    fn exponential(&self, decimals: i32, letter: char) -> String {
        let mut digits = self.digits.chars();
        let mut out = String::from(digits.next().unwrap_or('0'));
        if decimals > 0 {
            out.push('.');
            let zeros = std::iter::repeat('0');
            out.extend(digits.chain(zeros).take(usize::try_from(decimals).unwrap_or(0)));
        }
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{out}{letter}{sign}{:02}", exponent.abs())
    }

    /// `ddd.ddd` with this many digits behind the point.
    fn plain(&self, decimals: i32) -> String {
        let digit = |at: i32| usize::try_from(at).ok().and_then(|at| self.digits.as_bytes().get(at));
        let digit = |at: i32| digit(at).map_or('0', |byte| *byte as char);
        let mut out: String = (0..self.point).map(digit).collect();
        if out.is_empty() {
            out.push('0');
        }
        if decimals > 0 {
            out.push('.');
            out.extend((self.point..self.point.saturating_add(decimals)).map(digit));
        }
        out
    }
}

// Go: internal/strconv ftoa.go formatDigits.
fn finish(value: f64, digits: &Digits, format: FloatFormat, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return if sign.is_empty() { "+Inf".into() } else { "-Inf".into() };
    }
    let asked = precision.map(|precision| i32::try_from(precision).unwrap_or(i32::MAX));
    let text = match format {
        FloatFormat::LowerExponent => digits.exponential(asked.unwrap_or(digits.len() - 1), 'e'),
        FloatFormat::UpperExponent => digits.exponential(asked.unwrap_or(digits.len() - 1), 'E'),
        FloatFormat::Fixed => digits.plain(asked.unwrap_or((digits.len() - digits.point).max(0))),
        FloatFormat::General => {
            let asked = asked.map(|precision| precision.max(1));
            let limit = match asked {
                None => 6,
                Some(asked) if asked > digits.len() && digits.len() >= digits.point => digits.len(),
                Some(asked) => asked,
            };
            let exponent = digits.point - 1;
            if exponent < -4 || exponent >= limit {
                digits.exponential(asked.map_or(digits.len(), |asked| asked.min(digits.len())) - 1, 'e')
            } else {
                let shown = asked.filter(|asked| *asked <= digits.point).unwrap_or(digits.len());
                digits.plain((shown - digits.point).max(0))
            }
        }
    };
    format!("{sign}{text}")
}
