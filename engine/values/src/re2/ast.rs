//! A regular expression as a tree.
//!
//! Example: `a|b*` is `Alternate([Char('a'), Repeat { Char('b'), 0.. }])`.

use super::class::Class;

/// A part of an expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The empty text.
    Empty,
    /// This character.
    Char(char),
    /// Any character; a line end only with the flag.
    Any {
        /// Whether a line end is one too.
        with_line_end: bool,
    },
    /// One character of a set.
    Class(Class),
    /// A place in the text.
    Assert(Assert),
    /// A group with a number; the first is 1.
    Capture(usize, Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// The first of them that leads to a match.
    Alternate(Vec<Node>),
    /// So many times; without a maximum any number of times.
    Repeat {
        /// What is repeated.
        node: Box<Node>,
        /// At least so often.
        min: u32,
        /// At most so often.
        max: Option<u32>,
        /// Whether more is tried before less.
        is_greedy: bool,
    },
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assert {
    /// The beginning of the text.
    TextStart,
    /// The end of the text.
    TextEnd,
    /// The beginning of a line.
    LineStart,
    /// The end of a line.
    LineEnd,
    /// Between a word character and something else; words are of ASCII.
    WordBoundary,
    /// Any other place.
    NoWordBoundary,
}
