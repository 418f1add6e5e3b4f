//! Nodes to a JSON value, as go-yaml v2 and sigs.k8s.io/yaml make one.
//!
//! In: the tree of a document. Out: its value, and a finding for each key that its map has already; or why there
//! is not a value. `{on: 1, "a": !!int "5"}` becomes `{"true":1,"a":5}`.
//!
//! Mirrors: go-yaml v2, decode.go; sigs.k8s.io/yaml, `convertToJSONableObject`.

use crate::FindingKind;
use crate::cursor::Mark;
use crate::fault::{self, Fault};
use crate::key::{Duplicate, Entry, Key, go_syntax, merge_entries};
use crate::limits::{
    MAX_KEYS, MAX_NODES, alias_text, allowed_alias_ratio, depth_text, keys_text, nodes_text,
};
use crate::node::{Kind, Node, NodeId, Tree};
use crate::resolve::{Resolved, Tag, resolve};
use engine_json::{MAX_DEPTH, Map, Number, Str, Value};
use engine_values::base64;
use engine_values::go_text::go_text_of;

/// The value of a document and the keys that it repeats.
pub(crate) fn decode(tree: &Tree<'_>, keeps_words: bool) -> Result<(Value, Vec<Duplicate>), Fault> {
    let Some(root) = tree.root else { return Ok((Value::Null, Vec::new())) };
    let mut decoder = Decoder {
        tree,
        done: Vec::new(),
        duplicates: Vec::new(),
        values: 0,
        from_aliases: 0,
        in_alias: 0,
        unsupported: Vec::new(),
        keeps_words,
    };
    decoder.done.resize_with(if decoder.has_aliases() { tree.nodes.len() } else { 0 }, || State::Unseen);
    let decoded = decoder.node(root, 0)?;
    if let Some(error) = decoder.first_unsupported(&decoded.value) {
        return Err(error);
    }
    Ok((decoded.value, decoder.duplicates))
}

/// How far the node behind an anchor is.
#[derive(Clone)]
enum State {
    Unseen,
    /// It is being decoded: an alias to it would contain itself.
    Open,
    Done(Decoded),
}

#[derive(Clone)]
struct Decoded {
    value: Value,
    /// How many levels of lists and maps it has.
    height: usize,
    /// How many values the original decodes to make it.
    cost: u64,
}

struct Decoder<'t, 'a> {
    tree: &'t Tree<'a>,
    /// By node; empty in a document without aliases.
    done: Vec<State>,
    duplicates: Vec<Duplicate>,
    /// Go's `decodeCount`, `aliasCount` and `aliasDepth`.
    values: u64,
    from_aliases: u64,
    in_alias: u32,
    /// What JSON has no value for. A later value for the same key may still take its place, so each stands in the
    /// tree as a NaN that carries its number here, until the tree is whole.
    unsupported: Vec<Fault>,
    /// Whether only `true` and `false` are truth values.
    keeps_words: bool,
}

/// The bits of the NaN that stands for the first unsupported value.
const UNSUPPORTED: u64 = 0x7ff8_0000_0000_0001;

fn refuse<T>(node: &Node<'_>, kind: FindingKind, message: impl Into<String>) -> Result<T, Fault> {
    Err(fault::value(mark_of(node), kind, message.into()))
}

fn refuse_merge<T>(node: &Node<'_>) -> Result<T, Fault> {
    refuse(node, FindingKind::Syntax, "map merge requires map or sequence of maps as the value")
}

fn deeper(node: &Node<'_>, depth: usize) -> Result<usize, Fault> {
    if depth >= MAX_DEPTH {
        return refuse(node, FindingKind::Limit, depth_text());
    }
    Ok(depth + 1)
}

fn mark_of(node: &Node<'_>) -> Mark {
    Mark { byte: node.start as usize, line: node.line, ..Mark::default() }
}

impl<'t, 'a> Decoder<'t, 'a> {
    fn has_aliases(&self) -> bool {
        self.tree.nodes.iter().any(|node| matches!(node.kind, Kind::Alias(..)))
    }

