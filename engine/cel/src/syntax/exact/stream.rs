//! The tokens as the parser asks for them: what is not a token is reported when the token behind it is first looked at.

use crate::syntax::lex::Lexed;
use crate::syntax::token::{Kind, Token};

/// The tokens and how far they were looked at.
pub(super) struct Stream<'s> {
    source: &'s str,
    lexed: &'s Lexed,
    /// The place of the next token.
    pub(super) next: usize,
    /// How many tokens were looked at.
    seen: usize,
    /// How many pieces that are not tokens were reported.
    reported: usize,
}

impl<'s> Stream<'s> {
    pub(super) fn new(source: &'s str, lexed: &'s Lexed) -> Self {
        Stream { source, lexed, next: 0, seen: 0, reported: 0 }
    }

    /// The token at a place; behind the last it is the last.
    pub(super) fn at(&self, place: usize) -> Token {
        let end = Token { kind: Kind::End, start: 0, end: 0 };
        self.lexed.tokens.get(place).or(self.lexed.tokens.last()).copied().unwrap_or(end)
    }

    /// The token this far ahead, from 0.
    pub(super) fn ahead(&mut self, by: usize) -> Token {
        self.seen = self.seen.max(self.next + by + 1);
        self.at(self.next + by)
    }

    /// Goes on by one token, if it is not the end.
    pub(super) fn advance(&mut self) {
        if self.ahead(0).kind != Kind::End {
            self.next += 1;
            self.seen = self.seen.max(self.next + 1);
        }
    }

    /// The last token that was passed.
    pub(super) fn last(&self) -> Option<Token> {
        self.next.checked_sub(1).map(|last| self.at(last))
    }

    /// The next piece that is not a token and stands before a token that was looked at: its place and its text.
    pub(super) fn bad(&mut self) -> Option<(u32, &'s str)> {
        let bad = self.lexed.bad.get(self.reported)?;
        if bad.before >= self.seen {
            return None;
        }
        self.reported += 1;
        Some((bad.start, self.between(bad.start, bad.end)))
    }

    fn between(&self, start: u32, end: u32) -> &'s str {
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The text of a token; a token that was made up has the text of its place.
    pub(super) fn text(&self, token: Token) -> &'s str {
        self.between(token.start, token.end)
    }

    /// The text from one token through another, without what is not a token.
    pub(super) fn through(&self, first: Token, last: Token) -> String {
        let mut text = String::new();
        let mut start = first.start;
        for bad in &self.lexed.bad {
            if bad.start >= first.start && bad.end <= last.end {
                text.push_str(self.between(start, bad.start));
                start = bad.end;
            }
        }
        text.push_str(self.between(start, last.end));
        text
    }
}
