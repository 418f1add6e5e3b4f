//! Numbers of one type as numbers of another.

use super::Timestamp;

/// 2^63 and 2^64, which doubles hold exactly.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// `int(double)`: cut off towards zero; `None` is an overflow. The least int itself is refused, as in cel-go.
// cel-go: overflow.go doubleToInt64Checked.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
pub fn int_of_double(value: f64) -> Option<i64> {
    (value > -TWO_63 && value < TWO_63).then_some(value as i64)
}

/// `uint(double)`; `None` is an overflow.
// cel-go: overflow.go doubleToUint64Checked.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
pub fn uint_of_double(value: f64) -> Option<u64> {
    (0.0..TWO_64).contains(&value).then_some(value as u64)
}

/// The int that is the same number.
pub(crate) fn double_to_int(value: f64) -> Option<i64> {
    int_of_double(value).filter(|i| *i as f64 == value)
}

/// The uint that is the same number.
pub(crate) fn double_to_uint(value: f64) -> Option<u64> {
    uint_of_double(value).filter(|u| *u as f64 == value)
}

impl Timestamp {
    /// The first second of year 1.
    pub const MIN: i64 = -62_135_596_800;
    /// The last second of year 9999.
    pub const MAX: i64 = 253_402_300_799;

    /// This many seconds after the start of 1970, in UTC; `None` outside the years 1 to 9999.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        (Self::MIN..=Self::MAX).contains(&seconds).then_some(Timestamp { seconds, nanoseconds: 0, offset: 0 })
    }
}
