//! The document that operations change: what no operation reaches stays one shared value.
//!
//! In: a value, then paths. Out: places to get, set, add and remove at; in the end the value again, its keys in the
//! order in which they were written, new ones behind. Beside that order Go's is kept: a patch counts as one when it
//! changes bytes, and a key that is removed and added again stands elsewhere.
//! Mirrors: lazyNode, partialDoc and partialArray of github.com/evanphx/json-patch/v5/patch.go.

use super::index;
use engine_json::arrange::Arrange as _;
use engine_json::{Map, Str, Value};
use std::fmt;

/// What Go says of a document that is `null`.
const NO_MAP: &str = "invalid value, expected object";

/// Where a value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// In the resource: Go has sorted its keys.
    Resource,
    /// In the patch: its keys stand as written.
    Patch,
}

/// A value that is taken apart once an operation goes through it.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Raw { value: Value, source: Source },
    Map(Vec<Entry>),
    List(Vec<Slot>),
}

/// A `null` that was read is nothing; one that this patch puts there is a node.
pub(super) type Slot = Option<Node>;

/// A key in Go's order.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    key: Str,
    value: Slot,
    /// The place of the key in the written order.
    rank: usize,
}

/// Why there is nothing at a place.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// A map has no such key.
    Missing(String),
    /// A list has no such place.
    Invalid(String),
}

impl Fault {
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Fault::Missing(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing(key) => write!(f, "unable to get nonexistent key: {key}: missing value"),
            Fault::Invalid(message) => f.write_str(message),
        }
    }
}

/// A document under change.
pub(super) struct Document {
    root: Node,
    /// What the empty key of the root leads to: the document as it was read.
    // Go: partialDoc.self; changes beneath it are lost.
    whole: Slot,
}

/// A map or list, and what its empty key leads to.
pub(super) struct Place<'a> {
    pub(super) node: &'a mut Node,
    whole: Option<&'a mut Node>,
}

impl Document {
    pub(super) fn new(resource: Value) -> Self {
        let raw = Node::Raw { value: resource, source: Source::Resource };
        Document { root: raw.clone(), whole: Some(raw) }
    }

    /// Puts another document in its place.
    pub(super) fn replace(&mut self, value: Value, whole: Option<Value>) {
        let raw = |value| Node::Raw { value, source: Source::Patch };
        *self = Document { root: raw(value), whole: whole.map(raw) };
    }

    /// The root as a place.
    pub(super) fn root(&mut self) -> Place<'_> {
        self.root.open();
        Place { node: &mut self.root, whole: self.whole.as_mut() }
    }

    /// The map or list that holds the end of a path, and the key there. What stands before the first `/` does not
    /// count.
    // Go: findObject.
    pub(super) fn find(&mut self, path: &str) -> Option<(Place<'_>, String)> {
        if path.is_empty() {
            return Some((self.root(), String::new()));
        }
        let (_, path) = path.split_once('/')?;
        let mut place = self.root();
        let mut parts: Vec<&str> = path.split('/').collect();
        let key = parts.pop().unwrap_or("");
        for part in parts {
            place = place.enter(&decode(part))?;
        }
        Some((place, decode(key)))
    }

    /// Whether the whole document is this value.
    pub(super) fn equals(&self, value: &Value) -> bool {
        self.root.equals(value)
    }

    /// The document as a value; `None` where Go writes the same bytes as for `original`.
    pub(super) fn finish(self, original: &Value) -> Result<Option<Value>, String> {
        if let (Node::Raw { value: Value::Null, .. }, Some(_)) = (&self.root, &self.whole) {
            // Go: `add` takes `null` for a map without keys, which cannot be written; `replace` takes it for a list.
            return Err(format!("json: error calling MarshalJSON for type *jsonpatch.partialDoc: {NO_MAP}"));
        }
        Ok((!self.root.same_bytes(original)).then(|| self.root.into_value()))
    }
}

