//! The tokens of YAML 1.1.
//!
//! In: what `scan` meets. Out: tokens with the places where they begin and end. `a: [b]` is a block mapping start, a
//! key, a scalar, a value, a flow sequence start, a scalar, a flow sequence end and a block end.

use crate::cursor::Mark;
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
}

#[derive(Clone, Debug)]
pub(crate) enum TokenKind<'a> {
    StreamEnd,
    /// `%YAML`, with major and minor version.
    VersionDirective(u8, u8),
    /// `%TAG`, with handle and prefix.
    TagDirective(&'a str, Cow<'a, str>),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    /// Handle and suffix; a tag in angle brackets has no handle.
    Tag(&'a str, Cow<'a, str>),
    Scalar(Cow<'a, str>, ScalarStyle),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarStyle {
    Plain,
    Quoted,
    Block,
}
