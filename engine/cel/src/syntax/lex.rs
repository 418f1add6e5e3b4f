//! From text to tokens: the longest match wins, as in cel-go's generated lexer (`parser/gen/CEL.g4`).
//!
//! In: the text. Out: its tokens, the end of the text last, and what is not a token: the text from where a token began to the
//! character that could not go on, which the original leaves out too.

use super::token::{Kind, Token};

/// The tokens of a text.
pub(crate) struct Lexed {
    /// Without blanks and comments; the last is [`Kind::End`].
    pub(crate) tokens: Vec<Token>,
    /// What is not a token, in its order.
    pub(crate) bad: Vec<Bad>,
}

/// A piece of text that is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bad {
    /// The token before which it stands.
    pub(crate) before: usize,
    /// Its first byte.
    pub(crate) start: u32,
    /// The first byte behind it; the character that could not go on is part of it.
    pub(crate) end: u32,
}

/// Reads all tokens of a text.
pub(crate) fn lex(source: &str) -> Lexed {
    let lexed = Lexed { tokens: Vec::with_capacity(source.len() / 4 + 2), bad: Vec::new() };
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0, lexed };
    while let Some(first) = lexer.byte(lexer.at) {
        lexer.next(first);
    }
    lexer.push(Kind::End, lexer.at);
    lexer.lexed
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
    lexed: Lexed,
}

