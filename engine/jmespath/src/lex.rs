//! Text to words.
//!
//! In: `a."b c"`. Out: the words `a`, `.`, `b c` and the end, each with its kind and byte offset.
//!
//! Mirrors: go-jmespath `lexer.go`.

use crate::ParseError;
use crate::token::{Token, TokenKind};
use engine_json::{Str, Value};

/// The words of `text`, the last of which is [`TokenKind::Eof`].
pub(crate) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let start = lexer.at;
        let Some(c) = lexer.next() else {
            tokens.push(Token { kind: TokenKind::Eof, text: Str::default(), at: text.len() });
            return Ok(tokens);
        };
        if !matches!(c, ' ' | '\t' | '\n' | '\r') {
            tokens.push(lexer.token(c, start)?);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Whether `c` comes next; if so it is consumed.
    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// The word that begins with `first`, which stands at `start` and is consumed.
    fn token(&mut self, first: char, start: usize) -> Result<Token, ParseError> {
        let kind = match first {
            'a'..='z' | 'A'..='Z' | '_' => self.identifier(),
            '-' | '0'..='9' => self.number(),
            '"' => return self.quoted_identifier(start),
            '\'' => return self.raw_string(),
            '`' => return self.literal(),
            '.' => TokenKind::Dot,
            '*' => TokenKind::Star,
            ',' => TokenKind::Comma,
            ':' => TokenKind::Colon,
            '{' => TokenKind::Lbrace,
            '}' => TokenKind::Rbrace,
            ']' => TokenKind::Rbracket,
            '(' => TokenKind::Lparen,
            ')' => TokenKind::Rparen,
            '@' => TokenKind::Current,
            '[' if self.eat('?') => TokenKind::Filter,
            '[' if self.eat(']') => TokenKind::Flatten,
            '[' => TokenKind::Lbracket,
            '|' if self.eat('|') => TokenKind::Or,
            '|' => TokenKind::Pipe,
            '<' if self.eat('=') => TokenKind::LessOrEqual,
            '<' => TokenKind::Less,
            '>' if self.eat('=') => TokenKind::GreaterOrEqual,
            '>' => TokenKind::Greater,
            '!' if self.eat('=') => TokenKind::NotEqual,
            '!' => TokenKind::Not,
            '=' if self.eat('=') => TokenKind::Equal,
            '=' => TokenKind::Unknown,
            '&' if self.eat('&') => TokenKind::And,
            '&' => TokenKind::Expref,
            c => return Err(ParseError::syntax(start, format_args!("Unknown char: {}", quote_to_ascii(c)))),
        };
        Ok(Token { kind, text: Str::new(self.since(start)), at: start })
    }

    fn identifier(&mut self) -> TokenKind {
        while matches!(self.peek(), Some('a'..='z' | 'A'..='Z' | '0'..='9' | '_')) {
            self.at += 1;
        }
        // Go: lexer.go consumeUnquotedIdentifier takes one U+0080 into the name, since it tests `r > 128`.
        self.eat('\u{80}');
        TokenKind::UnquotedIdentifier
    }

    fn number(&mut self) -> TokenKind {
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
        TokenKind::Number
    }

    /// The text up to the closing `end`, which is consumed; a backslash keeps the character behind it.
    fn until(&mut self, end: char) -> Result<&'t str, ParseError> {
        let start = self.at;
        loop {
            let here = self.at;
            match self.next() {
                None => return Err(self.unclosed(end)),
                Some(c) if c == end => return Ok(self.text.get(start..here).unwrap_or("")),
                Some('\\') => {
                    self.next();
                }
                Some(_) => {}
            }
        }
    }

    fn unclosed(&self, end: char) -> ParseError {
        ParseError::syntax(self.text.len(), format_args!("Unclosed delimiter: {end}"))
    }

    fn quoted_identifier(&mut self, start: usize) -> Result<Token, ParseError> {
        let text = self.until('"')?;
        let json = format!("\"{text}\"");
        match engine_json::parse(&json) {
            Ok(Value::String(text)) => Ok(Token { kind: TokenKind::QuotedIdentifier, text, at: start }),
            Ok(_) => Err(ParseError::syntax(start, "no name between the quotes")),
            Err(error) => Err(ParseError { offset: start + error.offset, message: error.message }),
        }
    }

    fn literal(&mut self) -> Result<Token, ParseError> {
        let at = self.at;
        let text = self.until('`')?.replace("\\`", "`");
        Ok(Token { kind: TokenKind::JsonLiteral, text: Str::new(text), at })
    }

    fn raw_string(&mut self) -> Result<Token, ParseError> {
        let at = self.at;
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(self.unclosed('\'')),
                Some('\'') => return Ok(Token { kind: TokenKind::StringLiteral, text: Str::new(text), at }),
                Some('\\') if self.eat('\'') => text.push('\''),
                Some(c) => text.push(c),
            }
        }
    }
}

/// A character as Go's `strconv.QuoteRuneToASCII` prints it.
fn quote_to_ascii(c: char) -> String {
    match c {
        '\\' => r"'\\'".into(),
        '\u{7}' => r"'\a'".into(),
        '\u{8}' => r"'\b'".into(),
        '\u{c}' => r"'\f'".into(),
        '\u{b}' => r"'\v'".into(),
        ' '..='~' => format!("'{c}'"),
        '\0'..='\u{7f}' => format!(r"'\x{:02x}'", u32::from(c)),
        '\u{80}'..='\u{ffff}' => format!(r"'\u{:04x}'", u32::from(c)),
        '\u{10000}'.. => format!(r"'\U{:08x}'", u32::from(c)),
    }
}
