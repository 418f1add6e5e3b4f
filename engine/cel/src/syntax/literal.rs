//! The values of literals.
//!
//! In: the text of a token. Out: its value, or the text of cel-go's error (`parser/parser.go`, `parser/unescape.go`).

use crate::ast::Literal;
use engine_json::Str;
use std::borrow::Cow;

/// `1`, `0x1F`; the sign is a token of its own.
pub(super) fn int(digits: &str, sign: &str) -> Result<Literal, &'static str> {
    let magnitude = unsigned(digits).ok_or("invalid int literal")?;
    let value = if sign.is_empty() { i128::from(magnitude) } else { -i128::from(magnitude) };
    i64::try_from(value).map(Literal::Int).map_err(|_| "invalid int literal")
}

/// `1u`, `0x1FU`.
pub(super) fn uint(text: &str) -> Result<Literal, &'static str> {
    let digits = text.strip_suffix(['u', 'U']).unwrap_or(text);
    unsigned(digits).map(Literal::Uint).ok_or("invalid uint literal")
}

fn unsigned(digits: &str) -> Option<u64> {
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// `1.5`, `.5e3`.
pub(super) fn double(digits: &str, sign: &str) -> Result<Literal, &'static str> {
    let magnitude: f64 = digits.parse().map_err(|_| "invalid double literal")?;
    if magnitude.is_infinite() {
        return Err("invalid double literal");
    }
    Ok(Literal::Double(if sign.is_empty() { magnitude } else { -magnitude }))
}

/// `'a'` with its quotes and its `r`.
pub(super) fn string(text: &str) -> Result<Str, &'static str> {
    match content(text) {
        Content::Plain(plain) => Ok(Str::from(plain)),
        Content::Escaped(escaped) => {
            let bytes = unescape(&escaped, Form::String)?;
            String::from_utf8(bytes).map(Str::from).map_err(|_| UNABLE)
        }
    }
}

/// `'a'` with its quotes and its `r`, without the `b` in front.
pub(super) fn bytes(text: &str) -> Result<Box<[u8]>, &'static str> {
    match content(text) {
        Content::Plain(plain) => Ok(plain.as_bytes().into()),
        Content::Escaped(escaped) => unescape(&escaped, Form::Bytes).map(Vec::into_boxed_slice),
    }
}

const UNABLE: &str = "unable to unescape string";

enum Content<'t> {
    Plain(Cow<'t, str>),
    Escaped(Cow<'t, str>),
}

/// What stands between the quotes; line ends are line feeds from here on.
fn content(text: &str) -> Content<'_> {
    let quoted = text.trim_start_matches(['r', 'R']);
    let width =
        if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\"")) { 3 } else { 1 };
    let inner = quoted.get(width..quoted.len().saturating_sub(width)).unwrap_or_default();
    let inner = if inner.contains('\r') {
        Cow::Owned(inner.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(inner)
    };
    let raw = quoted.len() < text.len();
    if raw || !inner.contains('\\') { Content::Plain(inner) } else { Content::Escaped(inner) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    String,
    Bytes,
}

/// The bytes that a text with escapes stands for. In a string all numbers are code points; in bytes `\x` and octal
/// numbers are bytes.
fn unescape(text: &str, form: Form) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        if next != '\\' {
            push(&mut bytes, next);
            continue;
        }
        let kind = rest.next().ok_or(UNABLE)?;
        let (digits, radix, head) = match kind {
            'x' | 'X' => (2, 16, 0),
            'u' if form == Form::String => (4, 16, 0),
            'U' if form == Form::String => (8, 16, 0),
            '0'..='3' => (2, 8, u32::from(kind) - u32::from('0')),
            _ => {
                push(&mut bytes, plain_escape(kind).ok_or(UNABLE)?);
                continue;
            }
        };
        let value = number(&mut rest, digits, radix, head).ok_or(UNABLE)?;
        match form {
            Form::String => push(&mut bytes, char::from_u32(value).ok_or("invalid unicode code point")?),
            Form::Bytes => bytes.push(u8::try_from(value).map_err(|_| UNABLE)?),
        }
    }
    Ok(bytes)
}

fn push(bytes: &mut Vec<u8>, value: char) {
    bytes.extend_from_slice(value.encode_utf8(&mut [0; 4]).as_bytes());
}

fn number(rest: &mut std::str::Chars<'_>, digits: usize, radix: u32, head: u32) -> Option<u32> {
    let mut value = head;
    for _ in 0..digits {
        value = value.checked_mul(radix)?.checked_add(rest.next()?.to_digit(radix)?)?;
    }
    Some(value)
}

fn plain_escape(kind: char) -> Option<char> {
    Some(match kind {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' | '\'' | '"' | '`' | '?' => kind,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers() {
        assert_eq!(int("9223372036854775808", "-"), Ok(Literal::Int(i64::MIN)));
        assert_eq!(int("9223372036854775808", ""), Err("invalid int literal"));
        assert_eq!(int("0x8000000000000000", "-"), Ok(Literal::Int(i64::MIN)));
        assert_eq!(int("007", ""), Ok(Literal::Int(7)));
        assert_eq!(uint("0xffU"), Ok(Literal::Uint(255)));
        assert_eq!(uint("18446744073709551616u"), Err("invalid uint literal"));
    }

    #[test]
    fn fractions() {
        assert_eq!(double(".5", ""), Ok(Literal::Double(0.5)));
        assert_eq!(double("1e400", ""), Err("invalid double literal"));
        assert_eq!(double("1e-400", "-"), Ok(Literal::Double(-0.0)));
    }

    #[test]
    fn strings_and_bytes() {
        assert_eq!(string(r"'\x41\u0042\U00000043\101\377'").as_deref(), Ok("ABCA\u{ff}"));
        assert_eq!(
            string(r#""\a\b\f\n\r\t\v\\\?\`\"\'""#).as_deref(),
            Ok("\u{7}\u{8}\u{c}\n\r\t\u{b}\\?`\"'")
        );
        assert_eq!(string("'''a\r\nb\rc'''").as_deref(), Ok("a\nb\nc"));
        assert_eq!(string(r"r'\n'").as_deref(), Ok("\\n"));
        assert_eq!(string("''''''").as_deref(), Ok(""));
        assert_eq!(string(r"'\ud800'"), Err("invalid unicode code point"));
        assert_eq!(string(r"'\UFFFFFFFF'"), Err("invalid unicode code point"));
        assert_eq!(bytes(r"'\xff\377A'").as_deref(), Ok(&[255, 255, 65][..]));
        assert_eq!(bytes(r"'\u0041'"), Err(UNABLE));
        assert_eq!(bytes("'é'").as_deref(), Ok("é".as_bytes()));
    }
}
