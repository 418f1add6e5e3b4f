//! Directives, tags and anchors.
//!
//! In: a cursor on `%`, `!`, `&` or `*`. Out: what stands there: `!!str` is the handle `!!` with the suffix `str`.
//!
//! Mirrors: go-yaml v2, scannerc.go, `yaml_parser_scan_directive`, `…_tag`, `…_anchor`.

use crate::cursor::{Cursor, Mark};
use crate::fault::{self, Fault};
use crate::token::TokenKind;
use std::borrow::Cow;

type Scanned<T> = Result<T, Fault>;

/// The directive here, to the end of its line.
pub(crate) fn directive<'a>(cursor: &mut Cursor<'a>) -> Scanned<TokenKind<'a>> {
    let start = cursor.mark;
    cursor.skip();
    let name = word(cursor);
    if name.is_empty() {
        return Err(fault::scanner(start, cursor.mark, "could not find expected directive name"));
    }
    if !cursor.is_blank_or_end(0) {
        return Err(fault::scanner(start, cursor.mark, "found unexpected non-alphabetical character"));
    }
    cursor.skip_blanks();
    let kind = match name {
        "YAML" => {
            let major = version_number(cursor, start)?;
            if cursor.peek(0) != b'.' {
                return Err(fault::scanner(
                    start,
                    cursor.mark,
                    "did not find expected digit or '.' character",
                ));
            }
            cursor.skip();
            TokenKind::VersionDirective(major, version_number(cursor, start)?)
        }
        "TAG" => tag_directive(cursor, start)?,
        _ => return Err(fault::scanner(start, cursor.mark, "found unknown directive name")),
    };
    cursor.skip_blanks();
    cursor.skip_comment();
    if !cursor.is_break_or_end(0) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected comment or line break"));
    }
    cursor.read_break();
    Ok(kind)
}

/// Letters, digits, `_` and `-`.
fn word<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let from = cursor.mark.byte;
    while cursor.is_name() {
        cursor.skip_ascii(1);
    }
    cursor.slice(from, cursor.mark.byte)
}

fn version_number(cursor: &mut Cursor<'_>, start: Mark) -> Scanned<u8> {
    let from = cursor.mark.byte;
    while cursor.peek(0).is_ascii_digit() {
        if cursor.mark.byte - from == 2 {
            return Err(fault::scanner(start, cursor.mark, "found extremely long version number"));
        }
        cursor.skip_ascii(1);
    }
    let digits = cursor.slice(from, cursor.mark.byte);
    digits.parse().map_err(|_| fault::scanner(start, cursor.mark, "did not find expected version number"))
}

fn tag_directive<'a>(cursor: &mut Cursor<'a>, start: Mark) -> Scanned<TokenKind<'a>> {
    let handle = tag_handle(cursor, start)?;
    if handle != "!" && !(handle.len() > 1 && handle.ends_with('!')) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected '!'"));
    }
    if !cursor.is_blank(0) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected whitespace"));
    }
    cursor.skip_blanks();
    let prefix = uri(cursor, cursor.mark.byte, start)?;
    if prefix.is_empty() {
        return Err(fault::scanner(start, cursor.mark, "did not find expected tag URI"));
    }
    if !cursor.is_blank_or_end(0) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected whitespace or line break"));
    }
    Ok(TokenKind::TagDirective(handle, prefix))
}

/// `!`, `!word` or `!word!`.
fn tag_handle<'a>(cursor: &mut Cursor<'a>, start: Mark) -> Scanned<&'a str> {
    if cursor.peek(0) != b'!' {
        return Err(fault::scanner(start, cursor.mark, "did not find expected '!'"));
    }
    let from = cursor.mark.byte;
    cursor.skip();
    word(cursor);
    if cursor.peek(0) == b'!' {
        cursor.skip();
    }
    Ok(cursor.slice(from, cursor.mark.byte))
}

