//! Upper and lower case as Go has them: one character for one.
//!
//! In: `straße`. Out: `STRAßE`, where Rust's own mapping makes two letters of the `ß`. Texts that differ only in
//! case have equal [`fold_key`]s.
//!
//! Mirrors: Go's `unicode` (`ToUpper`, `ToLower`, `SimpleFold`). The tables are those of Rust's standard library,
//! which knows a few letters that came into Unicode after Go's version 15.

use engine_json::ordered::OrderedMap;

/// The last character that has another case.
const LAST_CASED: char = '\u{1e943}';

/// The text in upper case.
pub fn upper_text(text: &str) -> String {
    text.chars().map(upper).collect()
}

/// The text in lower case.
pub fn lower_text(text: &str) -> String {
    text.chars().map(lower).collect()
}

fn upper(c: char) -> char {
    match c {
        // Unicode's full mapping writes the iota beside the capital; the simple one has capitals with the iota.
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => moved(c, 8),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => moved(c, 9),
        _ => only(c.to_uppercase()).unwrap_or(c),
    }
}

fn lower(c: char) -> char {
    match c {
        'İ' => 'i',
        _ => only(c.to_lowercase()).unwrap_or(c),
    }
}

fn moved(c: char, by: u32) -> char {
    char::from_u32(c as u32 + by).unwrap_or(c)
}

/// The character of a mapping that gives one.
fn only(mut mapping: impl Iterator<Item = char>) -> Option<char> {
    mapping.next().filter(|_| mapping.next().is_none())
}

/// A character that is the same for all characters that differ only in case.
pub fn fold_key(c: char) -> char {
    match c {
        // The Turkish letters stand for themselves.
        'a'..='z' | '0'..='9' | 'İ' | 'ı' => c,
        _ => lower(upper(c)),
    }
}

/// All characters that have another case, by their [`fold_key`].
pub(crate) struct Cases {
    by_key: OrderedMap<char, Vec<char>>,
}

impl Default for Cases {
    fn default() -> Self {
        Cases::new()
    }
}

impl Cases {
    /// Looks at every character once: to be made only where a pattern needs it.
    pub(crate) fn new() -> Self {
        let mut by_key: OrderedMap<char, Vec<char>> = OrderedMap::new();
        for c in 'A'..=LAST_CASED {
            let key = fold_key(c);
            if key != c {
                by_key.entry(key).or_insert_with(|| vec![key]).push(c);
            }
        }
        Cases { by_key }
    }

    /// The characters that differ from `c` only in case, itself among them; empty where there is no other.
    pub(crate) fn of(&self, c: char) -> &[char] {
        self.by_key.get(&fold_key(c)).map_or(&[], Vec::as_slice)
    }

    /// Every group of characters that differ only in case.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[char]> {
        self.by_key.values().map(Vec::as_slice)
    }
}
