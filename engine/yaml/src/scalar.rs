//! Scalars: plain, quoted, and blocks behind `|` and `>`.
//!
//! In: a cursor on the first character. Out: the token with the text that the scalar stands for: line breaks folded,
//! escapes decoded. `"a\n  b"` over two lines is `a b`.
//!
//! Mirrors: go-yaml v2, scannerc.go, `yaml_parser_scan_plain_scalar`, `…_flow_scalar`, `…_block_scalar`.

use crate::cursor::{Cursor, Mark};
use crate::fault::{self, Fault};
use crate::token::{ScalarStyle, Token, TokenKind};
use std::borrow::Cow;

type Scanned<T> = Result<T, Fault>;

/// A text that is put together from pieces of the source; as long as they touch each other nothing is copied.
struct Text<'a> {
    source: &'a str,
    start: usize,
    end: usize,
    copied: Option<String>,
}

impl<'a> Text<'a> {
    fn new(source: &'a str, start: usize) -> Self {
        Text { source, start, end: start, copied: None }
    }

    /// Adds this piece of the source.
    fn piece(&mut self, from: usize, to: usize) {
        if self.copied.is_none() && self.start == self.end {
            (self.start, self.end) = (from, to);
        } else if self.copied.is_none() && self.end == from {
            self.end = to;
        } else {
            let piece = self.source.get(from..to).unwrap_or("");
            self.copy().push_str(piece);
        }
    }

    /// Adds what is not written there in this form.
    fn other(&mut self, text: &str) {
        if !text.is_empty() {
            self.copy().push_str(text);
        }
    }

    fn copy(&mut self) -> &mut String {
        let so_far = self.source.get(self.start..self.end).unwrap_or("");
        self.copied.get_or_insert_with(|| so_far.to_owned())
    }

    fn finish(self) -> Cow<'a, str> {
        match self.copied {
            Some(copied) => Cow::Owned(copied),
            None => Cow::Borrowed(self.source.get(self.start..self.end).unwrap_or("")),
        }
    }
}

/// Blanks and breaks between two words.
#[derive(Default)]
struct Gap {
    /// Bytes of blanks before the first break.
    blanks: (usize, usize),
    has_break: bool,
    first_break: String,
    more_breaks: String,
}

impl Gap {
    /// Reads blanks and breaks; `is_tab_allowed` decides by the column for tabs behind a break.
    fn read(&mut self, cursor: &mut Cursor<'_>, is_tab_allowed: impl Fn(usize) -> bool) -> Result<(), Mark> {
        self.blanks = (cursor.mark.byte, cursor.mark.byte);
        loop {
            if cursor.is_blank(0) {
                if self.has_break && cursor.peek(0) == b'\t' && !is_tab_allowed(cursor.mark.column) {
                    return Err(cursor.mark);
                }
                cursor.skip_ascii(1);
                if !self.has_break {
                    self.blanks.1 = cursor.mark.byte;
                }
            } else if cursor.is_break(0) {
                let text = cursor.read_break();
                if self.has_break {
                    self.more_breaks.push_str(text);
                } else {
                    self.first_break.push_str(text);
                }
                self.has_break = true;
            } else {
                return Ok(());
            }
        }
    }

    /// Adds what the gap stands for: one break is a blank, more are one break less.
    fn write(&self, text: &mut Text<'_>) {
        if !self.has_break {
            text.piece(self.blanks.0, self.blanks.1);
        } else if self.first_break != "\n" {
            text.other(&self.first_break);
            text.other(&self.more_breaks);
        } else if self.more_breaks.is_empty() {
            text.other(" ");
        } else {
            text.other(&self.more_breaks);
        }
    }
}

/// A plain scalar, and whether it was followed by a line break.
pub(crate) fn plain<'a>(cursor: &mut Cursor<'a>, indent: isize, in_flow: bool) -> Scanned<(Token<'a>, bool)> {
    let start = cursor.mark;
    let mut end = start;
    let indent = usize::try_from(indent + 1).unwrap_or(0);
    let mut text = Text::new(cursor.text, start.byte);
    let mut gap: Option<Gap> = None;
    while !cursor.is_document_indicator() && cursor.peek(0) != b'#' {
        let from = cursor.mark.byte;
        skip_word(cursor, in_flow);
        if cursor.mark.byte > from {
            if let Some(gap) = gap.take() {
                gap.write(&mut text);
            }
            text.piece(from, cursor.mark.byte);
            end = cursor.mark;
        }
        if !cursor.is_blank(0) && !cursor.is_break(0) {
            break;
        }
        // Go: a gap in which no word followed goes on, with its break.
        let gap = gap.get_or_insert_with(Gap::default);
        if gap.read(cursor, |column| column >= indent).is_err() {
            let message = "found a tab character that violates indentation";
            return Err(fault::scanner(start, cursor.mark, message));
        }
        if !in_flow && cursor.mark.column < indent {
            break;
        }
    }
    let kind = TokenKind::Scalar(text.finish(), ScalarStyle::Plain);
    Ok((Token { kind, start, end }, gap.is_some_and(|gap| gap.has_break)))
}