/// A place as it is kept: texts are no longer than 100,000 code points.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Lexer<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn is(&self, at: usize, wanted: u8) -> bool {
        self.byte(at) == Some(wanted)
    }

    /// The end of the character at `at`, or of the text.
    fn past(&self, at: usize) -> usize {
        let width = match self.byte(at) {
            None => 0,
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            Some(0xc0..) => 2,
            Some(_) => 1,
        };
        at + width
    }

    /// The end of the run of bytes that fit, from `at` on.
    fn run(&self, at: usize, fits: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|&byte| !fits(byte)).unwrap_or(rest.len())
    }

    fn push(&mut self, kind: Kind, end: usize) {
        self.lexed.tokens.push(Token { kind, start: offset(self.at), end: offset(end) });
        self.at = end;
    }

    fn bad(&mut self, end: usize) {
        let before = self.lexed.tokens.len();
        self.lexed.bad.push(Bad { before, start: offset(self.at), end: offset(end) });
        self.at = end;
    }

    /// Reads one token, blank, comment or piece that is none.
    fn next(&mut self, first: u8) {
        match first {
            b'\t' | b' ' | b'\r' | b'\n' | 0x0c => self.at += 1,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(first),
            b'0'..=b'9' => self.number(),
            b'"' | b'\'' => match self.string(self.at, first, Escapes::Read) {
                Ok(end) => self.push(Kind::String, end),
                Err(end) => self.bad(end),
            },
            b'.' if self.byte(self.at + 1).is_some_and(|next| next.is_ascii_digit()) => self.number(),
            b'/' if self.is(self.at + 1, b'/') => self.at = self.run(self.at, |byte| byte != b'\n'),
            b'`' => self.quoted(),
            _ => self.sign(first),
        }
    }

    fn sign(&mut self, first: u8) {
        let one = |kind| (kind, 1);
        let next = self.byte(self.at + 1);
        let or_equals = |two, alone| if next == Some(b'=') { (two, 2) } else { (alone, 1) };
        let (kind, width) = match first {
            b'.' => one(Kind::Dot),
            b',' => one(Kind::Comma),
            b'(' => one(Kind::LeftParen),
            b')' => one(Kind::RightParen),
            b'[' => one(Kind::LeftBracket),
            b']' => one(Kind::RightBracket),
            b'{' => one(Kind::LeftBrace),
            b'}' => one(Kind::RightBrace),
            b'?' => one(Kind::Question),
            b':' => one(Kind::Colon),
            b'+' => one(Kind::Plus),
            b'-' => one(Kind::Minus),
            b'*' => one(Kind::Star),
            b'/' => one(Kind::Slash),
            b'%' => one(Kind::Percent),
            b'!' => or_equals(Kind::NotEquals, Kind::Bang),
            b'<' => or_equals(Kind::LessEquals, Kind::Less),
            b'>' => or_equals(Kind::GreaterEquals, Kind::Greater),
            b'=' if next == Some(b'=') => (Kind::Equals, 2),
            b'&' if next == Some(b'&') => (Kind::And, 2),
            b'|' if next == Some(b'|') => (Kind::Or, 2),
            b'=' | b'&' | b'|' => return self.bad(self.past(self.at + 1)),
            _ => return self.bad(self.past(self.at)),
        };
        self.push(kind, self.at + width);
    }

    /// A name, a keyword, or a string with letters in front of its quote.
    fn word(&mut self, first: u8) {
        if let Some((kind, end)) = self.prefixed(first) {
            return self.push(kind, end);
        }
        let end = self.run(self.at, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let kind = match self.bytes.get(self.at..end) {
            Some(b"in") => Kind::In,
            Some(b"true") => Kind::True,
            Some(b"false") => Kind::False,
            Some(b"null") => Kind::Null,
            _ => Kind::Ident,
        };
        self.push(kind, end);
    }

    /// `r'…'`, `b'…'`, `br'…'`; what is not closed is a name and a string without letters.
    fn prefixed(&self, first: u8) -> Option<(Kind, usize)> {
        let quote = |at| self.byte(at).filter(|byte| matches!(byte, b'"' | b'\''));
        let raw = |byte: u8| matches!(byte, b'r' | b'R');
        let second = self.at + 1;
        let (kind, at, escapes) = match first {
            b'r' | b'R' => (Kind::String, second, Escapes::Raw),
            b'b' | b'B' if self.byte(second).is_some_and(raw) => (Kind::Bytes, second + 1, Escapes::Raw),
            b'b' | b'B' => (Kind::Bytes, second, Escapes::Read),
            _ => return None,
        };
        let end = self.string(at, quote(at)?, escapes).ok()?;
        Some((kind, end))
    }

    /// The end of a string whose first quote is at `at`, or the end of the text that cannot become one.
    fn string(&self, at: usize, quote: u8, escapes: Escapes) -> Result<usize, usize> {
        if self.is(at + 1, quote) {
            let empty = at + 2;
            let long = if self.is(empty, quote) { self.long(at + 3, quote, escapes) } else { None };
            return Ok(long.unwrap_or(empty));
        }
        let mut at = at + 1;
        loop {
            match self.byte(at) {
                None => return Err(at),
                Some(byte) if byte == quote => return Ok(at + 1),
                Some(b'\n' | b'\r') => return Err(at + 1),
                Some(b'\\') if escapes == Escapes::Read => at = self.escape(at)?,
                Some(_) => at += 1,
            }
        }
    }

    /// The end of a string with three quotes, from behind them; the first three that follow close it.
    fn long(&self, mut at: usize, quote: u8, escapes: Escapes) -> Option<usize> {
        loop {
            match self.byte(at)? {
                byte if byte == quote && self.is(at + 1, quote) && self.is(at + 2, quote) => {
                    return Some(at + 3);
                }
                b'\\' if escapes == Escapes::Read => at = self.escape(at).ok()?,
                _ => at += 1,
            }
        }
    }

    /// The end of the escape at `at`, or the end of the character that it cannot have.
    fn escape(&self, at: usize) -> Result<usize, usize> {
        let hex = |byte: u8| byte.is_ascii_hexdigit();
        let octal = |byte: u8| matches!(byte, b'0'..=b'7');
        let (digits, fits): (usize, &dyn Fn(u8) -> bool) = match self.byte(at + 1) {
            Some(b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`') => {
                (0, &hex)
            }
            Some(b'x' | b'X') => (2, &hex),
            Some(b'u') => (4, &hex),
            Some(b'U') => (8, &hex),
            Some(b'0'..=b'3') => (2, &octal),
            _ => return Err(self.past(at + 1)),
        };
        let first = at + 2;
        match (first..first + digits).find(|&digit| !self.byte(digit).is_some_and(fits)) {
            Some(wrong) => Err(self.past(wrong)),
            None => Ok(first + digits),
        }
    }

    fn number(&mut self) {
        let digit = |byte: u8| byte.is_ascii_digit();
        let unsigned = |at| matches!(self.byte(at), Some(b'u' | b'U'));
        let hex = self.run(self.at + 2, |byte| byte.is_ascii_hexdigit());
        if self.is(self.at, b'0') && self.is(self.at + 1, b'x') && hex > self.at + 2 {
            let (kind, end) = if unsigned(hex) { (Kind::Uint, hex + 1) } else { (Kind::Int, hex) };
            return self.push(kind, end);
        }
        let whole = self.run(self.at, digit);
        let fraction = if self.is(whole, b'.') { self.run(whole + 1, digit) } else { whole };
        let end = if fraction > whole + 1 { fraction } else { whole };
        let (kind, end) = match self.exponent(end) {
            Some(exponent) => (Kind::Float, exponent),
            None if end > whole => (Kind::Float, end),
            None if unsigned(whole) => (Kind::Uint, whole + 1),
            None => (Kind::Int, whole),
        };
        self.push(kind, end);
    }

    /// The end of an exponent that begins at `at`.
    fn exponent(&self, at: usize) -> Option<usize> {
        if !matches!(self.byte(at), Some(b'e' | b'E')) {
            return None;
        }
        let sign = usize::from(matches!(self.byte(at + 1), Some(b'+' | b'-')));
        let digits = at + 1 + sign;
        Some(self.run(digits, |byte| byte.is_ascii_digit())).filter(|&end| end > digits)
    }

    /// A name in back-ticks.
    fn quoted(&mut self) {
        let first = self.at + 1;
        let end =
            self.run(first, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/' | b' '));
        if end > first && self.is(end, b'`') {
            self.push(Kind::Quoted, end + 1);
        } else {
            self.bad(self.past(end));
        }
    }
}

/// Whether a backslash begins an escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Read,
    Raw,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> String {
        let text = |start: u32, end: u32| source.get(start as usize..end as usize).unwrap();
        let lexed = lex(source);
        let mut shown: Vec<(u32, String)> = Vec::new();
        for token in lexed.tokens.iter().filter(|token| token.kind != Kind::End) {
            shown.push((token.start, format!("{:?}:{}", token.kind, text(token.start, token.end))));
        }
        for bad in &lexed.bad {
            shown.push((bad.start, format!("bad:{}", text(bad.start, bad.end))));
        }
        shown.sort();
        shown.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers() {
        assert_eq!(
            tokens("1 0x1Fu 12U .5 1.5e+3 2e9"),
            "Int:1 Uint:0x1Fu Uint:12U Float:.5 Float:1.5e+3 Float:2e9"
        );
        assert_eq!(
            tokens("1. 1e 0x 0XF 1.5u"),
            "Int:1 Dot:. Int:1 Ident:e Int:0 Ident:x Int:0 Ident:XF Float:1.5 Ident:u"
        );
        assert_eq!(tokens("1.e5 1.5.2"), "Int:1 Dot:. Ident:e5 Float:1.5 Float:.2");
    }

    #[test]
    fn strings() {
        assert_eq!(
            tokens(r#""a" 'b' r'\' br"x" B'y'"#),
            r#"String:"a" String:'b' String:r'\' Bytes:br"x" Bytes:B'y'"#
        );
        assert_eq!(tokens("'''a'b\n''' \"\"\"\"\"\""), "String:'''a'b\n''' String:\"\"\"\"\"\"");
        assert_eq!(tokens(r"'\x41\u0042\U00000043\101\`'"), r"String:'\x41\u0042\U00000043\101\`'");
        assert_eq!(tokens("\"\"\"\"a\"\"\"\""), "String:\"\"\"\"a\"\"\" bad:\"");
    }

    #[test]
    fn what_is_not_a_string_is_left_out_with_its_next_character() {
        assert_eq!(tokens(r"'a\qb'"), r"bad:'a\q Ident:b bad:'");
        assert_eq!(tokens(r"'\400'"), r"bad:'\4 Int:00 bad:'");
        assert_eq!(tokens("\"\"\"abc"), "String:\"\" bad:\"abc");
        assert_eq!(tokens("rb'a' b'x\ny"), "Ident:rb String:'a' Ident:b bad:'x\n Ident:y");
        assert_eq!(tokens("'日"), "bad:'日");
    }

    #[test]
    fn signs_and_names() {
        assert_eq!(tokens("a<=b // c\n!in"), "Ident:a LessEquals:<= Ident:b Bang:! In:in");
        assert_eq!(tokens("1 =日2"), "Int:1 bad:=日 Int:2");
        assert_eq!(tokens("`a.b-c/d e` `` `a$b`"), "Quoted:`a.b-c/d e` bad:`` bad:`a$ Ident:b bad:`");
        assert_eq!(tokens("日&&|"), "bad:日 And:&& bad:|");
    }
}
