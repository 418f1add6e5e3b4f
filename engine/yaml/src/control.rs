//! Control characters, which may not stand in YAML at all.
//!
//! In: a text. Out: where the first one is, and whether the original has met it. `a: x\u{1}y` is refused.
//!
//! Mirrors: go-yaml v2, readerc.go.

use crate::cursor::Mark;

/// How many bytes the original decodes at a time.
const CHUNK: usize = 512;

/// The first character that is not allowed.
pub(crate) fn first(text: &str) -> Option<Mark> {
    let is_suspect = |byte: &u8| matches!(byte, 0..=8 | 0xb | 0xc | 0xe..=0x1f | 0x7f | 0xc2 | 0xef);
    let mut from = 0;
    while let Some(found) = text.as_bytes().get(from..)?.iter().position(is_suspect) {
        let byte = from + found;
        let c = text.get(byte..)?.chars().next()?;
        if is_control(c) {
            let before = text.as_bytes().get(..byte)?;
            let line = u32::try_from(memchr::memchr_iter(b'\n', before).count()).unwrap_or(u32::MAX);
            return Some(Mark { byte, line, ..Mark::default() });
        }
        from = byte + c.len_utf8();
    }
    None
}

fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}'
        | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}

/// Whether the original has decoded the byte at `at` when it has read up to `end`.
pub(crate) fn is_decoded(end: usize, at: usize) -> bool {
    at / CHUNK <= end.saturating_add(4) / CHUNK
}
