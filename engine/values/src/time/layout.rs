//! The elements of a layout: `Jan`, `02`, `15`, `.000`, `Z07:00`, …
//!
//! In: a layout. Out: the text before its first element, the element, and the rest. `"at 15h"` is the text `at `,
//! the hour, and `h`.
//!
//! Mirrors: Go's `time` (format.go `nextStdChunk`).

/// What stands for a part of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `January`.
    LongMonth,
    /// `Jan`.
    ShortMonth,
    /// `1`.
    Month,
    /// `01`.
    ZeroMonth,
    /// `Monday`.
    LongWeekday,
    /// `Mon`.
    ShortWeekday,
    /// `2`.
    Day,
    /// `_2`.
    SpaceDay,
    /// `02`.
    ZeroDay,
    /// `__2`.
    SpaceYearDay,
    /// `002`.
    ZeroYearDay,
    /// `15`.
    Hour,
    /// `3`.
    Hour12,
    /// `03`.
    ZeroHour12,
    /// `4`.
    Minute,
    /// `04`.
    ZeroMinute,
    /// `5`.
    Second,
    /// `05`.
    ZeroSecond,
    /// `2006`.
    LongYear,
    /// `06`.
    Year,
    /// `PM`.
    UpperHalf,
    /// `pm`.
    LowerHalf,
    /// `MST`.
    ZoneName,
    /// `-0700`, `Z07:00` and their like.
    Offset(OffsetForm),
    /// `.000`: so many digits.
    Fraction {
        /// How many zeros the layout has.
        digits: usize,
        /// `.` or `,`.
        separator: char,
    },
    /// `.999`: so many digits, without zeros at the end.
    TrimmedFraction {
        /// How many nines the layout has.
        digits: usize,
        /// `.` or `,`.
        separator: char,
    },
}

/// How an offset is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OffsetForm {
    /// `Z` for UTC.
    pub(super) has_z: bool,
    /// `:` between the parts.
    pub(super) has_colon: bool,
    /// How far it is written.
    pub(super) precision: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Hours,
    Minutes,
    Seconds,
}

/// The first element of a layout.
pub(super) struct Found<'a> {
    /// The text before it.
    pub(super) before: &'a str,
    pub(super) element: Element,
    /// As the layout writes it.
    pub(super) text: &'a str,
    pub(super) rest: &'a str,
}

/// Finds the first element; `None` where the layout has none.
pub(super) fn first_element(layout: &str) -> Option<Found<'_>> {
    layout.char_indices().find_map(|(at, _)| {
        let (before, tail) = layout.split_at_checked(at)?;
        let (skipped, element, length) = element_at(tail)?;
        let (_, tail) = tail.split_at_checked(skipped)?;
        let (text, rest) = tail.split_at_checked(length)?;
        Some(Found { before: layout.get(..before.len() + skipped)?, element, text, rest })
    })
}

/// The element at the beginning: how many bytes belong to the text before it, what it is, and its length.
fn element_at(tail: &str) -> Option<(usize, Element, usize)> {
    let starts = |name: &str| tail.starts_with(name);
    let is_word = |length: usize| tail.as_bytes().get(length).is_some_and(u8::is_ascii_lowercase);
    let found = |element: Element, length: usize| Some((0, element, length));
    match tail.as_bytes().first()? {
        b'J' if starts("January") => found(Element::LongMonth, 7),
        b'J' if starts("Jan") && !is_word(3) => found(Element::ShortMonth, 3),
        b'M' if starts("Monday") => found(Element::LongWeekday, 6),
        b'M' if starts("Mon") && !is_word(3) => found(Element::ShortWeekday, 3),
        b'M' if starts("MST") => found(Element::ZoneName, 3),
        b'0' => padded(tail).and_then(|(element, length)| found(element, length)),
        b'1' if starts("15") => found(Element::Hour, 2),
        b'1' => found(Element::Month, 1),
        b'2' if starts("2006") => found(Element::LongYear, 4),
        b'2' => found(Element::Day, 1),
        b'_' if starts("_2006") => Some((1, Element::LongYear, 4)),
        b'_' if starts("_2") => found(Element::SpaceDay, 2),
        b'_' if starts("__2") => found(Element::SpaceYearDay, 3),
        b'3' => found(Element::Hour12, 1),
        b'4' => found(Element::Minute, 1),
        b'5' => found(Element::Second, 1),
        b'P' if starts("PM") => found(Element::UpperHalf, 2),
        b'p' if starts("pm") => found(Element::LowerHalf, 2),
        b'-' | b'Z' => offset(tail).and_then(|(form, length)| found(Element::Offset(form), length)),
        b'.' | b',' => fraction(tail).and_then(|(element, length)| found(element, length)),
        _ => None,
    }
}

fn padded(tail: &str) -> Option<(Element, usize)> {
    let element = match tail.as_bytes().get(1)? {
        b'1' => Element::ZeroMonth,
        b'2' => Element::ZeroDay,
        b'3' => Element::ZeroHour12,
        b'4' => Element::ZeroMinute,
        b'5' => Element::ZeroSecond,
        b'6' => Element::Year,
        b'0' if tail.starts_with("002") => return Some((Element::ZeroYearDay, 3)),
        _ => return None,
    };
    Some((element, 2))
}

fn offset(tail: &str) -> Option<(OffsetForm, usize)> {
    let digits = tail.strip_prefix(['-', 'Z'])?;
    let forms = [
        ("070000", false, Precision::Seconds),
        ("07:00:00", true, Precision::Seconds),
        ("0700", false, Precision::Minutes),
        ("07:00", true, Precision::Minutes),
        ("07", false, Precision::Hours),
    ];
    let (text, has_colon, precision) = forms.into_iter().find(|(text, _, _)| digits.starts_with(text))?;
    Some((OffsetForm { has_z: tail.starts_with('Z'), has_colon, precision }, text.len() + 1))
}

/// Zeros or nines behind a point or a comma, if no other digit follows them.
fn fraction(tail: &str) -> Option<(Element, usize)> {
    let separator = tail.chars().next()?;
    let digit = *tail.as_bytes().get(1).filter(|byte| matches!(byte, b'0' | b'9'))?;
    let digits = tail.bytes().skip(1).take_while(|byte| *byte == digit).count();
    if tail.as_bytes().get(digits + 1).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let element = if digit == b'0' {
        Element::Fraction { digits, separator }
    } else {
        Element::TrimmedFraction { digits, separator }
    };
    Some((element, digits + 1))
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub(super) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
