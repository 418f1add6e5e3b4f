//! Where the values and keys of a document are.
//!
//! In: the nodes of a document. Out: a table from paths to spans. In `a:\n- b: 1\n` the path `a[0].b` has the key
//! span of `b` and the value span of `1`.
//!
//! An aliased value has the span of its alias, and what lies inside it the spans of the place where it is written;
//! a merged key has those of the map that it comes from.

use crate::Span;
use crate::key::Key;
use crate::node::{Kind, NodeId, Tree};
use crate::resolve::{Resolved, resolve};
use engine_json::{Path, Segment, Str, Value};
use engine_values::base64;
use engine_values::go_text::go_text_of;

/// How many aliases and merges one step of a path may follow.
const MAX_HOPS: usize = 1000;

/// From paths to spans, for one document.
#[derive(Clone, Debug)]
pub struct Spans {
    pub(crate) document: Span,
    pub(crate) root: Option<NodeId>,
    pub(crate) places: Vec<NodeSpan>,
}

#[derive(Clone, Debug)]
pub(crate) struct NodeSpan {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) inside: Inside,
}

#[derive(Clone, Debug)]
pub(crate) enum Inside {
    Nothing,
    List(Vec<NodeId>),
    Map(Vec<Entry>),
    Alias(NodeId),
}

#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Key(Str, NodeId, NodeId),
    Merge(NodeId),
}

/// A value that a path leads to.
struct Found {
    value: NodeId,
    key: Option<NodeId>,
}

impl Spans {
    pub(crate) fn empty(document: Span) -> Self {
        Spans { document, root: None, places: Vec::new() }
    }

    pub(crate) fn of(tree: &Tree<'_>, document: Span) -> Self {
        let inside = |kind: &Kind<'_>| match kind {
            Kind::Scalar { .. } => Inside::Nothing,
            Kind::Sequence(items) => Inside::List(items.clone()),
            Kind::Alias(target, _) => Inside::Alias(*target),
            Kind::Mapping(pairs) => {
                let entry = |(key, value): &(NodeId, NodeId)| match tree.get(*key) {
                    Some(node) if node.is_merge() => Entry::Merge(*value),
                    Some(_) | None => Entry::Key(key_text(tree, *key), *key, *value),
                };
                Inside::Map(pairs.iter().map(entry).collect())
            }
        };
        let place = |node: &crate::node::Node<'_>| NodeSpan {
            start: node.start,
            end: node.end,
            inside: inside(&node.kind),
        };
        Spans { document, root: tree.root, places: tree.nodes.iter().map(place).collect() }
    }

    /// Where the value at the end of the path is.
    pub fn value_span(&self, path: &Path) -> Option<Span> {
        self.find(path).and_then(|found| self.span(found.value))
    }

    /// Where the key is that leads to the value at the end of the path; `None` for the root and the items of lists.
    pub fn key_span(&self, path: &Path) -> Option<Span> {
        self.find(path).and_then(|found| found.key).and_then(|key| self.span(key))
    }

    /// How many steps of the path are there, and where the value at the end of those is; the span of the whole
    /// document where not even the root is.
    pub fn deepest(&self, path: &Path) -> (usize, Span) {
        let mut depth = 0;
        let mut span = self.root.and_then(|root| self.span(root)).unwrap_or(self.document);
        let mut at = self.root;
        for segment in path.iter() {
            let Some(found) = at.and_then(|id| self.step(id, segment)) else { break };
            at = Some(found.value);
            depth += 1;
            span = self.span(found.value).unwrap_or(span);
        }
        (depth, span)
    }

    fn span(&self, id: NodeId) -> Option<Span> {
        let place = self.places.get(id as usize)?;
        let base = self.document.start;
        let end = base.saturating_add(place.end).min(self.document.end);
        let start = base.saturating_add(place.start).min(end);
        Some(Span { source: self.document.source, start, end })
    }

    fn find(&self, path: &Path) -> Option<Found> {
        let root = Found { value: self.root?, key: None };
        path.iter().try_fold(root, |found, segment| self.step(found.value, segment))
    }

    fn step(&self, id: NodeId, segment: &Segment) -> Option<Found> {
        match (self.target(id), segment) {
            (Some(Inside::List(items)), Segment::Index(at)) => {
                items.get(*at as usize).map(|value| Found { value: *value, key: None })
            }
            (Some(Inside::Map(_)), Segment::Key(key)) => self.entry(id, key),
            (Some(Inside::Nothing | Inside::List(_) | Inside::Map(_) | Inside::Alias(_)) | None, _) => None,
        }
    }

    /// What a node holds, aliases followed.
    fn target(&self, mut id: NodeId) -> Option<&Inside> {
        for _ in 0..MAX_HOPS {
            match &self.places.get(id as usize)?.inside {
                Inside::Alias(target) => id = *target,
                inside @ (Inside::Nothing | Inside::List(_) | Inside::Map(_)) => return Some(inside),
            }
        }
        None
    }

    /// The entry of a map that decides its value: the last one, in the maps that it merges too.
    fn entry(&self, id: NodeId, key: &str) -> Option<Found> {
        // The maps still to look at, the one that is looked at next on top.
        let mut waiting: Vec<NodeId> = vec![id];
        let mut hops = 0;
        while let Some(id) = waiting.pop() {
            hops += 1;
            if hops > MAX_HOPS {
                return None;
            }
            match self.target(id)? {
                Inside::Map(entries) => {
                    if let Some(found) = self.entry_of(entries, key, &mut waiting) {
                        return Some(found);
                    }
                }
                // A list of maps to merge: the first one is merged last.
                Inside::List(items) => waiting.extend(items.iter().rev()),
                Inside::Nothing | Inside::Alias(_) => {}
            }
        }
        None
    }

    /// Looks from the end of the entries to the first merge that might hold the key, and leaves what is before it
    /// for later by putting the merged maps on top of each other.
    fn entry_of(&self, entries: &[Entry], key: &str, waiting: &mut Vec<NodeId>) -> Option<Found> {
        let mut merges = Vec::new();
        for entry in entries.iter().rev() {
            match entry {
                Entry::Key(text, key_id, value) if text == key => {
                    // A merge behind it sets the key again, if one of its maps has it.
                    let merged = merges.iter().find_map(|id| self.entry_once(*id, key));
                    return merged.or(Some(Found { value: *value, key: Some(*key_id) }));
                }
                Entry::Key(..) => {}
                Entry::Merge(id) => merges.push(*id),
            }
        }
        waiting.extend(merges.into_iter().rev());
        None
    }

    /// The entry of a merged map, looked for in that map alone.
    fn entry_once(&self, id: NodeId, key: &str) -> Option<Found> {
        let maps = match self.target(id)? {
            Inside::List(items) => items.clone(),
            Inside::Map(_) => vec![id],
            Inside::Nothing | Inside::Alias(_) => return None,
        };
        maps.iter().find_map(|id| match self.target(*id)? {
            Inside::Map(entries) => entries.iter().rev().find_map(|entry| match entry {
                Entry::Key(text, key_id, value) if text == key => {
                    Some(Found { value: *value, key: Some(*key_id) })
                }
                Entry::Key(..) | Entry::Merge(_) => None,
            }),
            Inside::Nothing | Inside::List(_) | Inside::Alias(_) => None,
        })
    }
}

