//! Texts and places in them.
//!
//! In: the texts a caller numbers. Out: byte spans, and lines and UTF-16 offsets where a person or an editor
//! asks for them. `LineIndex::new("a\nü: 1").position(5)` is line 2, column 2.

use std::sync::Arc;

/// Which text a span lies in; the caller numbers its texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// One text: a file, an editor pane, standard input.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its number, which every span into it carries.
    pub id: SourceId,
    /// What a message calls it, such as a file path.
    pub name: String,
    /// The text itself.
    pub text: Arc<str>,
}

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

/// Where the lines of a text begin.
///
/// A line ends at `\n`, `\r` or `\r\n`, as editors count.
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: Arc<str>,
    /// Bytes at which lines begin, with the UTF-16 offset of each.
    // INVARIANT: sorted by byte, and the first is the start of the text.
    lines: Vec<(u32, u32)>,
}

impl LineIndex {
    /// The index of this text.
    pub fn new(text: &str) -> Self {
        let mut lines = vec![(0, 0)];
        let mut utf16: u32 = 0;
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            utf16 = utf16.saturating_add(if c.len_utf16() == 2 { 2 } else { 1 });
            let ends = c == '\n' || (c == '\r' && chars.peek().is_none_or(|(_, next)| *next != '\n'));
            if ends {
                lines.push((u32::try_from(at + 1).unwrap_or(u32::MAX), utf16));
            }
        }
        LineIndex { text: Arc::from(text), lines }
    }

    /// Line and column of a byte, both from 1, the column in characters.
    ///
    /// A byte behind the end counts as the end, a byte inside a character as its beginning.
    pub fn position(&self, byte: u32) -> (u32, u32) {
        let (line, head, _) = self.line_of(byte);
        let column = head.chars().count();
        (line, u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// The offset of a byte in UTF-16 units, as browsers count.
    pub fn utf16(&self, byte: u32) -> u32 {
        let (_, head, before) = self.line_of(byte);
        let units = head.chars().map(char::len_utf16).sum::<usize>();
        before.saturating_add(u32::try_from(units).unwrap_or(u32::MAX))
    }

    /// How many lines the text has; text behind the last line break is a line even when it is empty.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// The line of a byte from 1, the text of that line before it, and the UTF-16 offset of the line.
    fn line_of(&self, byte: u32) -> (u32, &str, u32) {
        let line = self.lines.partition_point(|(start, _)| *start <= byte).max(1);
        let (start, utf16) = self.lines.get(line - 1).copied().unwrap_or((0, 0));
        let mut end = (byte as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let head = self.text.get(start as usize..end).unwrap_or("");
        (u32::try_from(line).unwrap_or(u32::MAX), head, utf16)
    }
}
