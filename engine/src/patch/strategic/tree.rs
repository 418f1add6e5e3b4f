//! Documents as trees of nodes that are changed in place and may share parts.
//!
//! In: values. Out: numbered nodes, and values again. A node knows what kyaml's nodes know: the text of a scalar,
//! and whether it stands in quotes, which decides in the end whether `5` is a number.
//! Mirrors: sigs.k8s.io/kustomize/kyaml/yaml/rnode.go, the nodes of go-yaml v3.

use crate::patch::too_deep;
use engine_json::arrange::Arrange as _;
use engine_json::{MAX_DEPTH, Map, Number, Str, Value, float_text, format_smolstr};

/// How many nodes documents, patch and copies may come to.
const MAX_NODES: usize = 1_000_000;
/// How many looks at an item of a list one patch may take.
const MAX_STEPS: u64 = 100_000_000;

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// Whose order of keys a document has: keys of the patch follow those of the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Resource,
    Patch,
}

/// Where new keys begin in the order of a map.
const PATCH_RANK: u32 = 1 << 24;

/// What a node is.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// `null`; one that is kept though the patch does not name it, or one that clears a field.
    Null { keep: bool },
    /// A truth value, number or string. Its text is what lists are merged by.
    Scalar { value: Value, text: Str, quoted: bool },
    /// The keys in Go's order.
    Map(Vec<Entry>),
    /// The items.
    List(Vec<Id>),
}

/// A field of a map.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Str,
    pub(super) value: Id,
    /// The place of the key in the written order.
    pub(super) rank: u32,
}

/// What a node is, without what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar,
    Map,
    List,
}

impl Kind {
    /// The name in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "ScalarNode",
            Kind::Map => "MappingNode",
            Kind::List => "SequenceNode",
        }
    }
}

/// All nodes of one merge.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    steps: u64,
}

