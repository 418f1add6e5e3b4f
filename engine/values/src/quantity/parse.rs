//! The text of a quantity to its value.
//!
//! In: `1.5Gi`. Out: the quantity with its value, its format, and the text if that is canonical.
//!
//! Mirrors: k8s.io/apimachinery pkg/api/resource quantity.go (`ParseQuantity`) and suffix.go.

use super::amount::Amount;
use super::{Decimal, Format, Number, Quantity, QuantityError};
use crate::go_text::parse_int;
use engine_json::Str;

/// Digits that surely fit 64 bits.
const MAX_DIGITS: i64 = 18;
/// Smaller parts than 10^-9 are rounded up.
const NANO: i64 = -9;

/// The parts of a text, without leading zeros and with `0` for a missing number.
struct Parts<'a> {
    is_negative: bool,
    /// Sign, digits and point.
    value: &'a str,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

/// What a suffix multiplies by: `base^exponent`.
enum Unit {
    Ten(i32),
    Two(u32),
}

pub(super) fn parse(text: &str) -> Result<Quantity, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Format);
    }
    let parts = split(text)?;
    let (unit, format) = unit(parts.suffix).ok_or(QuantityError::Suffix)?;
    match small(text, &parts, &unit, format) {
        Some(quantity) => Ok(quantity),
        None => large(&parts, &unit, format),
    }
}

// Go: quantity.go parseQuantityString; a text that ends in the number is not looked at for a suffix.
fn split(text: &str) -> Result<Parts<'_>, QuantityError> {
    let is_negative = text.starts_with('-');
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let body = body.trim_start_matches('0');
    if body.is_empty() {
        return Ok(Parts { is_negative, value: "0", whole: "0", fraction: "", suffix: "" });
    }
    let (whole, rest) = split_while(body, |c| c.is_ascii_digit());
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(behind) => split_while(behind, |c| c.is_ascii_digit()),
        None => ("", rest),
    };
    let value = text.strip_suffix(rest).unwrap_or(text);
    let whole = if whole.is_empty() { "0" } else { whole };
    let (_, tail) = split_while(rest, |c| "eEinumkKMGTP".contains(c));
    let tail = tail.strip_prefix(['+', '-']).unwrap_or(tail);
    if !tail.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(QuantityError::Format);
    }
    Ok(Parts { is_negative, value, whole, fraction, suffix: rest })
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !keep(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn unit(suffix: &str) -> Option<(Unit, Format)> {
    let (unit, format) = match suffix {
        "n" => (Unit::Ten(-9), Format::DecimalSi),
        "u" => (Unit::Ten(-6), Format::DecimalSi),
        "m" => (Unit::Ten(-3), Format::DecimalSi),
        "" => (Unit::Ten(0), Format::DecimalSi),
        "k" => (Unit::Ten(3), Format::DecimalSi),
        "M" => (Unit::Ten(6), Format::DecimalSi),
        "G" => (Unit::Ten(9), Format::DecimalSi),
        "T" => (Unit::Ten(12), Format::DecimalSi),
        "P" => (Unit::Ten(15), Format::DecimalSi),
        "E" => (Unit::Ten(18), Format::DecimalSi),
        "Ki" => (Unit::Two(10), Format::BinarySi),
        "Mi" => (Unit::Two(20), Format::BinarySi),
        "Gi" => (Unit::Two(30), Format::BinarySi),
        "Ti" => (Unit::Two(40), Format::BinarySi),
        "Pi" => (Unit::Two(50), Format::BinarySi),
        "Ei" => (Unit::Two(60), Format::BinarySi),
        _ => {
            let exponent = parse_int(suffix.strip_prefix(['e', 'E'])?).ok()?;
            (Unit::Ten(low_int32(exponent)), Format::DecimalExponent)
        }
    };
    Some((unit, format))
}

/// Go's `int32(value)`: the low half of the bits.
#[expect(clippy::cast_possible_truncation, reason = "Go cuts the exponent to 32 bits")]
fn low_int32(value: i64) -> i32 {
    value as i32
}

/// The fast form, where the digits are few enough.
fn small(text: &str, parts: &Parts<'_>, unit: &Unit, format: Format) -> Option<Quantity> {
    let (whole, fraction) =
        (i64::try_from(parts.whole.len()).ok()?, i64::try_from(parts.fraction.len()).ok()?);
    let (precision, factor, scale) = match unit {
        // Go: 2^20 has about six decimal digits; the estimate is in 32-bit floats, which here is exact.
        Unit::Two(exponent) if fraction == 0 => {
            (15 - whole - i64::from(*exponent) * 3 / 10 - 1, 1_i64 << exponent, 0)
        }
        Unit::Two(_) => return None,
        Unit::Ten(exponent) => (MAX_DIGITS - whole - fraction, 1, *exponent),
    };
    let scale = scale.wrapping_sub(i32::try_from(fraction).ok()?);
    if precision < 0 || i64::from(scale) < NANO {
        return None;
    }
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let size: i64 = digits.parse().ok()?;
    let product = size.checked_mul(factor)?;
    let is_canonical = match unit {
        Unit::Two(exponent) => exponent % 10 == 0 && size & 7 != 0,
        Unit::Ten(_) => scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0'),
    };
    let value = if parts.is_negative { product.wrapping_neg() } else { product };
    // Go: the text `0` is kept before anything else is looked at.
    let kept = (is_canonical || text == "0").then(|| Str::new(text));
    Some(Quantity { number: Number::Small(Amount { value, scale }), format, text: kept })
}

/// The exact form: rounded up to 10^-9, and capped where the suffix is binary.
fn large(parts: &Parts<'_>, unit: &Unit, mut format: Format) -> Result<Quantity, QuantityError> {
    if parts.whole.len().saturating_add(parts.fraction.len()) as u64 > crate::decimal::MAX_DIGITS {
        return Err(QuantityError::TooLarge);
    }
    let number = Decimal::parse(parts.value).ok_or(QuantityError::Numeric)?;
    let is_negative = number.sign() < 0;
    let number = if is_negative { number.negated() } else { number };
    let mut number = match unit {
        Unit::Ten(exponent) => number.times_power_of_ten(i64::from(*exponent)),
        Unit::Two(exponent) => number.times_power_of_two(*exponent).ok_or(QuantityError::TooLarge)?,
    };
    if !number.is_zero() {
        (number, _) = number.rounded_up(-NANO);
    }
    if format == Format::BinarySi {
        let most = Decimal::new(i64::MAX, 0);
        if number > most {
            number = most;
        }
        if number < Decimal::new(1, 0) && !number.is_zero() {
            format = Format::DecimalSi;
        }
    }
    let number = if is_negative { number.negated() } else { number };
    Ok(Quantity { number: Number::Large(number), format, text: None })
}
