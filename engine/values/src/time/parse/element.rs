//! One element of a layout read from the text.
//!
//! In: the element and the text that is left. Out: the part of the time, and the text behind it.
//!
//! Mirrors: Go's `time` (format.go: the switch in `parse`, `getnum`, `parseNanoseconds`, `parseTimeZone`).

use super::{Failure, Parts, Rest};
use crate::time::layout::{Element, MONTHS, OffsetForm, Precision, WEEKDAYS, first_element};

/// Reads one element; `layout_rest` is the layout behind it.
pub(super) fn read(
    parts: &mut Parts,
    value: &mut Rest<'_>,
    element: Element,
    layout_rest: &str,
) -> Result<(), Failure> {
    match element {
        Element::Year => {
            let year = sign_and_digits(take(value, 2)?).ok_or(Failure::Form)?;
            parts.year = if year >= 69 { year + 1900 } else { year + 2000 };
        }
        Element::LongYear => {
            let text = take(value, 4)?;
            let year = sign_and_digits(text).filter(|_| digit(text, 0).is_some());
            parts.year = year.ok_or(Failure::Form)?;
        }
        Element::ShortMonth => parts.month = name(value, &MONTHS, Some(3))? + 1,
        Element::LongMonth => parts.month = name(value, &MONTHS, None)? + 1,
        Element::Month => parts.month = number(value, false)?,
        Element::ZeroMonth => parts.month = number(value, true)?,
        // The day of the week is checked for its form and otherwise passed over.
        Element::ShortWeekday => drop(name(value, &WEEKDAYS, Some(3))?),
        Element::LongWeekday => drop(name(value, &WEEKDAYS, None)?),
        Element::Day => parts.day = number(value, false)?,
        Element::SpaceDay => {
            skip_space(value);
            parts.day = number(value, false)?;
        }
        Element::ZeroDay => parts.day = number(value, true)?,
        Element::SpaceYearDay => {
            skip_space(value);
            skip_space(value);
            parts.year_day = year_day(value, false)?;
        }
        Element::ZeroYearDay => parts.year_day = year_day(value, true)?,
        Element::Hour => parts.hour = number_below(value, false, 24, "hour")?,
        Element::Hour12 => parts.hour = number_below(value, false, 13, "hour")?,
        Element::ZeroHour12 => parts.hour = number_below(value, true, 13, "hour")?,
        Element::Minute => parts.minute = number_below(value, false, 60, "minute")?,
        Element::ZeroMinute => parts.minute = number_below(value, true, 60, "minute")?,
        Element::Second => second(parts, value, false, layout_rest)?,
        Element::ZeroSecond => second(parts, value, true, layout_rest)?,
        Element::UpperHalf => half(parts, value, b"AM", b"PM")?,
        Element::LowerHalf => half(parts, value, b"am", b"pm")?,
        Element::Offset(form) => offset(parts, value, form)?,
        Element::ZoneName => zone_name(parts, value)?,
        Element::Fraction { digits, .. } => {
            let text = take(value, digits + 1)?;
            parts.nanoseconds = nanoseconds(text)?;
        }
        Element::TrimmedFraction { .. } => {
            if let Some(text) = fraction(value) {
                parts.nanoseconds = nanoseconds(text)?;
            }
        }
    }
    if matches!(element, Element::Month | Element::ZeroMonth) && !(1..=12).contains(&parts.month) {
        return Err(Failure::Range("month"));
    }
    Ok(())
}

/// Cuts off so many bytes.
fn take<'a>(value: &mut Rest<'a>, length: usize) -> Result<Rest<'a>, Failure> {
    let (taken, rest) = value.split_at_checked(length).ok_or(Failure::Form)?;
    *value = rest;
    Ok(taken)
}

fn digit(value: Rest<'_>, at: usize) -> Option<i64> {
    value.get(at).filter(|byte| byte.is_ascii_digit()).map(|byte| i64::from(byte - b'0'))
}