/// A part of a path without its escapes.
pub(super) fn decode(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

impl<'a> Place<'a> {
    /// A node that is part of no document.
    pub(super) fn apart(node: &'a mut Node) -> Self {
        Place { node, whole: None }
    }

    /// The map or list under a key.
    pub(super) fn enter(self, key: &str) -> Option<Place<'a>> {
        let node = self.into_child(key).ok()??;
        node.open().then_some(Place { node, whole: None })
    }

    /// What is under a key; nothing where that is a `null`.
    pub(super) fn get(&mut self, key: &str) -> Result<Option<&mut Node>, Fault> {
        Place { node: self.node, whole: self.whole.as_deref_mut() }.into_child(key)
    }

    fn into_child(self, key: &str) -> Result<Option<&'a mut Node>, Fault> {
        if key.is_empty() {
            return Ok(self.whole);
        }
        match self.node {
            Node::Map(entries) => match entries.iter_mut().find(|entry| entry.key == key) {
                Some(entry) => Ok(entry.value.as_mut()),
                None => Err(Fault::Missing(key.to_owned())),
            },
            Node::List(items) => {
                let at = index::parse(key).map_err(Fault::Invalid)?;
                let place = index::resolve(at, items.len())?;
                place
                    .and_then(|place| items.get_mut(place))
                    .map(Option::as_mut)
                    .ok_or_else(|| index::invalid(at))
            }
            Node::Raw { .. } => Err(Fault::Invalid(NO_MAP.to_owned())),
        }
    }

    /// Sets what is under a key; in a list it must be there already.
    pub(super) fn set(&mut self, key: &str, value: Slot) -> Result<(), String> {
        match self.node {
            Node::Map(entries) => {
                match entries.iter_mut().find(|entry| entry.key == key) {
                    Some(entry) => entry.value = value,
                    None => entries.push(Entry { key: Str::new(key), value, rank: usize::MAX }),
                }
                Ok(())
            }
            Node::List(items) => {
                let at = index::parse(key)?;
                let place = index::resolve(at, items.len()).map_err(|fault| fault.to_string())?;
                match place.and_then(|place| items.get_mut(place)) {
                    Some(slot) => *slot = value,
                    None => return Err(index::invalid(at).to_string()),
                }
                Ok(())
            }
            Node::Raw { .. } => Err(NO_MAP.to_owned()),
        }
    }

    /// Sets a key of a map, or puts an item before that place of a list; `-` is the end.
    pub(super) fn add(&mut self, key: &str, value: Slot) -> Result<(), String> {
        let Node::List(items) = self.node else { return self.set(key, value) };
        if key == "-" {
            items.push(value);
            return Ok(());
        }
        let at = index::parse(key)
            .map_err(|error| format!("value was not a proper array index: '{key}': {error}"))?;
        match index::resolve(at, items.len() + 1).map_err(|fault| fault.to_string())? {
            Some(place) => items.insert(place, value),
            None => return Err(index::invalid(at).to_string()),
        }
        Ok(())
    }

    /// Takes out what is under a key; what is not there need not be.
    pub(super) fn remove(&mut self, key: &str) -> Result<(), Fault> {
        match self.node {
            Node::Map(entries) => entries.retain(|entry| entry.key != key),
            Node::List(items) => {
                let at = index::parse(key).map_err(Fault::Invalid)?;
                if let Ok(Some(place)) = index::resolve(at, items.len()) {
                    items.remove(place);
                }
            }
            Node::Raw { .. } => return Err(Fault::Invalid(NO_MAP.to_owned())),
        }
        Ok(())
    }
}

impl Node {
    /// An empty map or list.
    pub(super) fn empty(is_list: bool) -> Node {
        if is_list { Node::List(Vec::new()) } else { Node::Map(Vec::new()) }
    }

