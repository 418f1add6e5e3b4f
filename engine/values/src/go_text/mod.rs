//! How Go writes numbers and strings, and which texts it reads as numbers.
//!
//! In: a float, an integer or a text. Out: `3E+01`, `1e+06`, `0.500000`, `"a\tb"`; or the number in a text, with
//! Go's error: `strconv.ParseInt: parsing "x": invalid syntax`.
//!
//! Mirrors: Go's `strconv` (`FormatFloat`, `ParseFloat`, `ParseInt`, `Quote`) and the verbs `%v`, `%f`, `%q` of
//! `fmt`. Floats are written by `engine_json`, which writes them in documents too; `hex_float` reads hexadecimal ones.

mod hex_float;
mod power;

pub use engine_json::float::{FloatFormat, float_e, float_f, float_v, format_float, format_float32};
pub use engine_json::quote;
pub use power::power_of_ten;

use std::fmt;

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
    const TINY: [f64; 11] =
        [1e0, 1e-32, 1e-64, 1e-96, 1e-128, 1e-160, 1e-192, 1e-224, 1e-256, 1e-288, 1e-320];
    let size = exponent.unsigned_abs() as usize;
    let small: f64 = format!("1e{}", size % 32).parse().unwrap_or(f64::NAN);
    match exponent {
        0..=308 => LARGE.get(size / 32).map_or(f64::NAN, |large| large * small),
        -323..=-1 => TINY.get(size / 32).map_or(f64::NAN, |tiny| tiny / small),
        309.. => f64::INFINITY,
        ..-323 => 0.0,
    }
}

/// Why a text is not a number, in Go's words.
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
    signed("ParseInt", text)
}

/// `strconv.Atoi(text)`.
pub fn atoi(text: &str) -> Result<i64, NumberError> {
    signed("Atoi", text)
}

fn signed(function: &'static str, text: &str) -> Result<i64, NumberError> {
    let error = |is_out_of_range| NumberError { function, text: text.to_owned(), is_out_of_range };
    let size = digits(text.strip_prefix(['+', '-']).unwrap_or(text)).map_err(error)?;
    let value =
        if text.starts_with('-') { 0_i64.checked_sub_unsigned(size) } else { i64::try_from(size).ok() };
    value.ok_or_else(|| error(true))
}

/// `strconv.ParseUint(text, 10, 64)`: digits only, no sign.
pub fn parse_uint(text: &str) -> Result<u64, NumberError> {
    let error =
        |is_out_of_range| NumberError { function: "ParseUint", text: text.to_owned(), is_out_of_range };
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
    let error =
        |is_out_of_range| NumberError { function: "ParseFloat", text: text.to_owned(), is_out_of_range };
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

/// Bytes as a text: each byte that is not part of a character becomes U+FFFD, as where Go prints a string.
pub fn go_text_of(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}
