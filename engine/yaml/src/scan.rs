//! Text to tokens, as go-yaml v2 makes them: indentation opens and closes collections, and a token becomes a key
//! when the colon behind it shows up.
//!
//! In: a text. Out: its tokens one by one. A token is handed out only when it is certain that no key begins before
//! it. Errors are those of the original, and come when the original would meet them.
//!
//! Mirrors: go-yaml v2, scannerc.go.

use crate::cursor::{Cursor, Mark};
use crate::fault::{self, Fault};
use crate::limits::MAX_KEY_CHARS;
use crate::token::{Token, TokenKind};
use engine_json::ordered::OrderedMap;
use std::collections::VecDeque;

/// A token that may turn out to be a key.
#[derive(Clone, Copy, Debug, Default)]
struct PossibleKey {
    is_possible: bool,
    /// It stands where only a key may stand.
    is_required: bool,
    token: usize,
    mark: Mark,
}

pub(crate) struct Scanner<'a> {
    pub(crate) cursor: Cursor<'a>,
    tokens: VecDeque<Token<'a>>,
    /// How many tokens were handed out.
    taken: usize,
    /// The column of the block collection around; -1 outside of all.
    indent: isize,
    indents: Vec<isize>,
    flow_level: usize,
    is_key_allowed: bool,
    /// The token that may be a key, for each flow level.
    // INVARIANT: has one entry more than there are open flow collections.
    keys: Vec<PossibleKey>,
    /// The flow level of the possible key that begins with a token.
    key_levels: OrderedMap<usize, usize>,
    is_at_end: bool,
}

