//! Why a text is not an expression, and why an expression has no value: in the words of the original.
//!
//! Example: `a.b` over `{"a":{}}` is [`EvalError::UnknownKey`], which prints `Unknown key "b" in path`.

use engine_json::Str;
use std::fmt;

/// Why a text is not an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset in the expression.
    pub offset: usize,
    /// What is wrong: `SyntaxError: …`, or the words of Go's readers of JSON and of whole numbers.
    pub message: String,
}

impl ParseError {
    pub(crate) fn syntax(offset: usize, message: impl fmt::Display) -> Self {
        ParseError { offset, message: format!("SyntaxError: {message}") }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ParseError {}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// A map does not hold the key. Most kinds of nodes turn this one into null.
    UnknownKey {
        /// The key.
        key: Str,
    },
    /// Any other error of the original, in its words.
    Other {
        /// The words.
        message: String,
    },
    /// The original panics here; unlike `Other`, no node turns this into null.
    Crash {
        /// What is asked for and cannot be done.
        message: String,
    },
    /// One of the bounds in [`crate::limits`]; no node turns this into null.
    Limit {
        /// Which bound.
        message: String,
    },
}

impl EvalError {
    /// An error in the words of the original.
    pub fn other(message: impl Into<String>) -> Self {
        EvalError::Other { message: message.into() }
    }

    /// An error where the original panics.
    pub fn crash(message: impl Into<String>) -> Self {
        EvalError::Crash { message: message.into() }
    }

    /// An exceeded bound.
    pub fn limit(message: impl Into<String>) -> Self {
        EvalError::Limit { message: message.into() }
    }

    /// Whether no node may turn this error into null.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            EvalError::UnknownKey { .. } | EvalError::Other { .. } => false,
            EvalError::Crash { .. } | EvalError::Limit { .. } => true,
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::UnknownKey { key } => write!(f, "Unknown key \"{key}\" in path"),
            EvalError::Other { message } | EvalError::Crash { message } | EvalError::Limit { message } => {
                f.write_str(message)
            }
        }
    }
}

impl std::error::Error for EvalError {}
