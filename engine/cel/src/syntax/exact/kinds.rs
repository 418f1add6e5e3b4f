//! Sets of kinds of tokens, printed as the original prints them.

use crate::syntax::token::Kind;
use std::fmt::{Display, Formatter, Result as FmtResult};

/// How each kind is called in errors.
const NAMES: [&str; 36] = [
    "<EOF>",
    "'=='",
    "'!='",
    "'in'",
    "'<'",
    "'<='",
    "'>='",
    "'>'",
    "'&&'",
    "'||'",
    "'['",
    "']'",
    "'{'",
    "'}'",
    "'('",
    "')'",
    "'.'",
    "','",
    "'-'",
    "'!'",
    "'?'",
    "':'",
    "'+'",
    "'*'",
    "'/'",
    "'%'",
    "'true'",
    "'false'",
    "'null'",
    "NUM_FLOAT",
    "NUM_INT",
    "NUM_UINT",
    "STRING",
    "BYTES",
    "IDENTIFIER",
    "ESC_IDENTIFIER",
];

/// All kinds, in their order.
const KINDS: [Kind; 36] = [
    Kind::End,
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
    Kind::And,
    Kind::Or,
    Kind::LeftBracket,
    Kind::RightBracket,
    Kind::LeftBrace,
    Kind::RightBrace,
    Kind::LeftParen,
    Kind::RightParen,
    Kind::Dot,
    Kind::Comma,
    Kind::Minus,
    Kind::Bang,
    Kind::Question,
    Kind::Colon,
    Kind::Plus,
    Kind::Star,
    Kind::Slash,
    Kind::Percent,
    Kind::True,
    Kind::False,
    Kind::Null,
    Kind::Float,
    Kind::Int,
    Kind::Uint,
    Kind::String,
    Kind::Bytes,
    Kind::Ident,
    Kind::Quoted,
];

/// A set of kinds, printed as the original prints it: in the order of the numbers, one alone without braces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::syntax) struct KindSet(u64);

impl KindSet {
    pub(in crate::syntax) const fn of(kinds: &[Kind]) -> Self {
        let mut bits = 0;
        let mut rest = kinds;
        while let [first, others @ ..] = rest {
            bits |= 1 << *first as u8;
            rest = others;
        }
        KindSet(bits)
    }

    pub(in crate::syntax) fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// The first kind; the end of the text in an empty set.
    pub(in crate::syntax) fn first(self) -> Kind {
        KINDS.into_iter().find(|&kind| self.has(kind)).unwrap_or(Kind::End)
    }

    pub(in crate::syntax) fn with(self, other: KindSet) -> KindSet {
        KindSet(self.0 | other.0)
    }
}

impl Display for KindSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let names =
            || (0..).zip(NAMES).filter(|(number, _)| self.0 & (1_u64 << number) != 0).map(|(_, name)| name);
        let braces = self.0.count_ones() != 1;
        if braces {
            f.write_str("{")?;
        }
        for (index, name) in names().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(name)?;
        }
        if braces { f.write_str("}") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_printed_in_the_order_of_the_grammar() {
        assert_eq!(KindSet::of(&[Kind::Comma, Kind::RightBracket]).to_string(), "{']', ','}");
        assert_eq!(KindSet::of(&[Kind::End]).to_string(), "<EOF>");
        assert_eq!(KindSet::of(&[Kind::Quoted, Kind::Ident]).to_string(), "{IDENTIFIER, ESC_IDENTIFIER}");
        assert_eq!(KindSet::default().to_string(), "{}");
    }
}
