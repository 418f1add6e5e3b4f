//! A problem of an expression: what is wrong, and where.

/// One problem, in cel-go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The offset in bytes at which cel-go points; `None` for what has no place (`-1:0` there).
    pub at: Option<u32>,
    /// What is wrong, without place and picture.
    pub message: String,
}

impl Issue {
    /// A problem at a place.
    pub fn at(at: u32, message: impl Into<String>) -> Self {
        Issue { at: Some(at), message: message.into() }
    }

    /// A problem of the whole text.
    pub fn nowhere(message: impl Into<String>) -> Self {
        Issue { at: None, message: message.into() }
    }
}
