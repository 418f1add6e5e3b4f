//! A regular expression as a tree.
//!
//! Example: `a|b*` is `Alternate([Char('a'), Repeat { Char('b'), 0.. }])`.

use super::class::Class;

/// A part of an expression.
#[derive(Clone, Debug)]
pub(in crate::functions) enum Node {
    /// The empty text.
    Empty,
    /// This character.
    Char(char),
    /// Any character; a line end only with the flag.
    Any { with_line_end: bool },
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
    Repeat { node: Box<Node>, min: u32, max: Option<u32>, is_greedy: bool },
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::functions) enum Assert {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    /// Between a word character and something else; words are of ASCII.
    WordBoundary,
    NoWordBoundary,
}