/// Goes over characters up to a blank, a break, or what ends a plain scalar.
fn skip_word(cursor: &mut Cursor<'_>, in_flow: bool) {
    loop {
        let is_plain = |byte: &u8| match byte {
            0 | b' ' | b'\t' | b'\r' | b'\n' | b':' | 0xc2 | 0xe2 => false,
            b',' | b'?' | b'[' | b']' | b'{' | b'}' => !in_flow,
            _ => true,
        };
        let plain = cursor.rest().iter().take_while(|byte| is_plain(byte)).count();
        cursor.skip_bytes(plain);
        let ends = match cursor.peek(0) {
            b':' => cursor.is_blank_or_end(1),
            0xc2 | 0xe2 => cursor.is_break(0),
            _ => true,
        };
        if ends {
            return;
        }
        cursor.skip();
    }
}

/// A scalar in single or double quotes.
pub(crate) fn quoted<'a>(cursor: &mut Cursor<'a>, is_single: bool) -> Scanned<Token<'a>> {
    let start = cursor.mark;
    cursor.skip();
    let mut text = Text::new(cursor.text, cursor.mark.byte);
    let quote = if is_single { b'\'' } else { b'"' };
    loop {
        if cursor.is_document_indicator() {
            return Err(fault::scanner(start, cursor.mark, "found unexpected document indicator"));
        }
        if cursor.is_end(0) {
            return Err(fault::scanner(start, cursor.mark, "found unexpected end of stream"));
        }
        let mut gap = Gap::default();
        while !cursor.is_blank_or_end(0) {
            let from = cursor.mark.byte;
            match cursor.peek(0) {
                b'\'' if is_single && cursor.peek(1) == b'\'' => {
                    cursor.skip_ascii(2);
                    text.piece(from, from + 1);
                }
                byte if byte == quote => break,
                b'\\' if !is_single && cursor.is_break(1) => {
                    cursor.skip();
                    cursor.read_break();
                    // The break is gone, and so are the blanks behind it.
                    gap.has_break = true;
                    break;
                }
                b'\\' if !is_single => text.other(escape(cursor, start)?.encode_utf8(&mut [0; 4])),
                _ => {
                    skip_quoted_word(cursor, quote);
                    text.piece(from, cursor.mark.byte);
                }
            }
        }
        if cursor.peek(0) == quote {
            break;
        }
        // Go: tabs are blanks between quotes, wherever they stand.
        let _ = gap.read(cursor, |_| true);
        gap.write(&mut text);
    }
    cursor.skip();
    let kind = TokenKind::Scalar(text.finish(), ScalarStyle::Quoted);
    Ok(Token { kind, start, end: cursor.mark })
}

/// Goes over characters that stand for themselves between quotes; at least one.
fn skip_quoted_word(cursor: &mut Cursor<'_>, quote: u8) {
    let is_plain =
        |byte: &u8| !matches!(byte, 0 | b' ' | b'\t' | b'\r' | b'\n' | b'\\' | 0xc2 | 0xe2) && *byte != quote;
    let plain = cursor.rest().iter().take_while(|byte| is_plain(byte)).count();
    if plain == 0 {
        cursor.skip();
    } else {
        cursor.skip_bytes(plain);
    }
}

/// The character that the escape here stands for.
fn escape(cursor: &mut Cursor<'_>, start: Mark) -> Scanned<char> {
    let digits = match cursor.peek(1) {
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        short => {
            let Some(c) = short_escape(short) else {
                return Err(fault::scanner(start, cursor.mark, "found unknown escape character"));
            };
            cursor.skip_ascii(2);
            return Ok(c);
        }
    };
    cursor.skip_ascii(2);
    let code = cursor.rest().get(..digits).and_then(|digits| std::str::from_utf8(digits).ok());
    let code = code.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(code) = code.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
        return Err(fault::scanner(start, cursor.mark, "did not find expected hexdecimal number"));
    };
    // Go: surrogates are refused one by one, so that JSON's pairs of them are not YAML.
    let Some(c) = char::from_u32(code) else {
        return Err(fault::scanner(start, cursor.mark, "found invalid Unicode character escape code"));
    };
    cursor.skip_ascii(digits);
    Ok(c)
}