/// The text that a key has in JSON; empty for what is not a key.
fn key_text(tree: &Tree<'_>, id: NodeId) -> Str {
    let node = tree.get(id).and_then(|node| match &node.kind {
        Kind::Alias(target, _) => tree.get(*target),
        Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_) => Some(node),
    });
    let Some(Kind::Scalar { text, tag, is_plain }) = node.map(|node| &node.kind) else {
        return Str::default();
    };
    if *tag == crate::resolve::Tag::None && !is_plain {
        return Str::new(text);
    }
    match resolve(*tag, text) {
        Ok(Resolved::Bool(b)) => Key::Bool(b).text(),
        Ok(Resolved::Int(i)) => Key::Int(i).text(),
        Ok(Resolved::Float(f)) => Key::Float(f).text(),
        Ok(Resolved::Str) if *tag == crate::resolve::Tag::Binary => base64::decode(text.as_bytes())
            .map_or_else(|_| Str::default(), |bytes| Str::new(go_text_of(&bytes))),
        Ok(Resolved::Null | Resolved::Uint(_) | Resolved::Str | Resolved::Timestamp) | Err(_) => {
            Str::new(text)
        }
    }
}

/// Every path of a value, with its places; for tests that compare readers.
impl Spans {
    /// The paths of the document that lead to a value, in written order, at most `limit` of them.
    pub fn paths(value: &Value, limit: usize) -> Vec<Path> {
        let mut paths = Vec::new();
        let mut waiting = vec![(Path::root(), value.clone())];
        while let Some((path, value)) = waiting.pop() {
            if paths.len() >= limit {
                break;
            }
            match &value {
                Value::Object(map) => {
                    waiting
                        .extend(map.iter().rev().map(|(key, value)| (path.join(key.clone()), value.clone())));
                }
                Value::Array(list) => {
                    let items = list.iter().enumerate().rev();
                    waiting.extend(items.map(|(at, value)| (path.join(at), value.clone())));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
            paths.push(path);
        }
        paths
    }
}
