//! Exact decimals: a whole number of any length, a sign, and how many of its digits stand behind the point.
//!
//! In: digits, small integers, other decimals. Out: sums, products, quotients and comparisons without loss;
//! `12.50` is kept as 1250 with scale 2. What would grow beyond [`MAX_DIGITS`] digits is refused with `None`.
//!
//! Mirrors: gopkg.in/inf.v0 (`Dec`), as far as quantities use it.

mod natural;

use natural::Natural;
use std::cmp::Ordering;

/// How many digits a number may have when it is written out.
///
/// Go has no such bound: there `1e2000000000` compared with `1` takes all memory.
pub(super) const MAX_DIGITS: u64 = 10_000;

/// `size / 10^scale`, negative if `is_negative`.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    // INVARIANT: false when `size` is zero.
    is_negative: bool,
    size: Natural,
    scale: i64,
}

impl Decimal {
    /// `unscaled / 10^scale`.
    pub(super) fn new(unscaled: i64, scale: i64) -> Self {
        Decimal { is_negative: unscaled < 0, size: Natural::from(unscaled.unsigned_abs()), scale }
    }

    /// Of digits with an optional sign and at most one point; `None` if there is no digit or too many.
    // inf: dec.go scan; the quantity reader has already refused other characters.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
        let size = Natural::parse(&format!("{whole}{fraction}"))?;
        let scale = i64::try_from(fraction.len()).ok()?;
        Some(Decimal { is_negative: text.starts_with('-') && !size.is_zero(), size, scale })
    }

    pub(super) fn scale(&self) -> i64 {
        self.scale
    }

    pub(super) fn is_zero(&self) -> bool {
        self.size.is_zero()
    }

    /// The digits without sign and point.
    pub(super) fn digits(&self) -> String {
        self.size.to_string()
    }

    /// -1, 0 or 1.
    pub(super) fn sign(&self) -> i32 {
        match (self.is_zero(), self.is_negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    #[must_use]
    pub(super) fn negated(mut self) -> Self {
        self.is_negative = !self.is_negative && !self.is_zero();
        self
    }

    /// The same digits with the point moved `places` to the right.
    #[must_use]
    pub(super) fn times_power_of_ten(mut self, places: i64) -> Self {
        self.scale = self.scale.saturating_sub(places);
        self
    }

    /// Times `2^exponent`; the scale stays.
    pub(super) fn times_power_of_two(&self, exponent: u32) -> Option<Self> {
        let factor = Natural::from(1_u64.checked_shl(exponent)?);
        Some(Decimal { size: self.size.times(&factor)?, ..*self })
    }

    /// The product; its scale is the sum of the scales.
    pub(super) fn times(&self, other: &Decimal) -> Option<Self> {
        let size = self.size.times(&other.size)?;
        let is_negative = self.is_negative != other.is_negative && !size.is_zero();
        Some(Decimal { is_negative, size, scale: self.scale.saturating_add(other.scale) })
    }

    /// The sum; its scale is the greater of the two.
    pub(super) fn plus(&self, other: &Decimal) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let (a, b) = (self.size_at(scale)?, other.size_at(scale)?);
        let (is_negative, size) = if self.is_negative == other.is_negative {
            (self.is_negative, a.plus(&b)?)
        } else if a >= b {
            (self.is_negative, a.minus(&b))
        } else {
            (other.is_negative, b.minus(&a))
        };
        Some(Decimal { is_negative: is_negative && !size.is_zero(), size, scale })
    }

    /// The quotient cut off at this scale; `None` also when `divisor` is zero.
    // inf: Dec.QuoRound with RoundDown.
    pub(super) fn divided_by(&self, divisor: &Decimal, scale: i64) -> Option<Self> {
        if divisor.is_zero() {
            return None;
        }
        let shift = scale.saturating_sub(self.scale.saturating_sub(divisor.scale));
        let up = |size: &Natural, places: i64| size.shifted_up(u64::try_from(places).ok()?);
        let (upper, lower) = if shift >= 0 {
            (up(&self.size, shift)?, divisor.size.clone())
        } else {
            (self.size.clone(), up(&divisor.size, shift.saturating_neg())?)
        };
        let size = upper.divided_by(&lower);
        Some(Decimal { is_negative: self.is_negative != divisor.is_negative && !size.is_zero(), size, scale })
    }

    /// Rounded away from zero to this scale, and whether nothing was lost.
    ///
    /// A number that would grow too long by zeros keeps its smaller scale: the value is the same.
    pub(super) fn rounded_up(&self, scale: i64) -> (Self, bool) {
        match u64::try_from(self.scale.saturating_sub(scale)) {
            Ok(places) => {
                let (size, is_exact) = self.size.shifted_down(places);
                let size = if is_exact { size } else { size.incremented() };
                (Decimal { is_negative: self.is_negative, size, scale }, is_exact)
            }
            Err(_) => match self.size_at(scale) {
                Some(size) => (Decimal { is_negative: self.is_negative, size, scale }, true),
                None => (self.clone(), true),
            },
        }
    }

    /// Without trailing zeros in the digits; zero is left as it is.
    #[must_use]
    pub(super) fn normalized(&self) -> Self {
        let zeros = self.size.trailing_zeros();
        let (size, _) = self.size.shifted_down(zeros);
        let scale = self.scale.saturating_sub_unsigned(zeros);
        Decimal { is_negative: self.is_negative, size, scale }
    }

    /// The digits divided by `factor` as often as it goes, and how often that was.
    pub(super) fn without_factor(&self, factor: u32) -> (String, i32) {
        let (size, times) = self.size.without_factor(factor);
        (format!("{}{size}", if self.is_negative { "-" } else { "" }), times)
    }

    /// The unscaled number modulo 2^64, as Go's `big.Int.Int64` gives it.
    pub(super) fn unscaled_int64(&self) -> i64 {
        let low = self.size.low_bits().cast_signed();
        if self.is_negative { low.wrapping_neg() } else { low }
    }

    /// The unscaled number as the nearest float.
    pub(super) fn unscaled_f64(&self) -> f64 {
        let size = self.digits().parse().unwrap_or(f64::INFINITY);
        if self.is_negative { -size } else { size }
    }

    /// The size as it stands at this scale, which is not less than the decimal's own.
    fn size_at(&self, scale: i64) -> Option<Natural> {
        self.size.shifted_up(u64::try_from(scale.saturating_sub(self.scale)).ok()?)
    }

    /// How the sizes compare, without writing out the zeros of a far power of ten.
    fn cmp_size(&self, other: &Decimal) -> Ordering {
        if self.is_zero() || other.is_zero() {
            return other.is_zero().cmp(&self.is_zero());
        }
        let leading = |decimal: &Decimal| i128::from(decimal.size.len()) - i128::from(decimal.scale);
        leading(self).cmp(&leading(other)).then_with(|| {
            // Equal leading places: the scales differ by less than the digits there are.
            let scale = self.scale.max(other.scale);
            match (self.size_at(scale), other.size_at(scale)) {
                (Some(a), Some(b)) => a.cmp(&b),
                (None | Some(_), None | Some(_)) => Ordering::Equal,
            }
        })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.cmp_size(other),
            (true, true) => other.cmp_size(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}
