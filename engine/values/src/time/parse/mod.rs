//! Text to a time by a layout.
//!
//! In: a layout and a text. Out: the time; where the layout names no zone it is UTC, and missing parts are the
//! first of their kind in year 0. Errors are Go's, with the piece of layout and text that do not agree.
//!
//! Mirrors: Go's `time` (format.go `parse`).

mod element;

use super::civil::{days_from_1970, days_in, is_leap};
use super::layout::first_element;
use super::{Str, Time};
use crate::duration::quote;

/// What was read so far; -1 for a date or an offset that was not.
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    year_day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: i64,
    is_before_noon: bool,
    is_after_noon: bool,
    is_utc: bool,
    // Go: an offset of one second west is taken for none.
    offset: i64,
    zone: String,
}

/// Why an element could not be read.
enum Failure {
    /// The text is of another form.
    Form,
    /// The number is beyond its range; the name of what it counts.
    Range(&'static str),
}

/// The text that is left to read, as bytes: some elements cut it at fixed lengths.
type Rest<'a> = &'a [u8];

pub(super) fn parse(layout: &str, text: &str) -> Result<Time, String> {
    let mut parts = Parts {
        year: 0,
        month: -1,
        day: -1,
        year_day: -1,
        hour: 0,
        minute: 0,
        second: 0,
        nanoseconds: 0,
        is_before_noon: false,
        is_after_noon: false,
        is_utc: false,
        offset: -1,
        zone: String::new(),
    };
    let mut value = text.as_bytes();
    let mut layout_rest = layout;
    let mismatch = |layout_part: &str, value: Rest<'_>| {
        let (text, layout) = (quote(text), quote(layout));
        format!("parsing time {text} as {layout}: cannot parse {} as {}", quote(value), quote(layout_part))
    };
    let about = |message: &str| format!("parsing time {}: {message}", quote(text));
    while let Some(found) = first_element(layout_rest) {
        value = skip(value, found.before.as_bytes()).map_err(|value| mismatch(found.before, value))?;
        layout_rest = found.rest;
        let hold = value;
        match element::read(&mut parts, &mut value, found.element, found.rest) {
            Ok(()) => {}
            Err(Failure::Range(name)) => return Err(about(&format!("{name} out of range"))),
            Err(Failure::Form) => return Err(mismatch(found.text, hold)),
        }
    }
    value = skip(value, layout_rest.as_bytes()).map_err(|value| mismatch(layout_rest, value))?;
    if !value.is_empty() {
        return Err(about(&format!("extra text: {}", quote(value))));
    }
    finish(parts).map_err(about)
}

/// The value without this prefix, where one or more spaces stand for any number of them.
fn skip<'a>(mut value: Rest<'a>, mut prefix: Rest<'_>) -> Result<Rest<'a>, Rest<'a>> {
    while let Some((&wanted, behind)) = prefix.split_first() {
        match value.split_first() {
            _ if wanted == b' ' => {
                if value.first().is_some_and(|byte| *byte != b' ') {
                    return Err(value);
                }
                prefix = without_spaces(prefix);
                value = without_spaces(value);
            }
            Some((&found, rest)) if found == wanted => (prefix, value) = (behind, rest),
            Some(_) | None => return Err(value),
        }
    }
    Ok(value)
}

fn without_spaces(mut value: Rest<'_>) -> Rest<'_> {
    while let Some((b' ', behind)) = value.split_first() {
        value = behind;
    }
    value
}

/// The parts as a time; the error is the message.
fn finish(mut parts: Parts) -> Result<Time, &'static str> {
    if parts.is_after_noon && parts.hour < 12 {
        parts.hour += 12;
    } else if parts.is_before_noon && parts.hour == 12 {
        parts.hour = 0;
    }
    if parts.year_day >= 0 {
        let (month, day) = month_and_day(parts.year, parts.year_day).ok_or("day-of-year out of range")?;
        if parts.month >= 0 && parts.month != month {
            return Err("day-of-year does not match month");
        }
        if parts.day >= 0 && parts.day != day {
            return Err("day-of-year does not match day");
        }
        (parts.month, parts.day) = (month, day);
    } else {
        parts.month = if parts.month < 0 { 1 } else { parts.month };
        parts.day = if parts.day < 0 { 1 } else { parts.day };
    }
    if parts.day < 1 || parts.day > days_in(parts.month, parts.year) {
        return Err("day out of range");
    }
    let days = days_from_1970(parts.year, parts.month, parts.day);
    let unix = ((days * 24 + parts.hour) * 60 + parts.minute) * 60 + parts.second;
    let utc = Time::from_unix(unix, u32::try_from(parts.nanoseconds).unwrap_or(0));
    let offset = |seconds: i64| i32::try_from(seconds).unwrap_or(0);
    if parts.is_utc {
        return Ok(utc);
    }
    if parts.offset != -1 {
        let unix = unix - parts.offset;
        // Where offset and name are those of the local zone, which is UTC here, the time is in that zone.
        let is_local = parts.offset == 0 && (parts.zone.is_empty() || parts.zone == "UTC");
        let zone = if is_local { utc.zone.clone() } else { Str::new(&parts.zone) };
        return Ok(Time { unix, offset: offset(parts.offset), zone, ..utc });
    }
    if !parts.zone.is_empty() {
        // Go: a name alone does not move the time; `GMT+3` is only shown three hours later.
        let hours = parts.zone.strip_prefix("GMT").filter(|hours| !hours.is_empty());
        let hours = hours.and_then(|hours| hours.parse::<i64>().ok()).unwrap_or(0);
        return Ok(Time { offset: offset(hours * 3600), zone: Str::new(&parts.zone), ..utc });
    }
    Ok(utc)
}

/// The date of a day of the year.
fn month_and_day(year: i64, year_day: i64) -> Option<(i64, i64)> {
    let mut rest = year_day;
    if rest < 1 || rest > 365 + i64::from(is_leap(year)) {
        return None;
    }
    for month in 1..=12 {
        let days = days_in(month, year);
        if rest <= days {
            return Some((month, rest));
        }
        rest -= days;
    }
    None
}
