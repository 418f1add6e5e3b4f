//! The order in which go-yaml writes keys: letters behind other characters, runs of digits by their number.
//!
//! In: the keys of a map. Out: `["a1", "a10", "a2"]` becomes `["a1", "a2", "a10"]`.
//!
//! Mirrors: go-yaml v2 and v3, sorter.go.

use super::Style;
use engine_json::{Map, Str, Value};

/// The entries of a map in the order of this original.
pub(super) fn sorted(style: Style, map: &Map) -> Vec<(&Str, &Value)> {
    let mut entries: Vec<(&Str, &Value)> = map.iter().collect();
    // The comparison is not an order for all sets of keys, and the sort of the standard library may refuse such.
    let mut width = 1;
    while width < entries.len() {
        let merged: Vec<_> = entries.chunks(width * 2).flat_map(|run| merge(style, run, width)).collect();
        entries = merged;
        width *= 2;
    }
    entries
}

fn merge<'v>(style: Style, run: &[(&'v Str, &'v Value)], width: usize) -> Vec<(&'v Str, &'v Value)> {
    let (left, right) = run.split_at(width.min(run.len()));
    let mut left = left.iter().peekable();
    let mut right = right.iter().peekable();
    let mut merged = Vec::with_capacity(run.len());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if is_less(style, b.0, a.0) => merged.extend(right.next()),
            (Some(_), _) => merged.extend(left.next()),
            (None, Some(_)) => merged.extend(right.next()),
            (None, None) => return merged,
        }
    }
}

/// Whether key `a` comes before key `b`.
// Go: sorter.go, `(l keyList) Less`.
fn is_less(style: Style, a: &str, b: &str) -> bool {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let same = (0..=same).rev().find(|at| a.is_char_boundary(*at) && b.is_char_boundary(*at)).unwrap_or(0);
    let (before, rest_a) = a.split_at(same);
    let (_, rest_b) = b.split_at(same);
    let (Some(x), Some(y)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return rest_a.len() < rest_b.len();
    };
    let (is_letter_x, is_letter_y) = (is_letter(x), is_letter(y));
    if is_letter_x && is_letter_y {
        return x < y;
    }
    if is_letter_x || is_letter_y {
        // Go: v3 lets a letter come first behind a digit, so that `a1b` precedes `a10`.
        let is_behind_digit = before.chars().next_back().is_some_and(|c| c.is_ascii_digit());
        return if style == Style::V3 && is_behind_digit { is_letter_x } else { is_letter_y };
    }
    // A zero in the middle of a number does not count as the beginning of one.
    let mut start = 0;
    if x == '0' || y == '0' {
        let digits = before.chars().rev().take_while(char::is_ascii_digit);
        start = i64::from(digits.into_iter().any(|c| c != '0'));
    }
    let (number_x, length_x) = digits(start, rest_a);
    let (number_y, length_y) = digits(start, rest_b);
    (number_x, length_x, x) < (number_y, length_y, y)
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !c.is_numeric()
}

/// The number that the leading digits make behind `start`, and how many they are.
fn digits(start: i64, text: &str) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((start, 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), length + 1)
    })
}
