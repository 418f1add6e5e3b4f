//! Why a text is not a regular expression, in the words of the original.
//!
//! Example: `a(` gives ``error parsing regexp: missing closing ): `a(` ``.

use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    CharRange,
    Escape,
    Large,
    MissingBracket,
    MissingParen,
    MissingRepeatArgument,
    NamedCapture,
    NestingDepth,
    PerlOp,
    RepeatOp,
    RepeatSize,
    TrailingBackslash,
    UnexpectedParen,
}

impl Code {
    fn words(self) -> &'static str {
        match self {
            Code::CharRange => "invalid character class range",
            Code::Escape => "invalid escape sequence",
            Code::Large => "expression too large",
            Code::MissingBracket => "missing closing ]",
            Code::MissingParen => "missing closing )",
            Code::MissingRepeatArgument => "missing argument to repetition operator",
            Code::NamedCapture => "invalid named capture",
            Code::NestingDepth => "expression nests too deeply",
            Code::PerlOp => "invalid or unsupported Perl syntax",
            Code::RepeatOp => "invalid nested repetition operator",
            Code::RepeatSize => "invalid repeat count",
            Code::TrailingBackslash => "trailing backslash at end of expression",
            Code::UnexpectedParen => "unexpected )",
        }
    }
}

/// Why a text is not a regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    code: Code,
    /// The part of the text that is wrong.
    part: String,
}

impl SyntaxError {
    pub(super) fn new(code: Code, part: &str) -> Self {
        SyntaxError { code, part: part.to_owned() }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error parsing regexp: {}: `{}`", self.code.words(), self.part)
    }
}