fn skip_space(value: &mut Rest<'_>) {
    if let Some((b' ', rest)) = value.split_first() {
        *value = rest;
    }
}

/// One or two digits, or exactly two.
fn number(value: &mut Rest<'_>, is_two_digits: bool) -> Result<i64, Failure> {
    let first = digit(value, 0).ok_or(Failure::Form)?;
    match digit(value, 1) {
        Some(second) => {
            take(value, 2)?;
            Ok(first * 10 + second)
        }
        None if is_two_digits => Err(Failure::Form),
        None => {
            take(value, 1)?;
            Ok(first)
        }
    }
}

fn number_below(
    value: &mut Rest<'_>,
    is_two_digits: bool,
    limit: i64,
    name: &'static str,
) -> Result<i64, Failure> {
    let number = number(value, is_two_digits)?;
    if number < limit { Ok(number) } else { Err(Failure::Range(name)) }
}

/// One to three digits, or exactly three.
fn year_day(value: &mut Rest<'_>, is_three_digits: bool) -> Result<i64, Failure> {
    let length = value.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
    if length == 0 || is_three_digits && length != 3 {
        return Err(Failure::Form);
    }
    sign_and_digits(take(value, length)?).ok_or(Failure::Form)
}

/// A number with an optional sign; no digits are zero.
fn sign_and_digits(text: Rest<'_>) -> Option<i64> {
    let (is_negative, digits) = match text.split_first() {
        Some((sign @ (b'+' | b'-'), digits)) => (*sign == b'-', digits),
        Some(_) | None => (false, text),
    };
    let size = digits.iter().try_fold(0_i64, |size, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        size.checked_mul(10)?.checked_add(digit)
    })?;
    Some(if is_negative { -size } else { size })
}

/// The place of the first name that the value begins with, whatever its case; `length` shortens the names.
fn name(value: &mut Rest<'_>, names: &[&str], length: Option<usize>) -> Result<i64, Failure> {
    for (at, name) in (0..).zip(names) {
        let name = name.get(..length.unwrap_or(name.len())).unwrap_or(name).as_bytes();
        if let Some((found, rest)) = value.split_at_checked(name.len())
            && found.eq_ignore_ascii_case(name)
        {
            *value = rest;
            return Ok(at);
        }
    }
    Err(Failure::Form)
}

/// Seconds, and a fraction that the layout does not name.
fn second(
    parts: &mut Parts,
    value: &mut Rest<'_>,
    is_two_digits: bool,
    layout_rest: &str,
) -> Result<(), Failure> {
    parts.second = number_below(value, is_two_digits, 60, "second")?;
    let next = first_element(layout_rest).map(|found| found.element);
    if !matches!(next, Some(Element::Fraction { .. } | Element::TrimmedFraction { .. }))
        && let Some(text) = fraction(value)
    {
        parts.nanoseconds = nanoseconds(text)?;
    }
    Ok(())
}

/// A point or comma with all digits behind it, if there is one.
fn fraction<'a>(value: &mut Rest<'a>) -> Option<Rest<'a>> {
    value.first().filter(|byte| matches!(byte, b'.' | b','))?;
    let digits = value.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return None;
    }
    take(value, digits + 1).ok()
}

/// The digits behind the point as nanoseconds; what lies beyond nine digits is dropped.
fn nanoseconds(text: Rest<'_>) -> Result<i64, Failure> {
    let digits = match text.split_first() {
        Some((b'.' | b',', digits)) => digits.get(..9).unwrap_or(digits),
        Some(_) | None => return Err(Failure::Form),
    };
    let number = sign_and_digits(digits).ok_or(Failure::Form)?;
    if number < 0 {
        return Err(Failure::Range("fractional second"));
    }
    let missing = u32::try_from(9 - digits.len().min(9)).unwrap_or(0);
    Ok(number * 10_i64.pow(missing))
}

