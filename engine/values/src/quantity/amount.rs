//! The fast form of a quantity: a 64-bit integer times a power of ten.
//!
//! In: amounts. Out: their sums and roundings, or `None` where 64 bits do not hold them and the exact decimal has
//! to take over. `1500m` is `{ value: 1500, scale: -3 }`.
//!
//! Mirrors: k8s.io/apimachinery pkg/api/resource amount.go (`int64Amount`) and math.go.

use crate::decimal::Decimal;

/// `value × 10^scale`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub(super) value: i64,
    pub(super) scale: i32,
}

impl Amount {
    pub(super) fn decimal(self) -> Decimal {
        Decimal::new(self.value, -i64::from(self.scale))
    }

    pub(super) fn plus(self, other: Amount) -> Option<Amount> {
        if other.value == 0 {
            return Some(self);
        }
        if self.value == 0 {
            return Some(other);
        }
        let scale = self.scale.min(other.scale);
        let a = scaled_up(self.value, self.scale.abs_diff(scale))?;
        let b = scaled_up(other.value, other.scale.abs_diff(scale))?;
        Some(Amount { value: add(a, b)?, scale })
    }

    pub(super) fn minus(self, other: Amount) -> Option<Amount> {
        self.plus(Amount { value: other.value.wrapping_neg(), scale: other.scale })
    }

    /// The integer at `10^scale`, rounded away from zero where digits are lost; and whether it fits and nothing was
    /// lost.
    pub(super) fn at_scale(self, scale: i32) -> (i64, bool) {
        if self.scale < scale {
            return scaled_down(self.value, scale.abs_diff(self.scale));
        }
        let places = self.scale.abs_diff(scale);
        if let Some(value) = scaled_up(self.value, places) {
            return (value, true);
        }
        // Go: math.go positiveScaleInt64 hands on what wrapped for the common powers, and nothing for others.
        let is_common = matches!(places, 1 | 2 | 3 | 6 | 9) && self.value != i64::MIN;
        (if is_common { self.value.wrapping_mul(10_i64.pow(places)) } else { 0 }, false)
    }
}

// Go: math.go int64Add, which takes a sum of exactly zero from two negatives for one that fits.
fn add(a: i64, b: i64) -> Option<i64> {
    let sum = a.wrapping_add(b);
    let overflows =
        a > 0 && b > 0 && sum < 0 || a < 0 && b < 0 && (sum > 0 || a == i64::MIN && b == i64::MIN);
    (!overflows).then_some(sum)
}

/// Times `10^places`.
// Go: math.go positiveScaleInt64 refuses the least integer even where it would fit.
fn scaled_up(value: i64, places: u32) -> Option<i64> {
    match (value, places) {
        (0, _) => Some(0),
        (_, 0) => Some(value),
        (i64::MIN, _) => None,
        (_, _) => value.checked_mul(10_i64.checked_pow(places)?),
    }
}

/// Divided by `10^places`, rounded away from zero, and whether nothing was lost.
fn scaled_down(value: i64, places: u32) -> (i64, bool) {
    let Some(divisor) = 10_i64.checked_pow(places) else {
        return (value.signum(), value == 0);
    };
    let (quotient, rest) = (value / divisor, value % divisor);
    (quotient + rest.signum(), rest == 0)
}
