//! Colours for people: red, green, yellow and faint text where a terminal shows them.
//!
//! In: a text and whether colours are wanted. Out: the text, or the text between two escape codes.

use crate::terminal;

/// Colours, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// No colours.
    pub(crate) fn none() -> Self {
        Paint { is_on: false }
    }

    /// Colours on standard output where it is a terminal.
    pub(crate) fn out() -> Self {
        Paint { is_on: terminal::colours_out() }
    }

    /// What fails.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    /// What passes.
    pub(crate) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// What warns.
    pub(crate) fn doubtful(self, text: &str) -> String {
        self.with("33", text)
    }

    /// What stands beside.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.is_on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
