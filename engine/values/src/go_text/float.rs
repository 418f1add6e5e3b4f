//! Floats as Go writes them.
//!
//! In: a float, a form and a precision. Out: `30`, `1e+06`, `3E+01`, `0.500000`; the shortest text that reads back
//! where no precision is asked for.
//!
//! Mirrors: Go's `strconv.FormatFloat` (internal/strconv ftoa.go). The digits come from Rust's own printer.

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
