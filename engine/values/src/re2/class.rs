//! Sets of characters.
//!
//! In: ranges, in any order. Out: the set as sorted ranges that neither touch nor overlap; `[a-cb-e]` is `a-e`.

use crate::letters::{Cases, fold_key};
use engine_json::arrange::Arrange as _;

/// The last character.
pub(super) const LAST: u32 = 0x10_ffff;

/// Characters between these have another case, and no others.
const FIRST_CASED: u32 = 0x41;
const LAST_CASED: u32 = 0x1_e943;

/// A set of characters; like Go's it may hold surrogates, which no text does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    // INVARIANT: sorted, with a gap between each range and the next.
    ranges: Vec<(u32, u32)>,
}

impl Class {
    /// The set of these ranges, both ends included.
    pub(super) fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.arrange();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Class { ranges: merged }
    }

    /// The ranges, sorted.
    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// All other characters.
    #[must_use]
    pub(super) fn negated(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(low, high) in &self.ranges {
            if low > next {
                ranges.push((next, low - 1));
            }
            next = high.saturating_add(1);
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        Class { ranges }
    }

    /// Whether the set holds anything but this character.
    pub(super) fn contains_more_than(&self, c: char) -> bool {
        self.ranges != [(u32::from(c), u32::from(c))]
    }

    /// Whether the set holds the character.
    pub(super) fn contains(&self, c: char) -> bool {
        let c = u32::from(c);
        let at = self.ranges.partition_point(|&(_, high)| high < c);
        self.ranges.get(at).is_some_and(|&(low, _)| low <= c)
    }
}

/// Adds what differs from a character only in case.
#[derive(Default)]
pub(super) struct Folding {
    /// Made when it is first asked for.
    cases: Option<Cases>,
}

impl Folding {
    /// The set of a character and its other cases.
    pub(super) fn of(&mut self, c: char) -> Class {
        let mut ranges = Vec::new();
        self.add(u32::from(c), u32::from(c), &mut ranges);
        Class::new(ranges)
    }

    /// Adds a range and all other cases of its characters.
    pub(super) fn add(&mut self, low: u32, high: u32, ranges: &mut Vec<(u32, u32)>) {
        ranges.push((low, high));
        if high < FIRST_CASED || low > LAST_CASED || low <= FIRST_CASED && high >= LAST_CASED {
            return;
        }
        if high < 0x80 {
            ascii(low, high, ranges);
            return;
        }
        let cases = self.cases.get_or_insert_with(Cases::new);
        let mut add_all = |group: &[char]| ranges.extend(group.iter().map(|&c| (u32::from(c), u32::from(c))));
        if high - low < 64 {
            (low..=high).filter_map(char::from_u32).for_each(|c| add_all(cases.of(c)));
            return;
        }
        let is_inside = |c: &char| (low..=high).contains(&u32::from(*c));
        cases.groups().filter(|group| group.iter().any(is_inside)).for_each(add_all);
    }
}

/// As `Folding::add` for characters of ASCII, of which two have a third form.
fn ascii(low: u32, high: u32, ranges: &mut Vec<(u32, u32)>) {
    for c in (low..=high).filter_map(char::from_u32).filter(char::is_ascii_alphabetic) {
        let lower = fold_key(c);
        ranges.extend([lower, lower.to_ascii_uppercase()].map(|c| (u32::from(c), u32::from(c))));
        match lower {
            'k' => ranges.push((0x212a, 0x212a)),
            's' => ranges.push((0x17f, 0x17f)),
            _ => {}
        }
    }
}