impl Tree {
    /// Adds a document.
    pub(super) fn add(&mut self, value: &Value, origin: Origin) -> Result<Id, String> {
        let node = match value {
            Value::Null => Node::Null { keep: false },
            Value::Bool(_) | Value::Number(_) | Value::String(_) => Node::Scalar {
                value: value.clone(),
                text: scalar_text(value),
                quoted: value.as_str().is_some(),
            },
            Value::Array(list) => {
                Node::List(list.iter().map(|item| self.add(item, origin)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => Node::Map(self.entries(map, origin)?),
        };
        self.push(node)
    }

    fn entries(&mut self, map: &Map, origin: Origin) -> Result<Vec<Entry>, String> {
        let mut entries = Vec::with_capacity(map.len());
        let from = match origin {
            Origin::Resource => 0,
            Origin::Patch => PATCH_RANK,
        };
        for (rank, (key, value)) in (from..).zip(map.iter()) {
            entries.push(Entry { key: key.clone(), value: self.add(value, origin)?, rank });
        }
        entries.arrange_by(|a, b| a.key.cmp(&b.key));
        Ok(entries)
    }

    /// Adds a node.
    pub(super) fn push(&mut self, node: Node) -> Result<Id, String> {
        if self.nodes.len() >= MAX_NODES {
            return Err(format!("the patch grows beyond {MAX_NODES} values"));
        }
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        Ok(id)
    }

    /// Counts looks at items of lists.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), String> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > MAX_STEPS {
            return Err(format!("the patch takes more than {MAX_STEPS} steps"));
        }
        Ok(())
    }

    /// The node itself.
    pub(super) fn node(&self, id: Id) -> &Node {
        // Ids come from `push` alone; the tree never shrinks.
        self.nodes.get(id.0 as usize).unwrap_or(&Node::Null { keep: false })
    }

    /// The node itself, to change in place.
    pub(super) fn node_mut(&mut self, id: Id) -> &mut Node {
        let at = (id.0 as usize).min(self.nodes.len().saturating_sub(1));
        #[expect(clippy::indexing_slicing, reason = "ids come from `push` alone, so the tree holds the node")]
        &mut self.nodes[at]
    }

    /// Makes a node another one; what it held may still be part of others.
    pub(super) fn set(&mut self, id: Id, node: Node) {
        if let Some(slot) = self.nodes.get_mut(id.0 as usize) {
            *slot = node;
        }
    }

    /// A copy that shares nothing with the node.
    // Go: RNode.Copy.
    pub(super) fn copy(&mut self, id: Id) -> Result<Id, String> {
        let mut node = self.node(id).clone();
        match &mut node {
            Node::Null { .. } | Node::Scalar { .. } => {}
            Node::Map(entries) => {
                for entry in entries {
                    entry.value = self.copy(entry.value)?;
                }
            }
            Node::List(items) => {
                for item in items {
                    *item = self.copy(*item)?;
                }
            }
        }
        self.push(node)
    }

    /// What a node is; `null` is nothing of all.
    pub(super) fn kind(&self, id: Id) -> Option<Kind> {
        match self.node(id) {
            Node::Null { .. } => None,
            Node::Scalar { .. } => Some(Kind::Scalar),
            Node::Map(_) => Some(Kind::Map),
            Node::List(_) => Some(Kind::List),
        }
    }

    /// Whether there is nothing, or `null`.
    // Go: IsMissingOrNull.
    pub(super) fn is_missing_or_null(&self, id: Option<Id>) -> bool {
        id.is_none_or(|id| self.kind(id).is_none())
    }

    /// Whether it is `null` or holds nothing.
    // Go: IsYNodeNilOrEmpty.
    pub(super) fn is_empty(&self, id: Id) -> bool {
        match self.node(id) {
            Node::Null { .. } => true,
            Node::Scalar { .. } => false,
            Node::Map(entries) => entries.is_empty(),
            Node::List(items) => items.is_empty(),
        }
    }

    /// The text of a scalar, empty for maps and lists.
    // Go: Node.Value.
    pub(super) fn text(&self, id: Id) -> &str {
        match self.node(id) {
            Node::Null { .. } => "null",
            Node::Scalar { text, .. } => text,
            Node::Map(_) | Node::List(_) => "",
        }
    }

    /// The items, none for anything but a list.
    pub(super) fn items(&self, id: Id) -> &[Id] {
        if let Node::List(items) = self.node(id) { items } else { &[] }
    }

    /// The fields, none for anything but a map.
    pub(super) fn fields(&self, id: Id) -> &[Entry] {
        if let Node::Map(entries) = self.node(id) { entries } else { &[] }
    }

    /// The node as a value.
    ///
    /// A scalar in quotes is a string whatever it was: a number that replaced a string is one. An error where it nests too deep.
    // Go: filtersutil.setRNode writes the nodes as YAML, on one line, and reads that.
    pub(super) fn value(&self, id: Id) -> Result<Value, String> {
        let mut twice = Vec::new();
        let value = self.to_value(id, &mut twice, 0)?;
        if twice.is_empty() {
            return Ok(value);
        }
        let lines =
            twice.iter().map(|key| format!("\n  line 1: mapping key \"{key}\" already defined at line 1"));
        Err(format!("yaml: unmarshal errors:{}", lines.collect::<String>()))
    }

    /// The value, and the keys that stand twice in a map.
    fn to_value(&self, id: Id, twice: &mut Vec<Str>, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        Ok(match self.node(id) {
            Node::Null { .. } => Value::Null,
            Node::Scalar { value, quoted: false, .. } => value.clone(),
            Node::Scalar { text, quoted: true, .. } => Value::String(text.clone()),
            Node::List(items) => {
                let items = items.iter().map(|item| self.to_value(*item, twice, depth + 1));
                Value::array(items.collect::<Result<_, _>>()?)
            }
            Node::Map(entries) => {
                find_twice(entries, twice);
                let mut fields: Vec<(u32, Str, Value)> = Vec::with_capacity(entries.len());
                for entry in entries {
                    let value = self.to_value(entry.value, twice, depth + 1)?;
                    fields.push((entry.rank, entry.key.clone(), value));
                }
                fields.arrange_by_key(|(rank, _, _)| *rank);
                Value::object(fields.into_iter().map(|(_, key, value)| (key, value)).collect::<Map>())
            }
        })
    }
}

/// Adds each pair of equal keys: `+(k)` beside `k` makes one.
fn find_twice(entries: &[Entry], twice: &mut Vec<Str>) {
    if entries.windows(2).all(|pair| matches!(pair, [a, b] if a.key < b.key)) {
        return;
    }
    let mut keys: Vec<&Str> = entries.iter().map(|entry| &entry.key).collect();
    keys.arrange();
    if keys.windows(2).all(|pair| matches!(pair, [a, b] if a != b)) {
        return;
    }
    for (at, entry) in entries.iter().enumerate() {
        let equal = entries.iter().skip(at + 1).filter(|other| other.key == entry.key);
        twice.extend(equal.map(|other| other.key.clone()));
    }
}

/// A scalar as JSON writes it, a string without quotes.
pub(super) fn scalar_text(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => Str::new_static("true"),
        Value::Bool(false) => Str::new_static("false"),
        Value::Number(Number::Int(i)) => format_smolstr!("{i}"),
        Value::Number(Number::Uint(u)) => format_smolstr!("{u}"),
        Value::Number(Number::Float(f)) => float_text(*f).into(),
        Value::Null | Value::Array(_) | Value::Object(_) => Str::default(),
    }
}
