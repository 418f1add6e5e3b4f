//! The words of an expression.
//!
//! Example: `a[?b]` is `UnquotedIdentifier`, `Filter`, `UnquotedIdentifier`, `Rbracket`, `Eof`.

use engine_json::Str;

/// One word and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// The decoded text: of a quoted name or a raw string without its quotes.
    pub(crate) text: Str,
    /// Byte offset in the expression.
    pub(crate) at: usize,
}

/// The kinds of words, named as in the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Unknown,
    Star,
    Dot,
    Filter,
    Flatten,
    Lparen,
    Rparen,
    Lbracket,
    Rbracket,
    Lbrace,
    Rbrace,
    Or,
    Pipe,
    Number,
    UnquotedIdentifier,
    QuotedIdentifier,
    Comma,
    Colon,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    JsonLiteral,
    StringLiteral,
    Current,
    Expref,
    And,
    Not,
    Eof,
}

impl TokenKind {
    /// The name that the original's messages use.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TokenKind::Unknown => "tUnknown",
            TokenKind::Star => "tStar",
            TokenKind::Dot => "tDot",
            TokenKind::Filter => "tFilter",
            TokenKind::Flatten => "tFlatten",
            TokenKind::Lparen => "tLparen",
            TokenKind::Rparen => "tRparen",
            TokenKind::Lbracket => "tLbracket",
            TokenKind::Rbracket => "tRbracket",
            TokenKind::Lbrace => "tLbrace",
            TokenKind::Rbrace => "tRbrace",
            TokenKind::Or => "tOr",
            TokenKind::Pipe => "tPipe",
            TokenKind::Number => "tNumber",
            TokenKind::UnquotedIdentifier => "tUnquotedIdentifier",
            TokenKind::QuotedIdentifier => "tQuotedIdentifier",
            TokenKind::Comma => "tComma",
            TokenKind::Colon => "tColon",
            TokenKind::Less => "tLT",
            TokenKind::LessOrEqual => "tLTE",
            TokenKind::Greater => "tGT",
            TokenKind::GreaterOrEqual => "tGTE",
            TokenKind::Equal => "tEQ",
            TokenKind::NotEqual => "tNE",
            TokenKind::JsonLiteral => "tJSONLiteral",
            TokenKind::StringLiteral => "tStringLiteral",
            TokenKind::Current => "tCurrent",
            TokenKind::Expref => "tExpref",
            TokenKind::And => "tAnd",
            TokenKind::Not => "tNot",
            TokenKind::Eof => "tEOF",
        }
    }

    /// How tightly the word binds what stands left of it.
    pub(crate) fn power(self) -> u8 {
        match self {
            TokenKind::Pipe => 1,
            TokenKind::Or => 2,
            TokenKind::And => 3,
            TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessOrEqual
            | TokenKind::Greater
            | TokenKind::GreaterOrEqual => 5,
            TokenKind::Flatten => 9,
            TokenKind::Star => 20,
            TokenKind::Filter => 21,
            TokenKind::Dot => 40,
            TokenKind::Not => 45,
            TokenKind::Lbrace => 50,
            TokenKind::Lbracket => 55,
            TokenKind::Lparen => 60,
            TokenKind::Unknown
            | TokenKind::Rparen
            | TokenKind::Rbracket
            | TokenKind::Rbrace
            | TokenKind::Number
            | TokenKind::UnquotedIdentifier
            | TokenKind::QuotedIdentifier
            | TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::JsonLiteral
            | TokenKind::StringLiteral
            | TokenKind::Current
            | TokenKind::Expref
            | TokenKind::Eof => 0,
        }
    }
}
