//! What begins with `(?`: named groups, flags, groups without a number.
//!
//! In: `(?i:`, `(?P<name>`, `(?s-m)`. Out: an open group, or other flags for what follows.
//!
//! Mirrors: Go's regexp/syntax parse.go (`parsePerlFlags`).

use super::error::{Code, SyntaxError};
use super::parse::{Flags, Parser};

impl Parser<'_> {
    pub(super) fn flags_or_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.cursor.at;
        let rest = self.cursor.rest();
        for opening in ["(?P<", "(?<"] {
            if rest.len() > opening.len() && rest.starts_with(opening) {
                self.cursor.at += opening.len();
                return self.named_group(start);
            }
        }
        self.cursor.at += 2;
        let (mut flags, mut is_negative, mut has_flag) = (self.flags, false, false);
        while let Some(c) = self.cursor.next() {
            match c {
                'i' | 'm' | 's' | 'U' => {
                    set(&mut flags, c, !is_negative);
                    has_flag = true;
                }
                '-' if !is_negative => (is_negative, has_flag) = (true, false),
                ':' | ')' if has_flag || !is_negative => {
                    if c == ':' {
                        self.open(None);
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => return self.cursor.error(Code::PerlOp, start),
            }
        }
        self.cursor.error(Code::PerlOp, start)
    }

    fn named_group(&mut self, start: usize) -> Result<(), SyntaxError> {
        let Some(name) = self.cursor.take_until(">") else {
            return Err(SyntaxError::new(Code::NamedCapture, self.cursor.from(start)));
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_word) {
            return self.cursor.error(Code::NamedCapture, start);
        }
        let name = name.to_owned();
        self.open_capture(Some(name));
        Ok(())
    }
}

fn set(flags: &mut Flags, letter: char, value: bool) {
    match letter {
        'i' => flags.ignores_case = value,
        'm' => flags.is_multi_line = value,
        's' => flags.dot_takes_line_end = value,
        _ => flags.is_lazy = value,
    }
}