    fn find(&self, id: NodeId) -> Result<&'t Node<'a>, Fault> {
        let missing = || fault::without_line(Mark::default(), "unknown problem parsing YAML content");
        self.tree.get(id).ok_or_else(missing)
    }

    /// Counts values that are decoded; `shared` of them come from an alias whose value is at hand.
    // Go: the counts only grow, and so does the share of aliases while one is followed, so it is enough to look
    // when an alias has been followed.
    fn count(&mut self, node: &Node<'_>, shared: u64) -> Result<(), Fault> {
        self.values = self.values.saturating_add(1).saturating_add(shared);
        let own = u64::from(self.in_alias > 0);
        self.from_aliases = self.from_aliases.saturating_add(own).saturating_add(shared);
        if self.from_aliases > 100 && self.values > 1000 {
            let share = self.from_aliases as f64 / self.values as f64;
            if share > allowed_alias_ratio(self.values) {
                return refuse(node, FindingKind::Limit, alias_text());
            }
        }
        if self.values > MAX_NODES {
            return refuse(node, FindingKind::Limit, nodes_text());
        }
        Ok(())
    }

    /// The value that stands for one that JSON does not have.
    fn unsupported(&mut self, node: &Node<'_>, message: &str) -> Value {
        let bits = UNSUPPORTED + self.unsupported.len() as u64;
        self.unsupported.push(fault::value(mark_of(node), FindingKind::Unsupported, message.to_owned()));
        Value::from(f64::from_bits(bits))
    }

