//! Keys and scalars on one line.
//!
//! In: what is left of a line. Out: what it is, `None` where that is not plain to see. `image: "a" # b` has the key
//! `image`, and behind it a string.

use crate::resolve::{Resolved, plain};
use engine_json::{Str, Value};
use memchr::memchr;

/// The header of a block scalar.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) is_folded: bool,
    pub(super) is_stripped: bool,
}

/// What is left of a line.
pub(super) enum Found {
    Value(Value),
    Block(Block),
}

/// A key, and its length with quotes and colon.
#[derive(Clone, Copy)]
pub(super) struct FoundKey<'a> {
    pub(super) key: &'a str,
    pub(super) length: usize,
}

/// The key at the beginning of the text; `Some(None)` where there is none, `None` where that is not plain to see.
#[expect(
    clippy::option_option,
    reason = "`None` hands over to the full reader, as everywhere in this reader"
)]
pub(super) fn key(text: &str) -> Option<Option<FoundKey<'_>>> {
    let first = *text.as_bytes().first()?;
    if matches!(first, b'"' | b'\'') {
        let key = quoted(text, first)?;
        let behind = text.get(key.len() + 2..)?;
        let is_key = behind.starts_with(": ") || behind == ":";
        if !is_key && behind.starts_with([':', ' ']) && behind.contains(':') {
            return None;
        }
        return Some(is_key.then_some(FoundKey { key, length: key.len() + 3 }));
    }
    let Stop::Colon(colon) = stop(text) else { return Some(None) };
    let key = text.get(..colon)?;
    if !is_plain_start(key) || key.ends_with(' ') || !is_text(key) {
        return None;
    }
    Some(Some(FoundKey { key, length: colon + 1 }))
}

/// Where a plain scalar on one line ends.
enum Stop {
    /// At a colon that makes it a key.
    Colon(usize),
    /// At the blank before a comment.
    Comment(usize),
    Line,
}

fn stop(text: &str) -> Stop {
    let mut previous = 0;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b':' if bytes.peek().is_none_or(|(_, next)| *next == b' ') => return Stop::Colon(at),
            b'#' if previous == b' ' => return Stop::Comment(at - 1),
            _ => previous = byte,
        }
    }
    Stop::Line
}

/// Whether a plain scalar may begin so, without a second look.
fn is_plain_start(text: &str) -> bool {
    match text.as_bytes() {
        [
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'_'
            | b'.'
            | b'/'
            | b'('
            | b'='
            | b'^'
            | b'+'
            | b'<'
            | b'$'
            | b'~'
            | 0x80..,
            ..,
        ] => true,
        [b'-', second, ..] => *second != b' ',
        _ => false,
    }
}

/// Whether a plain text stands for itself, and is not a merge key.
fn is_text(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(
            b'a'..=b'e' | b'g'..=b'm' | b'p'..=b's' | b'u'..=b'x' | b'A'..=b'E' | b'G'..=b'M' | b'P'..=b'S',
        ) => true,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O') if text.len() > 5 => true,
        _ => text != "<<" && matches!(plain(text), Resolved::Str | Resolved::Timestamp),
    }
}

/// What stands between the quotes at the beginning of the text, if nothing in it is escaped.
fn quoted(text: &str, quote: u8) -> Option<&str> {
    let bytes = text.as_bytes();
    let end = 1 + memchr(quote, bytes.get(1..)?)?;
    let inner = text.get(1..end)?;
    let is_escaped = match quote {
        b'"' => memchr(b'\\', inner.as_bytes()).is_some(),
        _ => bytes.get(end + 1) == Some(&quote),
    };
    (!is_escaped).then_some(inner)
}

/// Whether nothing but blanks and a comment is left.
fn is_end(text: &str) -> bool {
    let rest = text.trim_start_matches(' ');
    rest.is_empty() || (rest.starts_with('#') && rest.len() < text.len())
}

/// The scalar that the text is.
pub(super) fn read(text: &str) -> Option<Found> {
    let first = *text.as_bytes().first()?;
    match first {
        b'"' | b'\'' => {
            let inner = quoted(text, first)?;
            is_end(text.get(inner.len() + 2..)?).then(|| Found::Value(Value::from(inner)))
        }
        b'[' => list(text).map(Found::Value),
        b'{' => {
            is_end(text.strip_prefix("{}")?).then(|| Found::Value(Value::object(engine_json::Map::new())))
        }
        b'|' | b'>' => {
            let is_stripped = text.get(1..)?.starts_with('-');
            let behind = text.get(if is_stripped { 2 } else { 1 }..)?;
            is_end(behind).then_some(Found::Block(Block { is_folded: first == b'>', is_stripped }))
        }
        _ if is_plain_start(text) => {
            let end = match stop(text) {
                Stop::Colon(_) => return None,
                Stop::Comment(at) => at,
                Stop::Line => text.len(),
            };
            word(text.get(..end)?.trim_end_matches(' ')).map(Found::Value)
        }
        _ => None,
    }
}

/// The value of a plain scalar.
fn word(text: &str) -> Option<Value> {
    Some(match plain(text) {
        Resolved::Null => Value::Null,
        Resolved::Bool(b) => Value::Bool(b),
        Resolved::Int(i) => Value::from(i),
        Resolved::Uint(u) => Value::Number(u.into()),
        Resolved::Float(f) if f.is_finite() => Value::from(f),
        Resolved::Float(_) => return None,
        Resolved::Str | Resolved::Timestamp => Value::String(Str::new(text)),
    })
}

/// A list of scalars in brackets, on one line.
fn list(text: &str) -> Option<Value> {
    let mut items = Vec::new();
    let mut rest = text.strip_prefix('[')?.trim_start_matches(' ');
    if let Some(behind) = rest.strip_prefix(']') {
        return is_end(behind).then(|| Value::array(items));
    }
    loop {
        let first = *rest.as_bytes().first()?;
        if matches!(first, b'"' | b'\'') {
            let inner = quoted(rest, first)?;
            items.push(Value::from(inner));
            rest = rest.get(inner.len() + 2..)?;
        } else {
            let is_simple =
                |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b'*');
            let length = rest.bytes().take_while(is_simple).count();
            let item = rest.get(..length)?;
            if item.is_empty() || item.starts_with(['-', '*']) {
                return None;
            }
            items.push(word(item)?);
            rest = rest.get(length..)?;
        }
        rest = rest.trim_start_matches(' ');
        if let Some(behind) = rest.strip_prefix(']') {
            return is_end(behind).then(|| Value::array(items));
        }
        rest = rest.strip_prefix(',')?.trim_start_matches(' ');
    }
}
