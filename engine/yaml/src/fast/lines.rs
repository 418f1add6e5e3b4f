//! The lines of a plain text: where they begin, how far in, and what is left of the current one.
//!
//! In: a text without tabs and carriage returns. Out: one line at a time, without blank lines and comments.
//! In `a:\n  - b: 1\n` the second line is at column 2; behind its dash it goes on as a line at column 4.

use super::scalar::{self, Block, FoundKey};
use engine_json::Str;
use memchr::memchr;

/// A key may have 1,024 characters; longer ones go to the full reader.
const MAX_KEY_BYTES: usize = 1000;

/// Whether a text holds only characters that the quick reader may take as they are.
pub(super) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_odd = |byte: u8| (byte < b' ' && byte != b'\n') || matches!(byte, 0x7f | 0xc2 | 0xe2 | 0xef);
    if bytes.last() != Some(&b'\n') {
        return false;
    }
    if !bytes.iter().fold(false, |odd, byte| odd | is_odd(*byte)) {
        return true;
    }
    // Go: U+0085, U+2028 and U+2029 are line breaks.
    let is_fine = |c: char| !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    let has_tab = bytes.iter().any(|byte| matches!(byte, b'\t' | b'\r'));
    !has_tab && crate::control::first(text).is_none() && text.chars().all(is_fine)
}

#[derive(Clone, Copy)]
struct Line {
    /// The column of what is left of the line.
    indent: usize,
    /// The byte at which it begins.
    start: usize,
    /// The byte of the line break.
    end: usize,
}

pub(super) struct Lines<'a> {
    text: &'a str,
    line: Option<Line>,
    /// Where the next line begins.
    next: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a document, behind its `---`; `None` where that line holds more.
    pub(super) fn new(text: &'a str) -> Option<Self> {
        let mut lines = Lines { text, line: None, next: 0 };
        lines.next();
        if lines.indent() == Some(0) && lines.rest().starts_with("---") {
            let behind = lines.rest().get(3..)?;
            if !behind.bytes().all(|byte| byte == b' ') {
                return None;
            }
            lines.next();
        }
        Some(lines)
    }

    /// The column of the line; `None` behind the last.
    pub(super) fn indent(&self) -> Option<usize> {
        self.line.map(|line| line.indent)
    }

    /// What is left of the line.
    pub(super) fn rest(&self) -> &'a str {
        self.line.and_then(|line| self.text.get(line.start..line.end)).unwrap_or("")
    }

    /// Goes to the next line that holds anything.
    pub(super) fn next(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            let from = self.next;
            let rest = bytes.get(from..).unwrap_or(&[]);
            let indent = rest.iter().take_while(|byte| **byte == b' ').count();
            let Some(first) = rest.get(indent) else {
                self.line = None;
                return;
            };
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            self.next = from + length + 1;
            if !matches!(first, b'\n' | b'#') {
                self.line = Some(Line { indent, start: from + indent, end: from + length });
                return;
            }
        }
    }

    /// Whether the line is an item of a list.
    pub(super) fn is_item(&self) -> bool {
        let rest = self.rest();
        rest.starts_with("- ") || rest == "-"
    }

    /// Goes behind the dash of an item; says whether anything is left of the line, and goes to the next one if not.
    pub(super) fn enter_item(&mut self) -> Option<bool> {
        let behind = self.rest().get(1..)?;
        let blanks = behind.bytes().take_while(|byte| *byte == b' ').count();
        self.advance(1 + blanks);
        if self.is_at_end() {
            self.next();
            return Some(false);
        }
        Some(true)
    }

    fn advance(&mut self, bytes: usize) {
        if let Some(line) = &mut self.line {
            line.start += bytes;
            line.indent += bytes;
        }
    }

    /// Whether nothing but a comment is left of the line; blanks before it are skipped already.
    pub(super) fn is_at_end(&self) -> bool {
        let rest = self.rest();
        rest.is_empty() || rest.starts_with('#')
    }

    /// The key of the entry of a map that the line is; `None` where that is not plain to see.
    #[expect(
        clippy::option_option,
        reason = "`None` hands over to the full reader, as everywhere in this reader"
    )]
    pub(super) fn key(&self) -> Option<Option<FoundKey<'a>>> {
        scalar::key(self.rest())
    }

    /// Goes behind a key of this length, to its value.
    pub(super) fn enter_value(&mut self, length: usize) -> Option<()> {
        if length > MAX_KEY_BYTES {
            return None;
        }
        let blanks = self.rest().get(length..)?.bytes().take_while(|byte| *byte == b' ').count();
        self.advance(length + blanks);
        Some(())
    }

    /// The text of a block scalar whose header is on the line, in a collection at this column; `None` where a blank
    /// line before it is wider than its first line.
    // Go: scannerc.go, `yaml_parser_scan_block_scalar`.
    pub(super) fn block_scalar(&mut self, outer: usize, block: Block) -> Option<Str> {
        let bytes = self.text.as_bytes();
        let mut indent = None;
        let mut text = String::new();
        // Line breaks that wait for a line behind them, the one of the last line first.
        let mut breaks = 0;
        let mut was_blank = false;
        let mut is_first = true;
        let mut widest = 0;
        while let Some(rest) = bytes.get(self.next..).filter(|rest| !rest.is_empty()) {
            let length = memchr(b'\n', rest).unwrap_or(rest.len());
            let blanks = rest.iter().take(length).take_while(|byte| **byte == b' ').count();
            let is_empty = blanks == length && indent.is_none_or(|indent| blanks <= indent);
            if is_empty {
                breaks += 1;
                widest = if is_first { blanks.max(widest) } else { widest };
                self.next += length + 1;
                continue;
            }
            let indent = *indent.get_or_insert(blanks.max(outer + 1));
            if is_first && widest > indent {
                return None;
            }
            if blanks < indent {
                break;
            }
            let is_blank = rest.get(indent) == Some(&b' ');
            if !is_first && block.is_folded && !was_blank && !is_blank {
                // One break is a blank, more are one break less.
                if breaks == 1 { text.push(' ') } else { push_breaks(&mut text, breaks - 1) }
            } else {
                push_breaks(&mut text, breaks);
            }
            let start = self.next + indent;
            text.push_str(self.text.get(start..self.next + length).unwrap_or(""));
            (breaks, was_blank, is_first) = (1, is_blank, false);
            self.next += length + 1;
        }
        if !is_first && !block.is_stripped {
            text.push('\n');
        }
        self.next();
        Some(Str::new(text))
    }
}

fn push_breaks(text: &mut String, count: usize) {
    text.extend(std::iter::repeat_n('\n', count));
}
