//! A document as it is written: nodes with their places, before scalars mean anything.
//!
//! In: what `scan` reads. Out: an arena of nodes; a list and a map hold the numbers of their children, an alias
//! the number of the node it stands for.

use crate::resolve::Tag;
use std::borrow::Cow;

/// The number of a node in its arena.
pub(crate) type NodeId = u32;

/// The nodes of one document.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    /// The root; `None` for a text without a document.
    pub(crate) root: Option<NodeId>,
    /// The byte of the first token behind the document; `None` where it is the last.
    pub(crate) rest: Option<u32>,
}

impl<'a> Tree<'a> {
    pub(crate) fn get(&self, id: NodeId) -> Option<&Node<'a>> {
        self.nodes.get(id as usize)
    }
}

/// One node.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) kind: Kind<'a>,
    /// Bytes of its content in the text that was read.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line on which it begins, its tag and anchor included, from 0.
    pub(crate) line: u32,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// A scalar; `is_plain` is go-yaml's `implicit`: neither quoted nor tagged.
    Scalar {
        text: Cow<'a, str>,
        tag: Tag,
        is_plain: bool,
    },
    Sequence(Vec<NodeId>),
    /// Keys and values.
    Mapping(Vec<(NodeId, NodeId)>),
    /// The node it stands for, and the name it was called by.
    Alias(NodeId, Cow<'a, str>),
}

impl Node<'_> {
    /// Whether this key merges the map that is its value.
    // Go: decode.go, `isMerge`.
    pub(crate) fn is_merge(&self) -> bool {
        match &self.kind {
            Kind::Scalar { text, tag, is_plain } => {
                text == "<<" && (*is_plain || matches!(tag, Tag::Merge | Tag::Bang))
            }
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Alias(..) => false,
        }
    }
}