fn half(parts: &mut Parts, value: &mut Rest<'_>, before: &[u8], after: &[u8]) -> Result<(), Failure> {
    let text = take(value, 2)?;
    parts.is_before_noon |= text == before;
    parts.is_after_noon |= text == after;
    if text == before || text == after { Ok(()) } else { Err(Failure::Form) }
}

fn offset(parts: &mut Parts, value: &mut Rest<'_>, form: OffsetForm) -> Result<(), Failure> {
    if form.has_z
        && let Some((b'Z', rest)) = value.split_first()
    {
        *value = rest;
        parts.is_utc = true;
        return Ok(());
    }
    let length = match (form.precision, form.has_colon) {
        (Precision::Hours, _) => 3,
        (Precision::Minutes, false) => 5,
        (Precision::Minutes, true) => 6,
        (Precision::Seconds, false) => 7,
        (Precision::Seconds, true) => 9,
    };
    let text = value.get(..length).ok_or(Failure::Form)?;
    let is_colon = |at: usize| text.get(at).is_none_or(|byte| *byte == b':');
    if form.has_colon && !(is_colon(3) && is_colon(6)) {
        return Err(Failure::Form);
    }
    take(value, length)?;
    let step = if form.has_colon { 3 } else { 2 };
    let two_digits = |at: usize| Some(digit(text, at)? * 10 + digit(text, at + 1)?);
    // Go: what comes behind a part that is not a number counts as zero, so that an hour out of range is said first.
    let mut is_fine = true;
    let mut part = |at: usize, name: &'static str, limit: i64| {
        let number = if is_fine && at < length { two_digits(at) } else { Some(0) };
        is_fine &= number.is_some();
        match number {
            Some(number) if number > limit => Err(Failure::Range(name)),
            Some(number) => Ok(number),
            None => Ok(0),
        }
    };
    let hours = part(1, "time zone offset hour", 24);
    let minutes = part(1 + step, "time zone offset minute", 60);
    let seconds = part(1 + 2 * step, "time zone offset second", 60);
    // Go: of several parts out of range the last is named.
    let seconds = seconds?;
    let minutes = minutes?;
    parts.offset = (hours? * 60 + minutes) * 60 + seconds;
    match text.first() {
        Some(b'+') if is_fine => Ok(()),
        Some(b'-') if is_fine => {
            parts.offset = -parts.offset;
            Ok(())
        }
        Some(_) | None => Err(Failure::Form),
    }
}

fn zone_name(parts: &mut Parts, value: &mut Rest<'_>) -> Result<(), Failure> {
    if value.starts_with(b"UTC") {
        take(value, 3)?;
        parts.is_utc = true;
        return Ok(());
    }
    let length = zone_length(value).ok_or(Failure::Form)?;
    parts.zone = String::from_utf8_lossy(take(value, length)?).into_owned();
    Ok(())
}

/// How long the zone's name is that the value begins with.
// Go: format.go parseTimeZone.
fn zone_length(value: Rest<'_>) -> Option<usize> {
    if value.len() < 3 {
        return None;
    }
    if value.starts_with(b"ChST") || value.starts_with(b"MeST") {
        return Some(4);
    }
    if let Some(behind) = value.strip_prefix(b"GMT") {
        return Some(3 + signed_hours_length(behind).unwrap_or(0));
    }
    if matches!(value.first(), Some(b'+' | b'-')) {
        return signed_hours_length(value);
    }
    match value.iter().take(6).take_while(|byte| byte.is_ascii_uppercase()).count() {
        5 if value.get(4) == Some(&b'T') => Some(5),
        4 if value.get(3) == Some(&b'T') || value.starts_with(b"WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

/// The length of a sign and a number up to 23.
fn signed_hours_length(value: Rest<'_>) -> Option<usize> {
    let (_, digits) = value.split_first().filter(|(sign, _)| matches!(sign, b'+' | b'-'))?;
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let hours = sign_and_digits(digits.get(..length)?)?;
    (length > 0 && hours <= 23).then_some(length + 1)
}