/// The tag here.
pub(crate) fn tag<'a>(cursor: &mut Cursor<'a>) -> Scanned<TokenKind<'a>> {
    let start = cursor.mark;
    let missing = |mark| fault::scanner(start, mark, "did not find expected tag URI");
    let (handle, suffix) = if cursor.peek(1) == b'<' {
        cursor.skip_ascii(2);
        let suffix = uri(cursor, cursor.mark.byte, start)?;
        if suffix.is_empty() {
            return Err(missing(cursor.mark));
        }
        if cursor.peek(0) != b'>' {
            return Err(fault::scanner(start, cursor.mark, "did not find the expected '>'"));
        }
        cursor.skip();
        ("", suffix)
    } else {
        let handle = tag_handle(cursor, start)?;
        if handle.len() > 1 && handle.ends_with('!') {
            let suffix = uri(cursor, cursor.mark.byte, start)?;
            if suffix.is_empty() {
                return Err(missing(cursor.mark));
            }
            (handle, suffix)
        } else {
            // What looked like a handle is the beginning of the suffix.
            let suffix = uri(cursor, start.byte + 1, start)?;
            if suffix.is_empty() { ("", Cow::Borrowed("!")) } else { ("!", suffix) }
        }
    };
    if !cursor.is_blank_or_end(0) {
        return Err(fault::scanner(start, cursor.mark, "did not find expected whitespace or line break"));
    }
    Ok(TokenKind::Tag(handle, suffix))
}

/// The characters of a URI from `from` on, of which some may be read already; escapes are decoded.
fn uri<'a>(cursor: &mut Cursor<'a>, from: usize, start: Mark) -> Scanned<Cow<'a, str>> {
    let mut decoded: Option<Vec<u8>> = None;
    loop {
        let byte = cursor.peek(0);
        if byte == b'%' {
            let read = cursor.slice(from, cursor.mark.byte).as_bytes();
            let bytes = decoded.get_or_insert_with(|| read.to_vec());
            escaped(cursor, start, bytes)?;
        } else if cursor.is_name() || b";/?:@&=+$,.!~*'()[]".contains(&byte) {
            if let Some(bytes) = &mut decoded {
                bytes.push(byte);
            }
            cursor.skip_ascii(1);
        } else {
            break;
        }
    }
    Ok(match decoded {
        Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => Cow::Borrowed(cursor.slice(from, cursor.mark.byte)),
    })
}

/// One character in `%` escapes.
fn escaped(cursor: &mut Cursor<'_>, start: Mark, out: &mut Vec<u8>) -> Scanned<()> {
    let mut missing = None;
    while missing != Some(0) {
        let digits = cursor.rest().get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let is_hex = digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let octet =
            digits.filter(|_| is_hex && cursor.peek(0) == b'%').and_then(|d| u8::from_str_radix(d, 16).ok());
        let Some(octet) = octet else {
            return Err(fault::scanner(start, cursor.mark, "did not find URI escaped octet"));
        };
        missing = Some(match missing {
            None => match octet {
                0..=0x7f => 0,
                0xc0..=0xdf => 1,
                0xe0..=0xef => 2,
                0xf0..=0xf7 => 3,
                _ => {
                    return Err(fault::scanner(start, cursor.mark, "found an incorrect leading UTF-8 octet"));
                }
            },
            Some(_) if octet & 0xc0 != 0x80 => {
                return Err(fault::scanner(start, cursor.mark, "found an incorrect trailing UTF-8 octet"));
            }
            Some(count) => count - 1,
        });
        out.push(octet);
        cursor.skip_ascii(3);
    }
    Ok(())
}

/// The name behind the `&` or `*` here.
pub(crate) fn anchor<'a>(cursor: &mut Cursor<'a>) -> Scanned<&'a str> {
    let start = cursor.mark;
    cursor.skip();
    let name = word(cursor);
    let is_ended = cursor.is_blank_or_end(0) || b"?:,]}%@`".contains(&cursor.peek(0));
    if name.is_empty() || !is_ended {
        return Err(fault::scanner(
            start,
            cursor.mark,
            "did not find expected alphabetic or numeric character",
        ));
    }
    Ok(name)
}
