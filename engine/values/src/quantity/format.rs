//! The canonical text of a quantity.
//!
//! In: a quantity. Out: `1Gi`, `1500m`, `1e3`: no fraction, the largest suffix that keeps the number whole.
//!
//! Mirrors: k8s.io/apimachinery pkg/api/resource quantity.go (`CanonicalizeBytes`), suffix.go.

use super::amount::Amount;
use super::{Decimal, Format, Number, Quantity};
use std::fmt;

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        if self.is_zero() {
            return f.write_str("0");
        }
        let binary = if self.format == Format::BinarySi { whole_number(self) } else { None };
        if let Some((number, exponent)) = binary {
            return write!(f, "{number}{}", binary_suffix(exponent));
        }
        let (number, exponent) = match &self.number {
            Number::Small(amount) => decimal_parts(*amount),
            Number::Large(decimal) => large_decimal_parts(decimal),
        };
        match self.format {
            Format::DecimalExponent if exponent == 0 => f.write_str(&number),
            Format::DecimalExponent => write!(f, "{number}e{exponent}"),
            Format::BinarySi | Format::DecimalSi => write!(f, "{number}{}", decimal_suffix(exponent)),
        }
    }
}

/// The digits without factors of 1024 and how many of those there were; `None` between -1024 and 1024 and for a
/// number with a fraction, which are written in decimal.
fn whole_number(quantity: &Quantity) -> Option<(String, i32)> {
    let small = |value| Quantity::from_int(value, Format::BinarySi);
    if *quantity > small(-1024) && *quantity < small(1024) {
        return None;
    }
    match &quantity.number {
        Number::Small(amount) => {
            if let (value, true) = amount.at_scale(0) {
                return Some(without_factor(value, 1024)).map(|(value, times)| (value.to_string(), times));
            }
            // A scale from zero up that does not fit is still whole.
            (amount.scale >= 0).then(|| large_whole_number(&amount.decimal())).flatten()
        }
        Number::Large(decimal) => large_whole_number(decimal),
    }
}

fn large_whole_number(decimal: &Decimal) -> Option<(String, i32)> {
    let (rounded, is_exact) = decimal.rounded_up(0);
    is_exact.then(|| rounded.without_factor(1024))
}

/// Factors taken out of the value, as often as it stays at least the factor.
// Go: math.go removeInt64Factors leaves the least integer as it is.
fn without_factor(value: i64, factor: i64) -> (i64, i32) {
    let (mut size, mut times) = (value.wrapping_abs(), 0);
    while size >= factor && size % factor == 0 {
        size /= factor;
        times += 1;
    }
    (if value < 0 { size.wrapping_neg() } else { size }, times)
}

/// The digits and an exponent that is a multiple of three.
fn decimal_parts(amount: Amount) -> (String, i64) {
    let (value, times) = without_factor(amount.value, 10);
    let exponent = i64::from(amount.scale) + i64::from(times);
    let places = exponent.rem_euclid(3);
    let factor = 10_i64.pow(u32::try_from(places).unwrap_or(0));
    match value.checked_mul(factor) {
        Some(value) => (value.to_string(), exponent - places),
        None => large_decimal_parts(&amount.decimal()),
    }
}

fn large_decimal_parts(decimal: &Decimal) -> (String, i64) {
    let plain = decimal.normalized();
    let exponent = plain.scale().saturating_neg();
    let places = exponent.rem_euclid(3);
    let sign = if decimal.sign() < 0 { "-" } else { "" };
    let zeros = "0".repeat(usize::try_from(places).unwrap_or(0));
    (format!("{sign}{}{zeros}", plain.digits()), exponent - places)
}

// Go: an exponent beyond the suffixes is dropped, so that `1000E` prints as `1`.
fn decimal_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn binary_suffix(times: i32) -> &'static str {
    match times {
        1 => "Ki",
        2 => "Mi",
        3 => "Gi",
        4 => "Ti",
        5 => "Pi",
        6 => "Ei",
        _ => "",
    }
}
