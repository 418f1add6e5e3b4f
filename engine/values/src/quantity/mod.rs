//! Kubernetes quantities: `500m`, `1Gi`, `1e3`.
//!
//! In: the text of a quantity. Out: its value to compare, add, scale, and its canonical text. `1024Mi` prints as
//! `1Gi`, `0.5` as `500m`; `1Gi` is greater than `1G`.
//!
//! Mirrors: k8s.io/apimachinery pkg/api/resource (`Quantity`). Like there a value that fits is a 64-bit integer
//! and a power of ten, and anything else an exact decimal; the text of a sum depends on which of the two it is.

mod amount;
mod format;
mod parse;

use super::decimal::Decimal;
use super::go_text::{float_to_int, pow10};
use amount::Amount;
use engine_json::Str;
use std::cmp::Ordering;
use std::fmt;

/// How a quantity is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `12e6`.
    DecimalExponent,
    /// `12Mi`.
    BinarySi,
    /// `12M`.
    DecimalSi,
}

/// A number with the way it is written. Two are equal when their values are: `1000m` is `1`.
#[derive(Clone, Debug)]
pub struct Quantity {
    number: Number,
    format: Format,
    /// The text it was read from, where that is canonical already; an operation clears it.
    text: Option<Str>,
}

/// The value; which of the two it is follows the original's steps.
#[derive(Clone, Debug)]
enum Number {
    /// `int64Amount`.
    Small(Amount),
    /// `infDecAmount`.
    Large(Decimal),
}

/// Why a text is not a quantity, or an operation gives none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// The text does not look like a number with a suffix.
    Format,
    /// The number is none.
    Numeric,
    /// The suffix is none of the known ones.
    Suffix,
    /// The exact result has too many digits.
    TooLarge,
    /// The divisor is zero.
    ZeroDivisor,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QuantityError::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            QuantityError::Numeric => "unable to parse numeric part of quantity",
            QuantityError::Suffix => "unable to parse quantity's suffix",
            QuantityError::TooLarge => "the quantity has too many digits",
            QuantityError::ZeroDivisor => "a quantity cannot be divided by zero",
        })
    }
}

impl std::error::Error for QuantityError {}

impl Quantity {
    /// Reads a quantity, as `ParseQuantity`.
    pub fn parse(text: &str) -> Result<Quantity, QuantityError> {
        parse::parse(text)
    }

    /// A whole number, as `NewQuantity`.
    pub fn from_int(value: i64, format: Format) -> Quantity {
        Quantity { number: Number::Small(Amount { value, scale: 0 }), format, text: None }
    }

