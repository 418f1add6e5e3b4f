//! A place in a text that moves forward, and the classes of characters that YAML 1.1 knows.
//!
//! In: a text. Out: its bytes from the place on, with line, column and character count kept. Behind the end every
//! byte is 0, and a 0 in the text counts as its end.

/// A place: byte, characters before it, line and column from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) byte: usize,
    pub(crate) index: usize,
    pub(crate) line: u32,
    pub(crate) column: usize,
}

#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    pub(crate) mark: Mark,
}

impl<'a> Cursor<'a> {
    /// The beginning of the text, behind a byte order mark.
    pub(crate) fn new(text: &'a str) -> Self {
        let byte = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Cursor { text, mark: Mark { byte, ..Mark::default() } }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.mark.byte..).unwrap_or(&[])
    }

    /// The byte that many bytes ahead.
    pub(crate) fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.mark.byte + ahead).copied().unwrap_or(0)
    }

    pub(crate) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or("")
    }

    /// How many bytes the line break that many bytes ahead has; 0 where there is none.
    // Go: `is_break`; `\r\n` counts as one break when it is skipped or read.
    pub(crate) fn break_width(&self, ahead: usize) -> usize {
        match self.peek(ahead) {
            b'\r' if self.peek(ahead + 1) == b'\n' => 2,
            b'\n' | b'\r' => 1,
            0xc2 if self.peek(ahead + 1) == 0x85 => 2,
            0xe2 if self.peek(ahead + 1) == 0x80 && matches!(self.peek(ahead + 2), 0xa8 | 0xa9) => 3,
            _ => 0,
        }
    }

    pub(crate) fn is_break(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    pub(crate) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), b' ' | b'\t')
    }

    pub(crate) fn is_end(&self, ahead: usize) -> bool {
        self.peek(ahead) == 0
    }

    pub(crate) fn is_break_or_end(&self, ahead: usize) -> bool {
        self.is_end(ahead) || self.is_break(ahead)
    }

    pub(crate) fn is_blank_or_end(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_break_or_end(ahead)
    }

    /// Letters, digits, `_` and `-`.
    pub(crate) fn is_name(&self) -> bool {
        let byte = self.peek(0);
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    }

    /// Whether `---` or `...` stands here at the beginning of a line.
    pub(crate) fn is_document_indicator(&self) -> bool {
        self.mark.column == 0
            && matches!(self.rest(), [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..])
            && self.is_blank_or_end(3)
    }

    /// Goes one character on.
    pub(crate) fn skip(&mut self) {
        let width = match self.peek(0) {
            0 if self.mark.byte >= self.text.len() => 0,
            0..=0xbf => 1,
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0.. => 4,
        };
        self.mark.byte += width;
        self.mark.index += 1;
        self.mark.column += 1;
    }

    /// Goes on over this many bytes of ASCII without breaks.
    pub(crate) fn skip_ascii(&mut self, bytes: usize) {
        self.mark.byte += bytes;
        self.mark.index += bytes;
        self.mark.column += bytes;
    }

    /// Goes on over this many bytes without breaks.
    pub(crate) fn skip_bytes(&mut self, bytes: usize) {
        let skipped = self.rest().get(..bytes).unwrap_or(&[]);
        let characters = skipped.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.mark.byte += bytes;
        self.mark.index += characters;
        self.mark.column += characters;
    }

    /// Goes behind the line break here and says what it stands for in a value.
    // Go: `read_line`: all breaks become `\n` but U+2028 and U+2029.
    pub(crate) fn read_break(&mut self) -> &'a str {
        let width = self.break_width(0);
        if width == 0 {
            return "";
        }
        let text = if width == 3 { self.slice(self.mark.byte, self.mark.byte + 3) } else { "\n" };
        self.mark.index += if self.peek(0) == b'\r' { width } else { 1 };
        self.mark.byte += width;
        self.mark.line += 1;
        self.mark.column = 0;
        text
    }

    pub(crate) fn skip_blanks(&mut self) {
        while self.is_blank(0) {
            self.skip_ascii(1);
        }
    }

    /// Goes to the end of the line if a comment begins here.
    pub(crate) fn skip_comment(&mut self) {
        if self.peek(0) != b'#' {
            return;
        }
        loop {
            let plain = self
                .rest()
                .iter()
                .take_while(|byte| !matches!(byte, 0 | b'\r' | b'\n' | 0xc2 | 0xe2))
                .count();
            self.skip_bytes(plain);
            if self.is_break_or_end(0) {
                return;
            }
            self.skip();
        }
    }
}
