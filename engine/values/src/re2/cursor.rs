//! The text of an expression and the place that has been read to; single escaped characters.
//!
//! In: `\x{61}b` at place 0. Out: `a`, and the place behind the brace.

use super::error::{Code, SyntaxError};

/// A place in a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    /// What has not been read yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// What has been read since `start`.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// The text from `start` to its end.
    pub(super) fn from(&self, start: usize) -> &'a str {
        self.text.get(start..).unwrap_or("")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads on if this comes next.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let is_next = self.rest().starts_with(wanted);
        if is_next {
            self.at += wanted.len();
        }
        is_next
    }

    /// Reads up to this, and over it; nothing where it does not come.
    pub(super) fn take_until(&mut self, end: &str) -> Option<&'a str> {
        let (before, _) = self.rest().split_once(end)?;
        self.at += before.len() + end.len();
        Some(before)
    }

    pub(super) fn error<T>(&self, code: Code, start: usize) -> Result<T, SyntaxError> {
        Err(SyntaxError::new(code, self.since(start)))
    }

    /// A backslash, which comes next, and the one character that it means with what follows; as in Go that may be a
    /// surrogate, which matches nothing.
    // Go: parse.go parseEscape.
    pub(super) fn escaped(&mut self) -> Result<u32, SyntaxError> {
        let start = self.at;
        self.at += 1;
        let Some(c) = self.next() else {
            return Err(SyntaxError::new(Code::TrailingBackslash, ""));
        };
        let code = match c {
            // A single digit would be a reference to a group, which there is not.
            '1'..='7' if !matches!(self.peek(), Some('0'..='7')) => None,
            '0'..='7' => Some(self.octal(c)),
            'x' => self.hexadecimal(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        code.map_or_else(|| self.error(Code::Escape, start), Ok)
    }

    /// Up to three octal digits, of which `first` has been read.
    fn octal(&mut self, first: char) -> u32 {
        let mut code = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        code
    }

    /// Two hexadecimal digits, or any number of them in braces; nothing where they are wrong, and then the cursor
    /// stands where the original does when it says so.
    fn hexadecimal(&mut self) -> Option<u32> {
        if self.rest().is_empty() {
            return None;
        }
        if !self.take("{") {
            let first = self.next().and_then(|c| c.to_digit(16));
            let second = self.next().and_then(|c| c.to_digit(16));
            return Some(first? * 16 + second?);
        }
        let mut code = 0;
        let mut is_empty = true;
        loop {
            match self.next()? {
                '}' => return (!is_empty).then_some(code),
                c => code = code * 16 + c.to_digit(16)?,
            }
            if code > super::class::LAST {
                return None;
            }
            is_empty = false;
        }
    }
}