type Scanned<T> = Result<T, Fault>;

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Scanner {
            cursor: Cursor::new(text),
            tokens: VecDeque::new(),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            is_key_allowed: true,
            keys: vec![PossibleKey::default()],
            key_levels: OrderedMap::new(),
            is_at_end: false,
        }
    }

    /// The next token, which stays the next.
    pub(crate) fn peek(&mut self) -> Scanned<&Token<'a>> {
        while self.needs_more()? {
            self.fetch()?;
        }
        let mark = self.cursor.mark;
        self.tokens.front().ok_or_else(|| fault::without_line(mark, "unknown problem parsing YAML content"))
    }

    /// Takes the token that was peeked at.
    pub(crate) fn take(&mut self) -> Option<Token<'a>> {
        self.taken += 1;
        self.tokens.pop_front()
    }

    fn needs_more(&mut self) -> Scanned<bool> {
        if self.tokens.is_empty() {
            return Ok(!self.is_at_end);
        }
        match self.key_levels.get(&self.taken) {
            Some(level) => self.is_key(*level),
            None => Ok(false),
        }
    }

    /// Whether the possible key of this flow level may still become one: a key stands on one line.
    fn is_key(&mut self, level: usize) -> Scanned<bool> {
        let now = self.cursor.mark;
        let Some(key) = self.keys.get_mut(level) else { return Ok(false) };
        if !key.is_possible {
            return Ok(false);
        }
        if key.mark.line < now.line || key.mark.index + MAX_KEY_CHARS < now.index {
            if key.is_required {
                return Err(fault::scanner(key.mark, now, "could not find expected ':'"));
            }
            key.is_possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn next_number(&self) -> usize {
        self.taken + self.tokens.len()
    }

    fn push(&mut self, kind: TokenKind<'a>, start: Mark) {
        self.tokens.push_back(Token { kind, start, end: self.cursor.mark });
    }

    /// Puts a token before the one with this number; at the end where that one is handed out already.
    // Go: `yaml_insert_token` with a negative place.
    fn insert(&mut self, number: usize, kind: TokenKind<'a>, mark: Mark) {
        let token = Token { kind, start: mark, end: mark };
        match number.checked_sub(self.taken) {
            Some(at) if at <= self.tokens.len() => self.tokens.insert(at, token),
            Some(_) | None => self.tokens.push_back(token),
        }
    }

    fn save_key(&mut self) -> Scanned<()> {
        if !self.is_key_allowed {
            return Ok(());
        }
        let mark = self.cursor.mark;
        let is_required = self.flow_level == 0 && usize::try_from(self.indent) == Ok(mark.column);
        self.remove_key()?;
        let token = self.next_number();
        let level = self.flow_level;
        if let Some(key) = self.keys.last_mut() {
            *key = PossibleKey { is_possible: true, is_required, token, mark };
        }
        self.key_levels.insert(token, level);
        Ok(())
    }

    fn remove_key(&mut self) -> Scanned<()> {
        let now = self.cursor.mark;
        let Some(key) = self.keys.last_mut() else { return Ok(()) };
        if key.is_possible {
            if key.is_required {
                return Err(fault::scanner(key.mark, now, "could not find expected ':'"));
            }
            key.is_possible = false;
            self.key_levels.remove(&key.token);
        }
        Ok(())
    }

    /// Opens a block collection at this column if it is further in than the one around.
    fn roll(&mut self, column: usize, number: Option<usize>, kind: TokenKind<'a>, mark: Mark) {
        let column = isize::try_from(column).unwrap_or(isize::MAX);
        if self.flow_level > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        self.insert(number.unwrap_or(usize::MAX), kind, mark);
    }

    /// Closes the block collections that are further in than this column.
    fn unroll(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.cursor.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch(&mut self) -> Scanned<()> {
        self.skip_to_token();
        self.unroll(isize::try_from(self.cursor.mark.column).unwrap_or(isize::MAX));
        if self.cursor.is_document_indicator() {
            return self.document_indicator();
        }
        let in_flow = self.flow_level > 0;
        let ends_word = self.cursor.is_blank_or_end(1);
        match self.cursor.peek(0) {
            0 => self.stream_end(),
            b'%' if self.cursor.mark.column == 0 => self.directive(),
            b'[' => self.flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.flow_start(TokenKind::FlowMappingStart),
            b']' => self.flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.flow_end(TokenKind::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.is_key_allowed = true;
                self.mark_token(TokenKind::FlowEntry);
                Ok(())
            }
            b'-' if ends_word => self.block_entry(),
            b'?' if in_flow || ends_word => self.key(),
            b':' if in_flow || ends_word => self.value(),
            b'*' | b'&' => self.anchor(),
            b'!' => self.tag(),
            b'|' if !in_flow => self.block_scalar(true),
            b'>' if !in_flow => self.block_scalar(false),
            b'\'' => self.quoted(true),
            b'"' => self.quoted(false),
            b'\t' | b'#' | b'%' | b'@' | b'`' | b'|' | b'>' => {
                let mark = self.cursor.mark;
                Err(fault::scanner(mark, mark, "found character that cannot start any token"))
            }
            _ => self.plain(),
        }
    }

    /// Skips blanks, comments and line breaks. A tab is not indentation: it counts as a blank only where no key may
    /// begin.
    // Go: `is_bom` looks at the start of a buffer instead of the place it is asked about, so that a byte order mark
    // is skipped at the start of a text only and is content anywhere else.
    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow_level > 0 || !self.is_key_allowed;
            let blanks = self.cursor.rest().iter();
            let blanks = blanks.take_while(|byte| **byte == b' ' || (tabs && **byte == b'\t')).count();
            self.cursor.skip_ascii(blanks);
            self.cursor.skip_comment();
            if !self.cursor.is_break(0) {
                return;
            }
            self.cursor.read_break();
            if self.flow_level == 0 {
                self.is_key_allowed = true;
            }
        }
    }

    /// Goes over the character here and makes it a token.
    fn mark_token(&mut self, kind: TokenKind<'a>) {
        let start = self.cursor.mark;
        self.cursor.skip();
        self.push(kind, start);
    }

    fn stream_end(&mut self) -> Scanned<()> {
        if self.cursor.mark.column != 0 {
            self.cursor.mark.column = 0;
            self.cursor.mark.line += 1;
        }
        self.unroll(-1);
        self.remove_key()?;
        self.is_key_allowed = false;
        self.is_at_end = true;
        self.push(TokenKind::StreamEnd, self.cursor.mark);
        Ok(())
    }

    fn directive(&mut self) -> Scanned<()> {
        self.unroll(-1);
        self.remove_key()?;
        self.is_key_allowed = false;
        let start = self.cursor.mark;
        let kind = crate::directive::directive(&mut self.cursor)?;
        self.push(kind, start);
        Ok(())
    }

    fn document_indicator(&mut self) -> Scanned<()> {
        self.unroll(-1);
        self.remove_key()?;
        self.is_key_allowed = false;
        let start = self.cursor.mark;
        let kind =
            if self.cursor.peek(0) == b'-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
        self.cursor.skip_ascii(3);
        self.push(kind, start);
        Ok(())
    }

    fn flow_start(&mut self, kind: TokenKind<'a>) -> Scanned<()> {
        self.save_key()?;
        let token = self.next_number();
        self.keys.push(PossibleKey { is_possible: false, is_required: false, token, mark: self.cursor.mark });
        self.flow_level += 1;
        self.is_key_allowed = true;
        self.mark_token(kind);
        Ok(())
    }

    fn flow_end(&mut self, kind: TokenKind<'a>) -> Scanned<()> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            // Go: an empty collection takes the note of the key that begins with it along, so that `[]: x` is no
            // map: `yaml_parser_decrease_flow_level`.
            if let Some(key) = self.keys.pop() {
                self.key_levels.remove(&key.token);
            }
        }
        self.is_key_allowed = false;
        self.mark_token(kind);
        Ok(())
    }

    fn block_entry(&mut self) -> Scanned<()> {
        let mark = self.cursor.mark;
        if self.flow_level == 0 {
            if !self.is_key_allowed {
                let message = "block sequence entries are not allowed in this context";
                return Err(fault::scanner(mark, mark, message));
            }
            self.roll(mark.column, None, TokenKind::BlockSequenceStart, mark);
        }
        self.remove_key()?;
        self.is_key_allowed = true;
        self.mark_token(TokenKind::BlockEntry);
        Ok(())
    }

    fn key(&mut self) -> Scanned<()> {
        let mark = self.cursor.mark;
        if self.flow_level == 0 {
            if !self.is_key_allowed {
                return Err(fault::scanner(mark, mark, "mapping keys are not allowed in this context"));
            }
            self.roll(mark.column, None, TokenKind::BlockMappingStart, mark);
        }
        self.remove_key()?;
        self.is_key_allowed = self.flow_level == 0;
        self.mark_token(TokenKind::Key);
        Ok(())
    }

    fn value(&mut self) -> Scanned<()> {
        let mark = self.cursor.mark;
        let level = self.flow_level;
        if self.is_key(level)? {
            let key = self.keys.get(level).copied().unwrap_or_default();
            self.insert(key.token, TokenKind::Key, key.mark);
            self.roll(key.mark.column, Some(key.token), TokenKind::BlockMappingStart, key.mark);
            if let Some(key) = self.keys.get_mut(level) {
                key.is_possible = false;
            }
            self.key_levels.remove(&key.token);
            self.is_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.is_key_allowed {
                    return Err(fault::scanner(mark, mark, "mapping values are not allowed in this context"));
                }
                self.roll(mark.column, None, TokenKind::BlockMappingStart, mark);
            }
            self.is_key_allowed = self.flow_level == 0;
        }
        self.mark_token(TokenKind::Value);
        Ok(())
    }

    fn anchor(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.is_key_allowed = false;
        let start = self.cursor.mark;
        let is_alias = self.cursor.peek(0) == b'*';
        let name = crate::directive::anchor(&mut self.cursor)?;
        self.push(if is_alias { TokenKind::Alias(name) } else { TokenKind::Anchor(name) }, start);
        Ok(())
    }

    fn tag(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.is_key_allowed = false;
        let start = self.cursor.mark;
        let kind = crate::directive::tag(&mut self.cursor)?;
        self.push(kind, start);
        Ok(())
    }

    fn block_scalar(&mut self, is_literal: bool) -> Scanned<()> {
        self.remove_key()?;
        self.is_key_allowed = true;
        let token = crate::scalar::block(&mut self.cursor, self.indent, is_literal)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn quoted(&mut self, is_single: bool) -> Scanned<()> {
        self.save_key()?;
        self.is_key_allowed = false;
        let token = crate::scalar::quoted(&mut self.cursor, is_single)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn plain(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.is_key_allowed = false;
        let (token, ends_line) = crate::scalar::plain(&mut self.cursor, self.indent, self.flow_level > 0)?;
        self.is_key_allowed |= ends_line;
        self.tokens.push_back(token);
        Ok(())
    }
}
