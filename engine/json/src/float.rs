//! Floats as Go writes them: the one place that knows it, for documents, messages and expressions.
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

/// A float as `encoding/json` prints it: plain digits from 1e-6 up to 1e21, with an exponent beyond.
// Go: encoding/json floatEncoder.
pub fn float_text(value: f64) -> String {
    if !value.is_finite() {
        return "null".into(); // Go refuses the value; text that was read never holds one
    }
    if let Some(whole) = small_whole(value) {
        return whole.to_string();
    }
    if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
        return format_float(value, FloatFormat::Fixed, None);
    }
    let text = format_float(value, FloatFormat::LowerExponent, None);
    // Go cuts the zero of `e-07`, and of no other exponent.
    match text.split_once("e-0") {
        Some((mantissa, digit)) => format!("{mantissa}e-{digit}"),
        None => text,
    }
}

/// The whole number that a float is, where all its digits are exact and plain; zero below zero is none.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn small_whole(value: f64) -> Option<i64> {
    let is_whole = value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    (is_whole && (value != 0.0 || value.is_sign_positive())).then_some(value as i64)
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

#[cfg(test)]
mod tests {
    use super::{float_text, float_v};

    /// Floats half-way between two shortest texts, and what Go 1.26 prints for them (`strconv.FormatFloat(f, 'f', -1, 64)`).
    const TIES: [(f64, &str); 6] = [
        (654_062_176_428_122.0 + 0.25, "654062176428122.2"),
        (768_758_139_470_676.0 + 0.25, "768758139470676.2"),
        (1_125_899_906_842_624.0 + 0.25, "1125899906842624.2"),
        (2_251_799_813_685_249.0 + 0.5, "2251799813685249.5"),
        (562_949_953_421_312.0 + 0.125, "562949953421312.1"),
        (562_949_953_421_312.0 + 0.375, "562949953421312.4"),
    ];

    #[test]
    fn ties_go_to_the_even_digit() {
        for (float, wanted) in TIES {
            assert_eq!(float_text(float), wanted);
        }
    }

    /// Sixteenths below 2^53 are exact floats, and their ten-thousandths whole numbers.
    #[test]
    fn the_shortest_text_is_the_nearest_and_of_two_the_even_one() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..50_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let sixteenths = (state >> 11) >> (state % 9);
            let float = sixteenths as f64 / 16.0;
            let exact = u128::from(sixteenths) * 625;
            let text = float_text(float);
            assert_eq!(text.parse::<f64>(), Ok(float), "{text}");
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            if fraction.is_empty() || text.len() < 17 {
                continue;
            }
            let unit = 10_u128.pow(4 - u32::try_from(fraction.len()).unwrap());
            let shown = format!("{whole}{fraction}").parse::<u128>().unwrap() * unit;
            let error = shown.abs_diff(exact);
            assert!(2 * error <= unit, "{text} is not the nearest");
            let is_even = text.ends_with(['0', '2', '4', '6', '8']);
            assert!(2 * error < unit || is_even, "{text} is not even");
        }
    }

    #[test]
    fn messages_and_documents_write_exponents_in_their_own_way() {
        let both = |float| [float_v(float), float_text(float)];
        assert_eq!(both(1_000_680_000.0), ["1.00068e+09", "1000680000"]);
        assert_eq!(both(1e-7), ["1e-07", "1e-7"]);
        assert_eq!(both(1e21), ["1e+21", "1e+21"]);
        assert_eq!(both(-0.0), ["-0", "-0"]);
    }
}