    /// Takes a map or list apart; whether it is one.
    pub(super) fn open(&mut self) -> bool {
        let Node::Raw { value, source } = self else { return true };
        let source = *source;
        let slot = |value: &Value| (!value.is_null()).then(|| Node::Raw { value: value.clone(), source });
        *self = match value {
            Value::Object(map) => {
                let entries = map.iter().enumerate();
                let mut entries: Vec<Entry> = entries
                    .map(|(rank, (key, value))| Entry { key: key.clone(), value: slot(value), rank })
                    .collect();
                if source == Source::Resource {
                    entries.arrange_by(|a, b| a.key.cmp(&b.key));
                }
                Node::Map(entries)
            }
            Value::Array(list) => Node::List(list.iter().map(slot).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return false,
        };
        true
    }

    /// Whether it is this value.
    pub(super) fn equals(&self, other: &Value) -> bool {
        let same =
            |slot: &Slot, value: &Value| slot.as_ref().map_or(value.is_null(), |node| node.equals(value));
        match (self, other) {
            (Node::Raw { value, .. }, _) => value == other,
            (Node::Map(entries), Value::Object(map)) => {
                let has = |entry: &Entry| map.get(&entry.key).is_some_and(|value| same(&entry.value, value));
                entries.len() == map.len() && entries.iter().all(has)
            }
            (Node::List(items), Value::Array(list)) => {
                items.len() == list.len()
                    && items.iter().zip(list.iter()).all(|(item, value)| same(item, value))
            }
            (Node::Map(_) | Node::List(_), _) => false,
        }
    }

    /// Whether Go writes the same bytes for it as for the original, whose keys it sorts.
    fn same_bytes(&self, original: &Value) -> bool {
        let same =
            |slot: &Slot, value: &Value| slot.as_ref().map_or(value.is_null(), |node| node.same_bytes(value));
        match (self, original) {
            (Node::Raw { value, source: Source::Resource }, _) => value == original,
            (Node::Raw { value, source: Source::Patch }, _) => same_order(value, original),
            (Node::Map(entries), Value::Object(map)) => {
                entries.len() == map.len()
                    && entries
                        .iter()
                        .zip(map.sorted())
                        .all(|(e, (key, value))| e.key == *key && same(&e.value, value))
            }
            (Node::List(items), Value::Array(list)) => {
                items.len() == list.len()
                    && items.iter().zip(list.iter()).all(|(item, value)| same(item, value))
            }
            (Node::Map(_) | Node::List(_), _) => false,
        }
    }

    /// The value, keys in written order.
    fn into_value(self) -> Value {
        let of = |slot: Slot| slot.map_or(Value::Null, Node::into_value);
        match self {
            Node::Raw { value, .. } => value,
            Node::Map(mut entries) => {
                entries.arrange_by_key(|entry| entry.rank);
                Value::object(entries.into_iter().map(|entry| (entry.key, of(entry.value))).collect::<Map>())
            }
            Node::List(items) => Value::array(items.into_iter().map(of).collect()),
        }
    }

    /// The same as if it were written and read again: a `null` becomes nothing.
    pub(super) fn reread(self) -> Slot {
        Some(match self {
            Node::Raw { value: Value::Null, .. } => return None,
            Node::Raw { value, source } => Node::Raw { value, source },
            Node::Map(entries) => {
                let reread = |entry: Entry| Entry { value: entry.value.and_then(Node::reread), ..entry };
                Node::Map(entries.into_iter().map(reread).collect())
            }
            Node::List(items) => {
                Node::List(items.into_iter().map(|item| item.and_then(Node::reread)).collect())
            }
        })
    }

    /// How many values it holds, itself included.
    pub(super) fn size(&self) -> usize {
        let of = |slot: &Slot| slot.as_ref().map_or(1, Node::size);
        match self {
            Node::Raw { value, .. } => value_size(value),
            Node::Map(entries) => 1 + entries.iter().map(|entry| of(&entry.value)).sum::<usize>(),
            Node::List(items) => 1 + items.iter().map(of).sum::<usize>(),
        }
    }

    /// Whether it nests deeper than this.
    pub(super) fn depth_exceeds(&self, limit: usize) -> bool {
        let Some(beneath) = limit.checked_sub(1) else { return true };
        let of = |slot: &Slot| slot.as_ref().is_some_and(|node| node.depth_exceeds(beneath));
        match self {
            Node::Raw { value, .. } => value_depth_exceeds(value, limit),
            Node::Map(entries) => entries.iter().any(|entry| of(&entry.value)),
            Node::List(items) => items.iter().any(of),
        }
    }
}

fn value_size(value: &Value) -> usize {
    match value {
        Value::Object(map) => 1 + map.values().map(value_size).sum::<usize>(),
        Value::Array(list) => 1 + list.iter().map(value_size).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn value_depth_exceeds(value: &Value, limit: usize) -> bool {
    let Some(beneath) = limit.checked_sub(1) else { return true };
    match value {
        Value::Object(map) => map.values().any(|value| value_depth_exceeds(value, beneath)),
        Value::Array(list) => list.iter().any(|value| value_depth_exceeds(value, beneath)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether a value whose keys stand as written reads like the original, whose keys are sorted.
pub(super) fn same_order(value: &Value, original: &Value) -> bool {
    match (value, original) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.sorted()).all(|(a, (key, value))| a.0 == key && same_order(a.1, value))
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_order(a, b))
        }
        (_, _) => value == original,
    }
}