    /// The first unsupported value that is left in the finished tree.
    fn first_unsupported(&self, root: &Value) -> Option<Fault> {
        if self.unsupported.is_empty() {
            return None;
        }
        let mut waiting = vec![root];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Number(Number::Float(f)) if f.is_nan() => {
                    let number = usize::try_from(f.to_bits() - UNSUPPORTED).unwrap_or(usize::MAX);
                    return self.unsupported.get(number).cloned();
                }
                Value::Array(list) => waiting.extend(list.iter().rev()),
                Value::Object(map) => {
                    let first = waiting.len();
                    waiting.extend(map.values());
                    waiting.get_mut(first..).unwrap_or_default().reverse();
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        None
    }

    fn node(&mut self, id: NodeId, depth: usize) -> Result<Decoded, Fault> {
        let node = self.find(id)?;
        if let Kind::Alias(target, name) = &node.kind {
            return self.alias(node, *target, name, depth);
        }
        self.count(node, 0)?;
        let before = self.values;
        if let Some(state) = self.done.get_mut(id as usize) {
            *state = State::Open;
        }
        let (value, height) = match &node.kind {
            Kind::Scalar { text, tag, is_plain } => (self.scalar(node, text, *tag, *is_plain)?, 0),
            Kind::Sequence(items) => self.sequence(node, items, depth)?,
            Kind::Mapping(pairs) => self.mapping(node, pairs, depth)?,
            Kind::Alias(..) => (Value::Null, 0),
        };
        let decoded = Decoded { value, height, cost: self.values - before + 1 };
        if let Some(state) = self.done.get_mut(id as usize) {
            *state = State::Done(decoded.clone());
        }
        Ok(decoded)
    }

    fn alias(&mut self, node: &Node<'_>, target: NodeId, name: &str, depth: usize) -> Result<Decoded, Fault> {
        let decoded = match self.done.get(target as usize) {
            Some(State::Done(decoded)) => {
                let decoded = decoded.clone();
                self.count(node, decoded.cost)?;
                decoded
            }
            Some(State::Open) => {
                let message = format!("anchor '{name}' value contains itself");
                return refuse(node, FindingKind::Syntax, message);
            }
            // The anchor stands on a merge key, which is never decoded for itself.
            Some(State::Unseen) | None => {
                self.count(node, 0)?;
                self.in_alias += 1;
                let decoded = self.node(target, depth)?;
                self.in_alias -= 1;
                decoded
            }
        };
        if depth + decoded.height > MAX_DEPTH {
            return refuse(node, FindingKind::Limit, depth_text());
        }
        Ok(Decoded { cost: decoded.cost.saturating_add(1), ..decoded })
    }

    fn sequence(&mut self, node: &Node<'_>, items: &[NodeId], depth: usize) -> Result<(Value, usize), Fault> {
        let mut list = Vec::with_capacity(items.len());
        let mut height = 0;
        for item in items {
            let decoded = self.node(*item, deeper(node, depth)?)?;
            height = height.max(decoded.height);
            list.push(decoded.value);
        }
        Ok((Value::array(list), height + 1))
    }

    fn mapping(
        &mut self,
        node: &Node<'_>,
        pairs: &[(NodeId, NodeId)],
        depth: usize,
    ) -> Result<(Value, usize), Fault> {
        let mut entries = Vec::with_capacity(pairs.len());
        let height = self.entries(node, pairs, depth, &mut entries)?;
        let refused = entries.iter().find_map(|entry| entry.key.refusal(&entry.value));
        let (entries, repeated) = merge_entries(entries);
        // Behind each other in the order in which the original meets them: a map after the maps in its values.
        for (before, duplicate) in repeated.into_iter().rev() {
            self.duplicates.insert(before.min(self.duplicates.len()), duplicate);
        }
        if let Some(message) = refused {
            return Ok((self.unsupported(node, &message), height + 1));
        }
        Ok((Value::object(Map::from_entries(entries)), height + 1))
    }

    /// Adds the entries of a map, and those of the maps that it merges at their place.
    // Go: decode.go, `mapping`: a merge sets keys where it stands, so it overrides what is written before it.
    fn entries(
        &mut self,
        node: &Node<'_>,
        pairs: &[(NodeId, NodeId)],
        depth: usize,
        entries: &mut Vec<Entry>,
    ) -> Result<usize, Fault> {
        let mut height = 0;
        let depth = deeper(node, depth)?;
        for (key_id, value_id) in pairs {
            let key_node = self.find(*key_id)?;
            if key_node.is_merge() {
                height = height.max(self.merge(*value_id, depth, entries)?);
                continue;
            }
            let (key, text) = self.key(*key_id, depth)?;
            let decoded = self.node(*value_id, depth)?;
            height = height.max(decoded.height);
            if entries.len() >= MAX_KEYS {
                return refuse(key_node, FindingKind::Limit, keys_text());
            }
            let line = self.find(*value_id)?.line.saturating_add(1);
            let (start, end) = (key_node.start, key_node.end);
            entries.push(Entry {
                key,
                text,
                value: decoded.value,
                start,
                end,
                line,
                before: self.duplicates.len(),
            });
        }
        Ok(height)
    }

    fn merge(&mut self, id: NodeId, depth: usize, entries: &mut Vec<Entry>) -> Result<usize, Fault> {
        let node = self.find(id)?;
        match &node.kind {
            Kind::Sequence(items) => {
                let mut height = 0;
                // Go: backwards, as earlier maps take precedence.
                for item in items.iter().rev() {
                    if matches!(self.find(*item)?.kind, Kind::Sequence(_)) {
                        return refuse_merge(node);
                    }
                    height = height.max(self.merge_one(*item, depth, entries)?);
                }
                Ok(height)
            }
            Kind::Mapping(_) | Kind::Alias(..) | Kind::Scalar { .. } => self.merge_one(id, depth, entries),
        }
    }

    fn merge_one(&mut self, id: NodeId, depth: usize, entries: &mut Vec<Entry>) -> Result<usize, Fault> {
        let node = self.find(id)?;
        self.count(node, 0)?;
        match &node.kind {
            // The depth is that of the map into which it goes.
            Kind::Mapping(pairs) => self.entries(node, pairs, depth.saturating_sub(1), entries),
            Kind::Alias(target, name) => {
                let found = self.find(*target)?;
                let Kind::Mapping(pairs) = &found.kind else { return refuse_merge(node) };
                if matches!(self.done.get(*target as usize), Some(State::Open)) {
                    return refuse(
                        node,
                        FindingKind::Syntax,
                        format!("anchor '{name}' value contains itself"),
                    );
                }
                self.in_alias += 1;
                self.count(found, 0)?;
                let before = self.mark(*target, State::Open);
                let height = self.entries(found, pairs, depth.saturating_sub(1), entries)?;
                self.mark(*target, before);
                self.in_alias -= 1;
                Ok(height)
            }
            Kind::Scalar { .. } | Kind::Sequence(_) => refuse_merge(node),
        }
    }

    fn mark(&mut self, id: NodeId, state: State) -> State {
        self.done.get_mut(id as usize).map_or(State::Unseen, |slot| std::mem::replace(slot, state))
    }

    fn scalar(&mut self, node: &Node<'_>, text: &str, tag: Tag, is_plain: bool) -> Result<Value, Fault> {
        if tag == Tag::None && !is_plain {
            return Ok(Value::from(text));
        }
        let resolved = resolve(tag, text).or_else(|message| refuse(node, FindingKind::Syntax, message))?;
        match resolved {
            Resolved::Null => Ok(Value::Null),
            Resolved::Bool(_)
                if self.keeps_words
                    && tag == Tag::None
                    && !["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) =>
            {
                Ok(Value::from(text))
            }
            Resolved::Bool(b) => Ok(Value::Bool(b)),
            Resolved::Int(i) => Ok(Value::from(i)),
            Resolved::Uint(u) => Ok(Value::Number(u.into())),
            Resolved::Float(f) if f.is_finite() => Ok(Value::from(f)),
            Resolved::Float(f) => {
                let name = if f.is_nan() {
                    "NaN"
                } else if f > 0.0 {
                    "+Inf"
                } else {
                    "-Inf"
                };
                Ok(self.unsupported(node, &format!("json: unsupported value: {name}")))
            }
            Resolved::Str if tag == Tag::Binary => match base64::decode(text.as_bytes()) {
                Ok(bytes) => Ok(Value::from(go_text_of(&bytes))),
                Err(_) => refuse(node, FindingKind::Syntax, "!!binary value contains invalid base64 data"),
            },
            Resolved::Str | Resolved::Timestamp => Ok(Value::from(text)),
        }
    }

    /// A key with its Go type, and the text it has in JSON.
    fn key(&mut self, id: NodeId, depth: usize) -> Result<(Key, Str), Fault> {
        let node = self.find(id)?;
        let scalar = match &node.kind {
            Kind::Alias(target, _) => self.find(*target)?,
            Kind::Scalar { .. } | Kind::Sequence(_) | Kind::Mapping(_) => node,
        };
        // A float key may be infinite: only values must fit JSON.
        if let Kind::Scalar { text, tag, is_plain } = &scalar.kind
            && (*tag != Tag::None || *is_plain)
            && let Ok(Resolved::Float(f)) = resolve(*tag, text)
        {
            self.count(node, 0)?;
            let key = Key::Float(f);
            return Ok((key.clone(), key.text()));
        }
        match self.node(id, depth)?.value {
            Value::String(text) => Ok((Key::Text(text.clone()), text)),
            Value::Bool(b) => Ok((Key::Bool(b), Key::Bool(b).text())),
            Value::Number(Number::Int(i)) => Ok((Key::Int(i), Key::Int(i).text())),
            Value::Number(Number::Float(f)) if !f.is_nan() => Ok((Key::Float(f), Key::Float(f).text())),
            Value::Number(Number::Uint(u)) => Ok((Key::Uint(u), Key::Uint(u).text())),
            Value::Null => Ok((Key::Null, Key::Null.text())),
            value @ (Value::Number(Number::Float(_)) | Value::Array(_) | Value::Object(_)) => {
                let message = format!("invalid map key: {}", go_syntax(&value));
                refuse(node, FindingKind::Syntax, message)
            }
        }
    }
}
