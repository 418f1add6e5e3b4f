//! A group while it is read, and the measures of its parts.
//!
//! In: the parts of `a|bc`, one after the other. Out: `Alternate([a, Concat([b, c])])`, of height 3 and size 4.

use super::ast::Node;
use super::parse::Flags;

/// A part of an expression with its measures.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) node: Node,
    /// How many parts lie inside of each other.
    pub(super) height: usize,
    /// How many instructions it will need, at most.
    // Go: parse.go calcSize.
    pub(super) size: u64,
    /// How often its innermost part is written out by counted repetitions.
    // Go: parse.go repeatIsValid.
    pub(super) repeats: u64,
}

impl Item {
    pub(super) fn of(node: Node) -> Self {
        Item { node, height: 1, size: 1, repeats: 1 }
    }

    pub(super) fn captured(self, number: usize) -> Self {
        Item {
            node: Node::Capture(number, Box::new(self.node)),
            height: self.height + 1,
            size: self.size.saturating_add(2),
            repeats: self.repeats,
        }
    }

    pub(super) fn repeated(self, min: u32, max: Option<u32>, is_greedy: bool, is_counted: bool) -> Self {
        let copies = u64::from(max.unwrap_or(min)).max(1);
        let splits = u64::from(max.map_or(2, |max| max.saturating_sub(min))) + 1;
        let repeats = match max {
            Some(0) => 1,
            _ if is_counted => self.repeats.saturating_mul(copies),
            _ => self.repeats,
        };
        Item {
            node: Node::Repeat { node: Box::new(self.node), min, max, is_greedy },
            height: self.height + 1,
            size: self.size.saturating_mul(copies).saturating_add(splits),
            repeats,
        }
    }

    fn joined(items: Vec<Item>, join: fn(Vec<Node>) -> Node) -> Self {
        let mut joined = Item { node: Node::Empty, height: 0, size: 0, repeats: 1 };
        let mut nodes = Vec::with_capacity(items.len());
        for item in items {
            joined.height = joined.height.max(item.height);
            joined.size = joined.size.saturating_add(item.size);
            joined.repeats = joined.repeats.max(item.repeats);
            nodes.push(item.node);
        }
        joined.height += 1;
        joined.size = joined.size.saturating_add(nodes.len() as u64);
        joined.node = join(nodes);
        joined
    }
}

/// A group while it is read.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Its number, if it has one.
    pub(super) capture: Option<usize>,
    /// The flags that hold again behind it.
    pub(super) outer_flags: Flags,
    alternatives: Vec<Item>,
    /// The parts of the alternative that is read.
    parts: Vec<Item>,
    size: u64,
}

impl Frame {
    /// A group without parts.
    pub(super) fn new(capture: Option<usize>, outer_flags: Flags) -> Self {
        Frame { capture, outer_flags, ..Frame::default() }
    }

    pub(super) fn push(&mut self, item: Item) {
        self.size = self.size.saturating_add(item.size);
        self.parts.push(item);
    }

    pub(super) fn pop(&mut self) -> Option<Item> {
        let item = self.parts.pop()?;
        self.size = self.size.saturating_sub(item.size);
        Some(item)
    }

    /// About how many instructions the group will need.
    pub(super) fn size(&self) -> u64 {
        self.size.saturating_add(self.alternatives.len() as u64)
    }

    pub(super) fn next_alternative(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        let item = match (parts.pop(), parts.is_empty()) {
            (None, _) => Item::of(Node::Empty),
            (Some(only), true) => only,
            (Some(last), false) => {
                parts.push(last);
                Item::joined(parts, Node::Concat)
            }
        };
        self.alternatives.push(item);
    }

    pub(super) fn finish(mut self) -> Item {
        self.next_alternative();
        match (self.alternatives.pop(), self.alternatives.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                self.alternatives.extend(last);
                Item::joined(self.alternatives, Node::Alternate)
            }
        }
    }
}
