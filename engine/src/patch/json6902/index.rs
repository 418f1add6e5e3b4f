//! Places in lists, as a path writes them.
//!
//! In: `2`, `-1` or `-`. Out: a number, or Go's words for why it is none.

use super::document::Fault;
use crate::value::go_text::quote;
use std::num::IntErrorKind;

/// Reads a place.
// Go: strconv.Atoi.
pub(super) fn parse(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        let reason = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.Atoi: parsing {}: {reason}", quote(text))
    })
}

/// The place of an item: one below zero counts back from `end`. `None`: behind the end.
pub(super) fn resolve(at: i64, end: usize) -> Result<Option<usize>, Fault> {
    let resolved = if at < 0 { i64::try_from(end).unwrap_or(i64::MAX).saturating_add(at) } else { at };
    match usize::try_from(resolved) {
        Ok(place) => Ok((place < end).then_some(place)),
        Err(_) => Err(invalid(at)),
    }
}

/// The error for a place that is not there.
pub(super) fn invalid(at: i64) -> Fault {
    Fault::Invalid(format!("Unable to access invalid index: {at}: invalid index referenced"))
}