fn short_escape(byte: u8) -> Option<char> {
    Some(match byte {
        b'0' => '\0',
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\u{b}',
        b'f' => '\u{c}',
        b'r' => '\r',
        b'e' => '\u{1b}',
        b' ' => ' ',
        b'"' => '"',
        b'\'' => '\'',
        b'\\' => '\\',
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        // Go: no `\/`, so that JSON with it is not YAML.
        _ => return None,
    })
}

/// What becomes of the line breaks at the end of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

/// A scalar behind `|` or `>`.
pub(crate) fn block<'a>(cursor: &mut Cursor<'a>, outer: isize, is_literal: bool) -> Scanned<Token<'a>> {
    let start = cursor.mark;
    cursor.skip();
    let (chomping, increment) = header(cursor, start)?;
    let outer_indent = usize::try_from(outer).unwrap_or(0);
    // 0 as long as the first line has not shown it.
    let mut indent = if increment > 0 { outer_indent + increment } else { 0 };
    let mut text = Text::new(cursor.text, cursor.mark.byte);
    let mut more_breaks = String::new();
    let mut end = cursor.mark;
    block_breaks(cursor, outer, &mut indent, &mut more_breaks, start, &mut end)?;
    let mut last_break = "";
    let mut was_blank = false;
    while cursor.mark.column == indent && !cursor.is_end(0) {
        let is_blank = cursor.is_blank(0);
        if !is_literal && !was_blank && !is_blank && last_break == "\n" {
            if more_breaks.is_empty() {
                text.other(" ");
            }
        } else {
            text.other(last_break);
        }
        text.other(&more_breaks);
        more_breaks.clear();
        was_blank = is_blank;
        let from = cursor.mark.byte;
        skip_line(cursor);
        text.piece(from, cursor.mark.byte);
        last_break = cursor.read_break();
        block_breaks(cursor, outer, &mut indent, &mut more_breaks, start, &mut end)?;
    }
    if chomping != Chomping::Strip {
        text.other(last_break);
    }
    if chomping == Chomping::Keep {
        text.other(&more_breaks);
    }
    let kind = TokenKind::Scalar(text.finish(), ScalarStyle::Block);
    Ok(Token { kind, start, end })
}

/// Goes to the end of the line.
fn skip_line(cursor: &mut Cursor<'_>) {
    loop {
        let plain =
            cursor.rest().iter().take_while(|byte| !matches!(byte, 0 | b'\r' | b'\n' | 0xc2 | 0xe2)).count();
        cursor.skip_bytes(plain);
        if cursor.is_break_or_end(0) {
            return;
        }
        cursor.skip();
    }
}

/// The rest of the line behind `|` or `>`: chomping and indentation, in any order.
fn header(cursor: &mut Cursor<'_>, start: Mark) -> Scanned<(Chomping, usize)> {
    let mut chomping = None;
    let mut increment = None;
    for _ in 0..2 {
        match cursor.peek(0) {
            b'+' if chomping.is_none() => chomping = Some(Chomping::Keep),
            b'-' if chomping.is_none() => chomping = Some(Chomping::Strip),
            b'0' if increment.is_none() => {
                return Err(fault::scanner(start, cursor.mark, "found an indentation indicator equal to 0"));
            }
            digit @ b'1'..=b'9' if increment.is_none() => increment = Some(usize::from(digit - b'0')),
            _ => break,
        }
        cursor.skip_ascii(1);
    }
    cursor.skip_blanks();
    cursor.skip_comment();
    if !cursor.is_break_or_end(0) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected comment or line break"));
    }
    cursor.read_break();
    Ok((chomping.unwrap_or(Chomping::Clip), increment.unwrap_or(0)))
}

/// Reads empty lines and the indentation of the line behind them, which decides where it is not known.
fn block_breaks(
    cursor: &mut Cursor<'_>,
    outer: isize,
    indent: &mut usize,
    breaks: &mut String,
    start: Mark,
    end: &mut Mark,
) -> Scanned<()> {
    *end = cursor.mark;
    let mut widest = 0;
    loop {
        while (*indent == 0 || cursor.mark.column < *indent) && cursor.peek(0) == b' ' {
            cursor.skip_ascii(1);
        }
        widest = widest.max(cursor.mark.column);
        if (*indent == 0 || cursor.mark.column < *indent) && cursor.peek(0) == b'\t' {
            let message = "found a tab character where an indentation space is expected";
            return Err(fault::scanner(start, cursor.mark, message));
        }
        if !cursor.is_break(0) {
            break;
        }
        breaks.push_str(cursor.read_break());
        *end = cursor.mark;
    }
    if *indent == 0 {
        *indent = widest.max(usize::try_from(outer + 1).unwrap_or(0)).max(1);
    }
    Ok(())
}
