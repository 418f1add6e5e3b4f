//! The part of a stream that is looked at.
//!
//! In: a reader. Out: its bytes from where the reader is, and the text since a mark; what lies before both is forgotten.

use std::io::{ErrorKind, Read};

/// The longest object that is read, in bytes: an API server stores none of 2 MiB.
pub const MAX_ITEM: usize = 16 << 20;
/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// A window on a stream.
pub(crate) struct Window<R> {
    from: R,
    held: Vec<u8>,
    /// The next byte, in what is held.
    at: usize,
    /// Where the text begins that is kept.
    mark: Option<usize>,
    /// Whether the kept text grew longer than an object may be, and was let go.
    is_too_long: bool,
    is_over: bool,
    /// Why the stream ended early.
    pub(crate) error: Option<String>,
    /// The line of the next byte, from 1.
    pub(crate) line: usize,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(from: R) -> Self {
        let held = Vec::with_capacity(2 * CHUNK);
        Window { from, held, at: 0, mark: None, is_too_long: false, is_over: false, error: None, line: 1 }
    }

    /// What was read and not yet passed; nothing at the end of the stream alone.
    pub(crate) fn rest(&mut self) -> &[u8] {
        if self.at >= self.held.len() {
            self.fill();
        }
        self.held.get(self.at..).unwrap_or_default()
    }

    /// At least so many bytes, where the stream has them.
    pub(crate) fn ahead(&mut self, count: usize) -> &[u8] {
        while self.held.len() - self.at < count && !self.is_over {
            self.fill();
        }
        self.held.get(self.at..).unwrap_or_default()
    }

    /// The next byte.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Passes so many bytes.
    pub(crate) fn advance(&mut self, count: usize) {
        let end = (self.at + count).min(self.held.len());
        let passed = self.held.get(self.at..end).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count();
        self.at = end;
    }

    /// Keeps the text from here on.
    pub(crate) fn keep(&mut self) {
        (self.mark, self.is_too_long) = (Some(self.at), false);
    }

    /// The kept text up to here, which is kept no longer; nothing where it is too long.
    pub(crate) fn kept(&mut self) -> Option<Vec<u8>> {
        let mark = self.mark.take();
        let is_too_long = std::mem::take(&mut self.is_too_long);
        let text = self.held.get(mark?..self.at)?;
        (!is_too_long && text.len() <= MAX_ITEM).then(|| text.to_vec())
    }

    /// Keeps nothing.
    pub(crate) fn forget(&mut self) {
        (self.mark, self.is_too_long) = (None, false);
    }

    /// Passes the rest of the line.
    pub(crate) fn pass_line(&mut self) {
        loop {
            let rest = self.rest();
            let (count, is_end) = match memchr::memchr(b'\n', rest) {
                Some(at) => (at + 1, true),
                None => (rest.len(), rest.is_empty()),
            };
            self.advance(count);
            if is_end {
                return;
            }
        }
    }

    fn fill(&mut self) {
        if self.is_over {
            return;
        }
        if self.mark.is_some_and(|mark| self.at.saturating_sub(mark) > MAX_ITEM) {
            (self.mark, self.is_too_long) = (Some(self.at), true);
        }
        let forgotten = self.mark.unwrap_or(self.at).min(self.at);
        self.held.drain(..forgotten);
        self.at -= forgotten;
        self.mark = self.mark.map(|_| 0);
        let before = self.held.len();
        self.held.resize(before + CHUNK, 0);
        let room = self.held.get_mut(before..).unwrap_or_default();
        let read = loop {
            match self.from.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = read.unwrap_or_else(|error| {
            self.error = Some(error.to_string());
            0
        });
        self.is_over = count == 0;
        self.held.truncate(before + count);
    }
}
