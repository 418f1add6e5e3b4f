//! JSON text to a value: RFC 8259, strictly; the last of duplicate keys wins, as in Go.

use crate::{MAX_DEPTH, Map, Number, Str, Value};
use std::fmt;

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong, in the words of Go's `encoding/json` where it has some.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// Whether the text is JSON, but holds a number that no `float64` can be: valid to `json.Valid`, refused by
    /// `json.Unmarshal`.
    pub fn is_out_of_range(&self) -> bool {
        self.message.starts_with(OUT_OF_RANGE)
    }
}

const OUT_OF_RANGE: &str = "json: cannot unmarshal number";

/// Reads one JSON value; anything but white space behind it is an error.
///
/// Whole numbers become [`Number::Int`] (or [`Number::Uint`]), all others [`Number::Float`]; use
/// [`Value::with_float_numbers`] where Go would read into `interface{}`.
pub fn parse(text: &str) -> Result<Value, ReadError> {
    Reader { text, bytes: text.as_bytes(), at: 0, too_large: None, has_integers: true }.all()
}

/// The same as Go reads into `interface{}`: every number is a [`Number::Float`], and a zero has a sign.
pub fn parse_floats(text: &str) -> Result<Value, ReadError> {
    Reader { text, bytes: text.as_bytes(), at: 0, too_large: None, has_integers: false }.all()
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The first number that is no `float64`.
    too_large: Option<ReadError>,
    /// Whether whole numbers are read as such.
    has_integers: bool,
}

impl Reader<'_> {
    /// The one value of the text.
    fn all(mut self) -> Result<Value, ReadError> {
        self.space();
        let value = self.value(0)?;
        self.space();
        match (self.peek(), &self.too_large) {
            (None, None) => Ok(value),
            // Go: `Unmarshal` looks through the whole text before it reads a number.
            (None, Some(error)) => Err(error.clone()),
            (Some(_), _) => self.unexpected("after top-level value"),
        }
    }

    fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { offset: self.at, message: message.into() }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected<T>(&self, context: &str) -> Result<T, ReadError> {
        match self.peek() {
            None => Err(self.error("unexpected end of JSON input")),
            Some(byte) => Err(self.error(format!("invalid character {} {context}", quoted(byte)))),
        }
    }

    /// As `unexpected`, inside a word, a number or an escape.
    // Go: encoding/json scanner.go eof feeds one blank to the scanner, and here that is what it stumbles over.
    fn unexpected_inside<T>(&self, context: &str) -> Result<T, ReadError> {
        let byte = self.peek().unwrap_or(b' ');
        Err(self.error(format!("invalid character {} {context}", quoted(byte))))
    }

    fn value(&mut self, depth: usize) -> Result<Value, ReadError> {
        if depth > MAX_DEPTH {
            return Err(self.error(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => self.unexpected("looking for beginning of value"),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ReadError> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                return self
                    .unexpected_inside(&format!("in literal {word} (expecting {})", quoted(expected)));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut list = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::array(list));
        }
        loop {
            self.space();
            list.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::array(list));
                }
                _ => return self.unexpected("after array element"),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut entries = Vec::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::object(Map::new()));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.unexpected("looking for beginning of object key string");
            }
            let key = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return self.unexpected("after object key");
            }
            self.at += 1;
            self.space();
            entries.push((key, self.value(depth + 1)?));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::object(Map::from_entries(entries)));
                }
                _ => return self.unexpected("after object key:value pair"),
            }
        }
    }

    fn number(&mut self) -> Result<Value, ReadError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.unexpected_inside("in numeric literal"),
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            whole = false;
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.unexpected_inside("after decimal point in numeric literal");
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            whole = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.unexpected_inside("in exponent of numeric literal");
            }
            self.digits();
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        if whole && self.has_integers {
            if let Ok(i) = text.parse::<i64>() {
                return Ok(Value::from(i));
            }
            if let Ok(u) = text.parse::<u64>() {
                return Ok(Value::Number(Number::from(u)));
            }
        }
        match text.parse::<f64>() {
            Ok(f) if f.is_finite() => Ok(Value::from(f)),
            _ => {
                let message = format!("{OUT_OF_RANGE} {text} into Go value of type float64");
                self.too_large.get_or_insert(ReadError { offset: start, message });
                Ok(Value::Null)
            }
        }
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<Str, ReadError> {
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    let text = self.text.get(start..self.at).unwrap_or("");
                    self.at += 1;
                    return Ok(Str::new(text));
                }
                b'\\' => return self.escaped_string(start),
                0..=0x1f => return self.unexpected("in string literal"),
                _ => self.at += 1,
            }
        }
        self.unexpected("in string literal")
    }

    /// The rest of a string whose first escape is here.
    fn escaped_string(&mut self, start: usize) -> Result<Str, ReadError> {
        let mut out = self.text.get(start..self.at).unwrap_or("").to_owned();
        loop {
            let plain = self.at;
            while matches!(self.peek(), Some(byte) if byte != b'"' && byte != b'\\' && byte > 0x1f) {
                self.at += 1;
            }
            out.push_str(self.text.get(plain..self.at).unwrap_or(""));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Str::new(out));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                _ => return self.unexpected("in string literal"),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), ReadError> {
        let plain = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                out.push(self.unicode()?);
                return Ok(());
            }
            _ => return self.unexpected_inside("in string escape code"),
        };
        self.at += 1;
        out.push(plain);
        Ok(())
    }

    /// Four hex digits, and four more where they make a surrogate pair; a lone surrogate becomes U+FFFD, as in Go.
    fn unicode(&mut self) -> Result<char, ReadError> {
        let first = self.hex4()?;
        if !(0xd800..0xe000).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        if first < 0xdc00 && self.rest().starts_with("\\u") {
            let here = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = here;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, ReadError> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(16)) else {
                return self.unexpected_inside("in \\u hexadecimal character escape");
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// A byte as Go's scanner quotes it in messages: it takes each byte for a character.
// Go: encoding/json scanner.go quoteChar.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".into(),
        b'"' => "'\"'".into(),
        b'\\' => r"'\\'".into(),
        b'\n' => r"'\n'".into(),
        b'\r' => r"'\r'".into(),
        b'\t' => r"'\t'".into(),
        7 => r"'\a'".into(),
        8 => r"'\b'".into(),
        11 => r"'\v'".into(),
        12 => r"'\f'".into(),
        0..=0x1f | 0x7f => format!(r"'\x{byte:02x}'"),
        byte => format!("'{}'", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_an_error_only_in_a_text_that_is_json() {
        let error = |text: &str| parse(text).map_err(|error| (error.is_out_of_range(), error.offset)).err();
        assert_eq!(error("[1e308, 2]"), None);
        assert_eq!(error("[1e999, 1e998]"), Some((true, 1)));
        assert_eq!(error(" 594e519"), Some((true, 1)));
        // Words that Go 1.26 prints.
        let words = |text: &str| parse(text).map_err(|error| error.message).err().unwrap_or_default();
        assert_eq!(words("594e519a"), "invalid character 'a' after top-level value");
        assert_eq!(words("[1e999, x]"), "invalid character 'x' looking for beginning of value");
        assert_eq!(words("[1e999]"), "json: cannot unmarshal number 1e999 into Go value of type float64");
    }
}
