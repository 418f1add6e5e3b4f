//! Go's durations: signed nanoseconds in 64 bits, written `1h30m0s`.
//!
//! In: a text such as `-1.5h` or `2h45m`, or a number of seconds. Out: a [`Duration`], or Go's error text:
//! `time: missing unit in duration "10"`. Arithmetic wraps at 64 bits, as Go's does.
//!
//! Mirrors: Go's `time` (time.go `Duration.String`, format.go `ParseDuration`).

use super::go_text::float_to_int;
use std::fmt;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// The magnitude of the most negative duration.
const LIMIT: u64 = 1 << 63;

/// A span of time in nanoseconds; Go's `time.Duration`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i64);

/// Why a text is not a duration, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DurationError {
    fault: Fault,
    text: Box<str>,
}

/// What is wrong with a text. It is worded when it is printed: most callers only try whether a text is a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fault {
    Invalid,
    MissingUnit,
    UnknownUnit(Box<str>),
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = quote(&*self.text);
        match &self.fault {
            Fault::Invalid => write!(f, "time: invalid duration {text}"),
            Fault::MissingUnit => write!(f, "time: missing unit in duration {text}"),
            Fault::UnknownUnit(unit) => write!(f, "time: unknown unit {} in duration {text}", quote(&**unit)),
        }
    }
}

impl std::error::Error for DurationError {}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// One second.
    pub const SECOND: Duration = Duration(1_000_000_000);

    /// Reads a text such as `300ms`, `-1.5h` or `2h45m`; `0` needs no unit.
    pub fn parse(text: &str) -> Result<Duration, DurationError> {
        parse(text).map_err(|fault| DurationError { fault, text: text.into() })
    }

    /// This many whole seconds; wraps as Go's multiplication does.
    pub fn from_seconds(seconds: i64) -> Duration {
        Duration(seconds.wrapping_mul(Duration::SECOND.0))
    }

    /// `time.Duration(seconds * float64(time.Second))`: cut off below a nanosecond.
    pub fn from_seconds_f64(seconds: f64) -> Duration {
        Duration(float_to_int(seconds * 1e9))
    }

    /// The duration in seconds.
    // Go: Duration.Seconds adds the whole seconds and the rest as floats, which rounds differently from one division.
    pub fn seconds(self) -> f64 {
        let (whole, rest) = (self.0 / Duration::SECOND.0, self.0 % Duration::SECOND.0);
        whole as f64 + rest as f64 / 1e9
    }

    /// The sum, wrapping at 64 bits.
    #[must_use]
    pub fn plus(self, other: Duration) -> Duration {
        Duration(self.0.wrapping_add(other.0))
    }

    /// The difference, wrapping at 64 bits.
    #[must_use]
    pub fn minus(self, other: Duration) -> Duration {
        Duration(self.0.wrapping_sub(other.0))
    }

    /// What remains of dividing by `other`, with the sign of `self`; `None` when `other` is zero.
    pub fn remainder(self, other: Duration) -> Option<Duration> {
        (other.0 != 0).then(|| Duration(self.0.wrapping_rem(other.0)))
    }
}

impl fmt::Display for Duration {
    /// `1h30m0s`, `1.5s`, `20ms`, `3µs`; leading zero units are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        let (unit, name) = match size {
            0 => return f.write_str("0s"),
            1..MICROSECOND => (1, "ns"),
            MICROSECOND..MILLISECOND => (MICROSECOND, "µs"),
            MILLISECOND..SECOND => (MILLISECOND, "ms"),
            SECOND.. => (SECOND, "s"),
        };
        let seconds = size / SECOND;
        if seconds >= 3600 {
            write!(f, "{}h", seconds / 3600)?;
        }
        if seconds >= 60 {
            write!(f, "{}m", seconds / 60 % 60)?;
        }
        let whole = if unit == SECOND { seconds % 60 } else { size / unit };
        let rest = size % unit;
        if rest == 0 {
            return write!(f, "{whole}{name}");
        }
        let digits = format!("{:0width$}", rest, width = unit.ilog10() as usize);
        write!(f, "{whole}.{}{name}", digits.trim_end_matches('0'))
    }
}

/// The error is the part of the message between `time: ` and the quoted text.
fn parse(text: &str) -> Result<Duration, Fault> {
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(Duration::ZERO);
    }
    if rest.is_empty() {
        return Err(Fault::Invalid);
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        if !rest.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
            return Err(Fault::Invalid);
        }
        let (digits, behind) = split_digits(rest);
        let whole = leading_int(digits).ok_or(Fault::Invalid)?;
        let (fraction, behind) = behind.strip_prefix('.').map_or(("", behind), split_digits);
        if digits.is_empty() && fraction.is_empty() {
            return Err(Fault::Invalid);
        }
        let (part, scale) = leading_fraction(fraction);
        let end = behind.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(behind.len());
        let (name, behind) = behind.split_at_checked(end).unwrap_or((behind, ""));
        if name.is_empty() {
            return Err(Fault::MissingUnit);
        }
        let unit = unit(name).ok_or_else(|| Fault::UnknownUnit(name.into()))?;
        let mut size = whole.checked_mul(unit).filter(|size| *size <= LIMIT).ok_or(Fault::Invalid)?;
        if part > 0 {
            size = size.wrapping_add(fraction_of(part, unit, scale));
            if size > LIMIT {
                return Err(Fault::Invalid);
            }
        }
        // Go: the sum of two halves of the range wraps to zero and is accepted.
        sum = sum.wrapping_add(size);
        if sum > LIMIT {
            return Err(Fault::Invalid);
        }
        rest = behind;
    }
    if is_negative {
        return Ok(Duration(0_i64.wrapping_sub_unsigned(sum)));
    }
    i64::try_from(sum).map(Duration).map_err(|_| Fault::Invalid)
}

fn unit(name: &str) -> Option<u64> {
    match name {
        "ns" => Some(1),
        // The micro sign and the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => Some(MICROSECOND),
        "ms" => Some(MILLISECOND),
        "s" => Some(SECOND),
        "m" => Some(MINUTE),
        "h" => Some(HOUR),
        _ => None,
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The digits as a number, `None` beyond 2^63.
fn leading_int(digits: &str) -> Option<u64> {
    let mut value: u64 = 0;
    for digit in digits.bytes() {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        if value > LIMIT {
            return None;
        }
    }
    Some(value)
}

/// The digits behind the point as a whole number and the power of ten it is to be divided by; digits that do
/// not fit are dropped.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        if value > (LIMIT - 1) / 10 {
            break;
        }
        let next = value * 10 + u64::from(digit - b'0');
        if next > LIMIT {
            break;
        }
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product is positive and below one hour in nanoseconds"
)]
fn fraction_of(part: u64, unit: u64, scale: f64) -> u64 {
    (part as f64 * (unit as f64 / scale)) as u64
}

/// A text in quotes as package `time` writes it: every byte outside printable ASCII as `\x..`.
pub(super) fn quote(text: impl AsRef<[u8]>) -> String {
    let mut out = String::from("\"");
    for &byte in text.as_ref() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte as char]),
            b' '..0x80 => out.push(byte as char),
            0..b' ' | 0x80.. => out.extend([format!("\\x{byte:02x}")]),
        }
    }
    out.push('"');
    out
}