    /// How it is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        self.sign() == 0
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        match &self.number {
            Number::Small(amount) => i32::from(amount.value.signum() as i8),
            Number::Large(decimal) => decimal.sign(),
        }
    }

    /// The sum, written as `self` is, or as `other` if `self` is zero.
    pub fn plus(&self, other: &Quantity) -> Result<Quantity, QuantityError> {
        self.combined(other, Amount::plus, Decimal::plus)
    }

    /// The difference, written as `self` is, or as `other` if `self` is zero.
    pub fn minus(&self, other: &Quantity) -> Result<Quantity, QuantityError> {
        let subtract = |a: &Decimal, b: &Decimal| a.plus(&b.clone().negated());
        self.combined(other, Amount::minus, subtract)
    }

    fn combined(
        &self,
        other: &Quantity,
        small: impl Fn(Amount, Amount) -> Option<Amount>,
        large: impl Fn(&Decimal, &Decimal) -> Option<Decimal>,
    ) -> Result<Quantity, QuantityError> {
        let format = if self.is_zero() { other.format } else { self.format };
        if let (Number::Small(a), Number::Small(b)) = (&self.number, &other.number)
            && let Some(amount) = small(*a, *b)
        {
            return Ok(Quantity { number: Number::Small(amount), format, text: None });
        }
        let decimal = large(&self.decimal(), &other.decimal()).ok_or(QuantityError::TooLarge)?;
        Ok(Quantity { number: Number::Large(decimal), format, text: None })
    }

    /// The exact product, written as `self` is.
    // Kyverno: pkg/engine/jmespath/arithmetic.go multiplies the decimals, not the quantities.
    pub fn times(&self, factor: &Quantity) -> Result<Quantity, QuantityError> {
        let decimal = self.decimal().times(&factor.decimal()).ok_or(QuantityError::TooLarge)?;
        Ok(Quantity { number: Number::Large(decimal), format: self.format, text: None })
    }

    /// The quotient, cut off at the greater number of decimals of the two and written as `self` is.
    // Kyverno: pkg/engine/jmespath/arithmetic.go, QuoRound with RoundDown.
    pub fn divided_by(&self, divisor: &Quantity) -> Result<Quantity, QuantityError> {
        if divisor.is_zero() {
            return Err(QuantityError::ZeroDivisor);
        }
        let (a, b) = (self.decimal(), divisor.decimal());
        let quotient = a.divided_by(&b, a.scale().max(b.scale())).ok_or(QuantityError::TooLarge)?;
        Ok(Quantity { number: Number::Large(quotient), format: self.format, text: None })
    }

    /// The value with the opposite sign.
    #[must_use]
    pub fn negated(&self) -> Quantity {
        let number = match &self.number {
            Number::Small(amount) => {
                Number::Small(Amount { value: amount.value.wrapping_neg(), scale: amount.scale })
            }
            Number::Large(decimal) => Number::Large(decimal.clone().negated()),
        };
        Quantity { number, format: self.format, text: None }
    }

    /// The value as a float, with the rounding of `AsApproximateFloat64`.
    pub fn approximate_f64(&self) -> f64 {
        let (base, exponent) = match &self.number {
            Number::Small(amount) => (amount.value as f64, i64::from(amount.scale)),
            Number::Large(decimal) => (decimal.unscaled_f64(), decimal.scale().saturating_neg()),
        };
        if exponent == 0 {
            return base;
        }
        base * pow10(i32::try_from(exponent).unwrap_or(if exponent < 0 { i32::MIN } else { i32::MAX }))
    }

    /// The value where it is kept as a whole number, as `AsInt64`: `2000m` and `1Ei` are not, whatever their value.
    pub fn exact_i64(&self) -> Option<i64> {
        match &self.number {
            Number::Small(amount) if amount.scale >= 0 => {
                Some(amount.at_scale(0)).filter(|(_, exact)| *exact)
            }
            Number::Small(_) | Number::Large(_) => None,
        }
        .map(|(value, _)| value)
    }

    /// The value rounded up to a whole number, as `Value`; too large values wrap.
    pub fn value(&self) -> i64 {
        self.scaled_value(0)
    }

    /// The thousandfold value rounded up to a whole number, as `MilliValue`; too large values wrap.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(-3)
    }

    /// The value divided by `10^scale` and rounded up, as `ScaledValue`; too large values wrap.
    // Go: a small amount rounds away from zero, a large one towards plus infinity.
    pub fn scaled_value(&self, scale: i32) -> i64 {
        match &self.number {
            Number::Small(amount) => amount.at_scale(scale).0,
            Number::Large(decimal) => scaled_value(decimal, i64::from(scale)),
        }
    }

    /// The value as an exact decimal.
    fn decimal(&self) -> Decimal {
        match &self.number {
            Number::Small(amount) => amount.decimal(),
            Number::Large(decimal) => decimal.clone(),
        }
    }
}

// Go: scale_int.go scaledValue.
fn scaled_value(decimal: &Decimal, scale: i64) -> i64 {
    const LOG10_MAX_INT64: i64 = 19;
    let difference = decimal.scale().saturating_add(scale);
    if difference <= 0 {
        let places = i32::try_from(difference.unsigned_abs()).unwrap_or(i32::MAX);
        let factor = if places == 0 { 1 } else { float_to_int(pow10(places)) };
        return decimal.unscaled_int64().wrapping_mul(factor);
    }
    let unscaled = decimal.clone().times_power_of_ten(decimal.scale());
    if unscaled < Decimal::new(i64::MAX, 0) && difference < LOG10_MAX_INT64 {
        let divisor = 10_i64.pow(u32::try_from(difference).unwrap_or(0));
        let (quotient, rest) = (decimal.unscaled_int64() / divisor, decimal.unscaled_int64() % divisor);
        return quotient + i64::from(rest != 0);
    }
    // Euclid's quotient, plus one if there is a rest: rounded up for positive and for negative values.
    let (away, is_exact) = unscaled.times_power_of_ten(-difference).rounded_up(0);
    let away = away.unscaled_int64();
    if decimal.sign() < 0 && !is_exact { away.wrapping_add(1) } else { away }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.number, &other.number) {
            (Number::Small(a), Number::Small(b)) if a.scale == b.scale => a.value.cmp(&b.value),
            (Number::Small(_) | Number::Large(_), Number::Small(_) | Number::Large(_)) => {
                self.decimal().cmp(&other.decimal())
            }
        }
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}
