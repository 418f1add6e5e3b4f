//! Points in time with a zone, read and written by Go's layouts.
//!
//! In: a text and a layout such as `2006-01-02T15:04:05Z07:00` (the reference time written as the text is). Out: a
//! [`Time`], or Go's error: `parsing time "x" as "2006": cannot parse "x" as "2006"`; and text again.
//!
//! Mirrors: Go's `time` (time.go, format.go) with UTC as the local zone. There is no clock here and no table of
//! zones: a zone is a name and an offset.

mod civil;
mod format;
mod layout;
mod parse;

pub use civil::Civil;

use super::duration::Duration;
use engine_json::Str;
use std::cmp::Ordering;
use std::fmt;

/// The layout of RFC 3339.
pub const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

/// Seconds from the start of year 1 to that of 1970.
const YEAR_1_TO_1970: i64 = 62_135_596_800;

/// A point in time and the zone in which it is shown. Two are equal when they are the same instant.
#[derive(Clone, Debug)]
pub struct Time {
    /// Seconds since the start of 1970 in UTC.
    pub unix: i64,
    /// Nanoseconds behind that second, below 10^9.
    pub nanoseconds: u32,
    /// The zone's distance to UTC in seconds, east is positive.
    pub offset: i32,
    /// The zone's name; empty where only the offset is known.
    pub zone: Str,
}

/// Why a text does not follow a layout, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeError(String);

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TimeError {}

impl Time {
    /// This many seconds after the start of 1970, in UTC.
    pub fn from_unix(unix: i64, nanoseconds: u32) -> Time {
        Time { unix, nanoseconds, offset: 0, zone: Str::new_static("UTC") }
    }

    /// Reads a text by a layout, as `time.Parse`.
    pub fn parse(layout: &str, text: &str) -> Result<Time, TimeError> {
        parse::parse(layout, text).map_err(TimeError)
    }

    /// Reads a text such as `2026-11-21T09:00:00+01:00`.
    pub fn parse_rfc3339(text: &str) -> Result<Time, TimeError> {
        Time::parse(RFC3339, text)
    }

    /// Writes the time by a layout, as `Time.Format`.
    pub fn format(&self, layout: &str) -> String {
        format::format(self, layout)
    }

    /// Writes the time as `2026-11-21T09:00:00+01:00`, or with `Z` where the offset is zero.
    pub fn to_rfc3339(&self) -> String {
        self.format(RFC3339)
    }

    /// The same instant shown in UTC.
    #[must_use]
    pub fn utc(&self) -> Time {
        Time::from_unix(self.unix, self.nanoseconds)
    }

    /// Date and time of day in the time's own zone.
    pub fn civil(&self) -> Civil {
        Civil::of(self.unix, self.offset)
    }

    /// The time this much later.
    #[must_use]
    pub fn plus(&self, duration: Duration) -> Time {
        const SECOND: i64 = Duration::SECOND.0;
        let nanoseconds = i64::from(self.nanoseconds) + duration.0 % SECOND;
        let seconds = duration.0 / SECOND + nanoseconds.div_euclid(SECOND);
        let rest = u32::try_from(nanoseconds.rem_euclid(SECOND)).unwrap_or(0);
        Time { unix: self.unix.wrapping_add(seconds), nanoseconds: rest, ..self.clone() }
    }

    /// How long after `other` this time is; the longest duration where it does not fit.
    pub fn since(&self, other: &Time) -> Duration {
        let nanoseconds = |time: &Time| i128::from(time.unix) * 1_000_000_000 + i128::from(time.nanoseconds);
        let difference = nanoseconds(self) - nanoseconds(other);
        Duration(i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Rounded down to a multiple of `step` since the start of year 1 in UTC; unchanged if it is not positive.
    #[must_use]
    pub fn truncate(&self, step: Duration) -> Time {
        if step.0 <= 0 {
            return self.clone();
        }
        let seconds = i128::from(self.unix) + i128::from(YEAR_1_TO_1970);
        let nanoseconds = seconds * 1_000_000_000 + i128::from(self.nanoseconds);
        let rest = nanoseconds.rem_euclid(i128::from(step.0));
        self.plus(Duration(-i64::try_from(rest).unwrap_or(0)))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.unix, self.nanoseconds).cmp(&(other.unix, other.nanoseconds))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Time {}
