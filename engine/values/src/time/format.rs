//! A time to text by a layout.
//!
//! In: a time and `Jan 2, 2006 at 3:04pm (MST)`. Out: `Nov 21, 2026 at 9:00am (UTC)`.
//!
//! Mirrors: Go's `time` (format.go `Time.appendFormat`).

use super::layout::{Element, MONTHS, OffsetForm, Precision, WEEKDAYS, first_element};
use super::{Civil, Time};

pub(super) fn format(time: &Time, layout: &str) -> String {
    let civil = time.civil();
    let mut out = String::with_capacity(layout.len());
    let mut rest = layout;
    while let Some(found) = first_element(rest) {
        out.push_str(found.before);
        out.push_str(&element_text(time, &civil, found.element));
        rest = found.rest;
    }
    out.push_str(rest);
    out
}

fn element_text(time: &Time, civil: &Civil, element: Element) -> String {
    let month = MONTHS.get(usize::from(civil.month).wrapping_sub(1)).copied().unwrap_or("");
    let weekday = WEEKDAYS.get(usize::from(civil.weekday)).copied().unwrap_or("");
    let short = |name: &str| name.get(..3).unwrap_or(name).to_owned();
    let hour12 = if civil.hour.is_multiple_of(12) { 12 } else { civil.hour % 12 };
    match element {
        Element::LongMonth => month.to_owned(),
        Element::ShortMonth => short(month),
        Element::Month => civil.month.to_string(),
        Element::ZeroMonth => format!("{:02}", civil.month),
        Element::LongWeekday => weekday.to_owned(),
        Element::ShortWeekday => short(weekday),
        Element::Day => civil.day.to_string(),
        Element::SpaceDay => format!("{:2}", civil.day),
        Element::ZeroDay => format!("{:02}", civil.day),
        Element::SpaceYearDay => format!("{:3}", civil.year_day),
        Element::ZeroYearDay => format!("{:03}", civil.year_day),
        Element::Hour => format!("{:02}", civil.hour),
        Element::Hour12 => hour12.to_string(),
        Element::ZeroHour12 => format!("{hour12:02}"),
        Element::Minute => civil.minute.to_string(),
        Element::ZeroMinute => format!("{:02}", civil.minute),
        Element::Second => civil.second.to_string(),
        Element::ZeroSecond => format!("{:02}", civil.second),
        Element::LongYear => signed(civil.year, 4),
        Element::Year => format!("{:02}", civil.year.unsigned_abs() % 100),
        Element::UpperHalf => if civil.hour >= 12 { "PM" } else { "AM" }.to_owned(),
        Element::LowerHalf => if civil.hour >= 12 { "pm" } else { "am" }.to_owned(),
        Element::ZoneName if !time.zone.is_empty() => time.zone.to_string(),
        Element::ZoneName => {
            let form = OffsetForm { has_z: false, has_colon: false, precision: Precision::Minutes };
            offset_text(time.offset, form)
        }
        Element::Offset(form) => offset_text(time.offset, form),
        Element::Fraction { digits, separator } => {
            format!("{separator}{}", fraction(time.nanoseconds, digits))
        }
        Element::TrimmedFraction { digits, separator } => {
            let digits = fraction(time.nanoseconds, digits);
            let digits = digits.trim_end_matches('0');
            if digits.is_empty() { String::new() } else { format!("{separator}{digits}") }
        }
    }
}

/// The first digits of the nanoseconds, at most all nine.
fn fraction(nanoseconds: u32, digits: usize) -> String {
    format!("{nanoseconds:09}").chars().take(digits).collect()
}

/// Padded with zeros to this many digits; the sign comes on top.
fn signed(value: i64, width: usize) -> String {
    format!("{}{:0width$}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
}

// Go: an offset of some seconds west of UTC is written with `+`, and its seconds with `-`.
fn offset_text(offset: i32, form: OffsetForm) -> String {
    if offset == 0 && form.has_z {
        return "Z".into();
    }
    let minutes = offset / 60;
    let (sign, seconds) = if minutes < 0 { ('-', -offset % 60) } else { ('+', offset % 60) };
    let minutes = minutes.abs();
    let colon = if form.has_colon { ":" } else { "" };
    let hours = format!("{sign}{:02}", minutes / 60);
    match form.precision {
        Precision::Hours => hours,
        Precision::Minutes => format!("{hours}{colon}{:02}", minutes % 60),
        Precision::Seconds => {
            format!("{hours}{colon}{:02}{colon}{}", minutes % 60, signed(i64::from(seconds), 2))
        }
    }
}
