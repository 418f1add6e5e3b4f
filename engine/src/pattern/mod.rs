//! Validation patterns: a tree of keys, anchors and scalars that a resource must satisfy.
//!
//! In: the value of `validate.pattern`, compiled once. Out: satisfied, or a [`Mismatch`] with Kyverno's words and
//! the places in resource and pattern where the walk stopped.
//! Mirrors: pkg/engine/validate/validate.go.

pub mod anchor;
pub mod leaf;
mod metadata;
mod mismatch;
mod walk;

pub use mismatch::{Mismatch, Verdict};

use anchor::Anchor;
use engine_json::{Map, Path, Str, Value};
use leaf::Leaf;
use std::collections::VecDeque;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    root: Node,
}

impl Pattern {
    /// Compiles a pattern in which no variable is left.
    pub fn new(value: &Value) -> Self {
        Pattern { root: Node::new(value) }
    }

    /// Holds the resource against the pattern.
    // Kyverno: validate.MatchPattern.
    pub fn check(&self, resource: &Value) -> Verdict {
        self.check_within(resource, &mut { MAX_WORK })
    }

    /// The same with what is left of [`MAX_WORK`]; an error once nothing is.
    pub fn check_within(&self, resource: &Value, left: &mut u64) -> Verdict {
        walk::check(&self.root, resource, left)
    }

    /// The same, and what was held against what on the way.
    pub fn describe(&self, resource: &Value) -> (Verdict, Vec<Observation>) {
        walk::describe(&self.root, resource)
    }
}

/// How much work the patterns of a rule may take for one resource: one for each field of a pattern that is held against a
/// value, more for long lists and texts.
pub const MAX_WORK: u64 = 50_000_000;

/// How much one walk may say.
pub const MAX_OBSERVATIONS: usize = 500;

/// Something that a walk came by.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The place in the resource; what should be there need not be.
    pub resource: Path,
    /// The place in the pattern.
    pub pattern: Path,
    /// What was seen there.
    pub what: What,
}

/// What a walk saw at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A value held against a scalar of the pattern.
    Field {
        /// Whether it satisfies it.
        fits: bool,
    },
    /// An anchor.
    Anchor {
        /// Which.
        anchor: Anchor,
        /// Whether the resource has the key.
        is_there: bool,
        /// Whether the walk went on behind it without a mismatch.
        holds: bool,
    },
}

#[derive(Clone, Debug)]
enum Node {
    Map(Box<MapNode>),
    List(Vec<Node>),
    Leaf { leaf: Leaf, written: Value },
}

/// A map of a pattern, its keys sorted into the two phases of Kyverno's walk.
#[derive(Clone, Debug)]
struct MapNode {
    /// Anchors `(k)`, `^(k)`, `=(k)`, `X(k)` in the byte order of their keys.
    anchors: Vec<Entry>,
    /// All other keys in the order in which they are visited.
    rest: Vec<Entry>,
    /// Keys whose presence in the resource is remembered.
    remembered: Vec<(Str, Str)>,
    /// The map as written, where labels or annotations in it must be expanded against each resource first.
    expand: Option<Map>,
}

/// A key of a pattern's map.
#[derive(Clone, Debug)]
struct Entry {
    /// As written.
    written: Str,
    /// Without anchor.
    key: Str,
    /// The anchor; `None` for a plain key and for `+(k)`, which only mutation knows.
    anchor: Option<Anchor>,
    /// Whether the pattern is the text `*`.
    is_any: bool,
    node: Node,
}

impl Node {
    fn new(value: &Value) -> Self {
        match value {
            Value::Object(map) => Node::Map(Box::new(MapNode::new(map))),
            Value::Array(list) => Node::List(list.iter().map(Node::new).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Node::Leaf { leaf: Leaf::new(value), written: value.clone() }
            }
        }
    }
}

impl MapNode {
    fn new(map: &Map) -> Self {
        let expand = metadata::needs_expansion(map).then(|| map.clone());
        MapNode { expand, ..MapNode::without_expansion(map) }
    }

    fn without_expansion(map: &Map) -> Self {
        let mut node =
            MapNode { anchors: Vec::new(), rest: Vec::new(), remembered: Vec::new(), expand: None };
        // Nested anchors are visited first, in reverse order of their names; the others follow in order.
        // Kyverno: getSortedNestedAnchorResource pushes the former to the front of a list.
        let mut rest = VecDeque::new();
        for (written, value) in map.sorted() {
            let parsed = anchor::parse(written);
            if let Some((Anchor::Condition | Anchor::Existence | Anchor::Negation, key)) = parsed {
                node.remembered.push((written.clone(), Str::new(key)));
            }
            let (anchor, key) = match parsed {
                None | Some((Anchor::AddIfNotPresent, _)) => (None, written.as_str()),
                Some((anchor, key)) => (Some(anchor), key),
            };
            let entry = Entry {
                written: written.clone(),
                key: Str::new(key),
                anchor,
                is_any: value.as_str() == Some("*"),
                node: Node::new(value),
            };
            match anchor {
                Some(Anchor::Condition | Anchor::Existence | Anchor::Equality | Anchor::Negation) => {
                    node.anchors.push(entry);
                }
                Some(Anchor::Global) => rest.push_front(entry),
                Some(Anchor::AddIfNotPresent) | None if has_nested_anchors(value) => rest.push_front(entry),
                Some(Anchor::AddIfNotPresent) | None => rest.push_back(entry),
            }
        }
        node.rest = rest.into();
        node
    }
}

fn has_nested_anchors(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            anchor::parse(key).is_some_and(|(anchor, _)| anchor != Anchor::AddIfNotPresent)
                || has_nested_anchors(value)
        }),
        Value::Array(list) => list.iter().any(has_nested_anchors),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
