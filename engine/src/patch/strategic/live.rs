//! A document under many patches, as a loop over its own elements makes them.
//!
//! In: a resource, then patches. Out: what each came to, and the document. A patch that only sets fields of maps, and of list
//! items that it names, is applied in place at the cost of what it holds; any other takes the long way over the whole
//! document. Both say the same: what is not certain to be plain is not taken for it.

use super::keys::Schema;
use super::tree::scalar_text;
use crate::pattern::anchor;
use engine_json::arrange::Arrange as _;
use engine_json::ordered::OrderedMap;
use engine_json::{Map, Str, Value};

/// The key by which a patch may ask for an item with a condition.
const NAME: &str = "name";
const ASKED_NAME: &str = "(name)";

/// The document.
pub(crate) struct Live {
    root: Node,
    /// Whether a patch that holds nothing leaves the document as it is; unknown until it is asked for.
    settled: Option<bool>,
}

/// What a patch came to.
pub(crate) enum Applied {
    /// Nothing has changed.
    Nothing,
    /// Some fields were set; the document has its kind and its name as before.
    Fields,
    /// The document was made anew.
    Whole(Value),
}

/// A value, or a map or list that was opened because a patch went through it.
enum Node {
    Value(Value),
    Map(Fields),
    List(Items),
}

/// The fields of a map with their places in the written order.
#[derive(Default)]
struct Fields {
    entries: OrderedMap<Str, (usize, Node)>,
}

/// The items of a list by their places, which need not follow one another, and the places by the text of the merge key.
#[derive(Default)]
struct Items {
    order: OrderedMap<i64, Node>,
    places: OrderedMap<Str, i64>,
}

impl Live {
    pub(crate) fn new(resource: &Value) -> Self {
        // Go: the resource is written as JSON before it is merged, `3.0` as `3`.
        Live { root: Node::Value(resource.with_int_numbers()), settled: None }
    }

    /// Applies a patch.
    pub(crate) fn apply(&mut self, patch: &Value) -> Result<Applied, String> {
        let patch = patch.with_int_numbers();
        let schema = self.schema();
        if is_plain(&mut self.root, &patch, schema) && self.is_settled() {
            return Ok(if set(&mut self.root, &patch, schema) { Applied::Fields } else { Applied::Nothing });
        }
        Ok(match super::apply(&self.value(), &patch)? {
            None => Applied::Nothing,
            Some(merged) => {
                *self = Live::new(&merged);
                Applied::Whole(merged)
            }
        })
    }

    /// The document as it is by now.
    pub(crate) fn value(&self) -> Value {
        self.root.value()
    }

    fn schema(&self) -> Option<Schema> {
        let text = |key: &str| match &self.root {
            Node::Value(value) => value.find_str(&[key]),
            Node::Map(fields) => fields.text(key),
            Node::List(_) => "",
        };
        Schema::of_kind(text("apiVersion"), text("kind"))
    }

    /// Whether the merge alone changes nothing: it drops empty items and equal ones wherever they are.
    fn is_settled(&mut self) -> bool {
        if let Some(settled) = self.settled {
            return settled;
        }
        let settled = matches!(super::apply(&self.value(), &Value::object(Map::new())), Ok(None));
        self.settled = Some(settled);
        settled
    }
}

/// Whether a patch does nothing but set what it names in a node.
fn is_plain(node: &mut Node, patch: &Value, schema: Option<Schema>) -> bool {
    match (patch, schema) {
        (Value::Null, _) => false,
        (Value::Bool(_) | Value::Number(_) | Value::String(_), _) => {
            matches!(node, Node::Value(Value::Bool(_) | Value::Number(_) | Value::String(_)))
                && is_inert(patch)
        }
        (Value::Object(map), _) => {
            let Some(fields) = node.open_map() else { return false };
            // A map of no known shape may be an object that names its own.
            let names_itself = |key: &str| fields.entries.contains_key(key) || map.contains_key(key);
            if map.is_empty() || (schema.is_none() && (names_itself("apiVersion") || names_itself("kind"))) {
                return false;
            }
            map.iter().all(|(key, value)| is_plain_field(fields, key, value, schema))
        }
        (Value::Array(list), Some(Schema::List { keys, items })) => {
            let [key] = keys else { return false };
            let Some(known) = node.open_list(key) else { return false };
            are_plain_items(known, list, key, items.map(Schema::Map))
        }
        (Value::Array(_), _) => matches!(node, Node::Value(Value::Array(_))) && is_inert(patch),
    }
}

fn is_plain_field(fields: &mut Fields, key: &str, value: &Value, schema: Option<Schema>) -> bool {
    let schema = schema.and_then(|schema| schema.field(key));
    is_plain_key(key)
        && match fields.entries.get_mut(key) {
            Some((_, node)) => is_plain(node, value, schema),
            None => !matches!(schema, Some(Schema::List { .. })) && is_inert(value),
        }
}

fn are_plain_items(known: &mut Items, list: &[Value], key: &str, schema: Option<Schema>) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    !list.is_empty()
        && list.iter().all(|item| {
            let Some(wanted) = Wanted::of(item, key).filter(|wanted| !seen.contains(&wanted.text)) else {
                return false;
            };
            seen.push(wanted.text);
            // Kyverno: of several items with anchors wrong ones go.
            if wanted.is_asked && (list.len() > 1 || wanted.fields.len() < 2) {
                return false;
            }
            let Some(place) = known.places.get(wanted.text) else { return wanted.is_asked };
            let Some(node) = known.order.get_mut(place) else { return false };
            let Some(fields) = node.open_map() else { return false };
            let names_itself =
                |key: &str| fields.entries.contains_key(key) || wanted.fields.contains_key(key);
            if schema.is_none() && (names_itself("apiVersion") || names_itself("kind")) {
                return false;
            }
            wanted.others().all(|(key, value)| is_plain_field(fields, key, value, schema))
        })
}

/// An item of a patch that names one of the document.
struct Wanted<'p> {
    text: &'p str,
    /// Whether the name is a condition.
    is_asked: bool,
    key: &'p str,
    fields: &'p Map,
}

impl<'p> Wanted<'p> {
    fn of(item: &'p Value, key: &'p str) -> Option<Self> {
        let fields = item.as_object()?;
        let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text(key) {
            return Some(Wanted { text, is_asked: false, key, fields });
        }
        let text = text(ASKED_NAME).filter(|text| key == NAME && stands_for_itself(text))?;
        Some(Wanted { text, is_asked: true, key: ASKED_NAME, fields })
    }

    /// The fields beside the key.
    fn others(&self) -> impl Iterator<Item = (&'p Str, &'p Value)> {
        let key = self.key;
        self.fields.iter().filter(move |(name, _)| *name != key)
    }
}

/// Whether a text, taken as a pattern, fits itself alone: the name of a container that begins with a letter.
fn stands_for_itself(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(is_plain)
        && !matches!(text, "inf" | "infinity" | "nan" | "null" | "true" | "false")
}

/// Whether nothing in a value means more than itself: no anchors, no directives, nothing empty, no lists of maps.
fn is_inert(value: &Value) -> bool {
    let is_scalar = |value: &Value| match value {
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => anchor::parse(text).is_none(),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    };
    match value {
        Value::Array(list) => !list.is_empty() && list.iter().all(is_scalar),
        Value::Object(map) => {
            !map.is_empty()
                && !map.contains_key("kind")
                && !map.contains_key("apiVersion")
                && map.iter().all(|(key, value)| is_plain_key(key) && is_inert(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => is_scalar(value),
    }
}

fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && !key.starts_with('$') && anchor::parse(key).is_none() && key.trim().len() == key.len()
}

/// Sets what a plain patch names; whether anything has changed.
fn set(node: &mut Node, patch: &Value, schema: Option<Schema>) -> bool {
    match (patch, node) {
        (Value::Object(map), Node::Map(fields)) => {
            map.iter().fold(false, |changed, (key, value)| fields.set(key, value, schema) | changed)
        }
        (Value::Array(list), Node::List(known)) => {
            let Some(Schema::List { keys: [key], items }) = schema else { return false };
            known.set(list, key, items.map(Schema::Map))
        }
        (_, node) => {
            let new = match &*node {
                // Go: a scalar takes over the quotes of the one that it replaces.
                Node::Value(Value::String(_)) if patch.as_array().is_none() => {
                    Value::String(scalar_text(patch))
                }
                Node::Value(_) | Node::Map(_) | Node::List(_) => patch.clone(),
            };
            let changed = !matches!(&*node, Node::Value(old) if *old == new);
            *node = Node::Value(new);
            changed
        }
    }
}

impl Fields {
    fn text(&self, key: &str) -> &str {
        match self.entries.get(key) {
            Some((_, Node::Value(Value::String(text)))) => text,
            Some(_) | None => "",
        }
    }

    fn set(&mut self, key: &Str, value: &Value, schema: Option<Schema>) -> bool {
        if let Some((_, node)) = self.entries.get_mut(key) {
            return set(node, value, schema.and_then(|schema| schema.field(key)));
        }
        let last = self.entries.values().map(|(place, _)| place + 1).max().unwrap_or_default();
        self.entries.insert(key.clone(), (last, Node::Value(value.clone())));
        true
    }
}

impl Items {
    /// Sets the fields of the items that a patch names, and puts these items first, in its order.
    fn set(&mut self, list: &[Value], key: &str, schema: Option<Schema>) -> bool {
        let mut changed = false;
        let mut found = Vec::new();
        for wanted in list.iter().filter_map(|item| Wanted::of(item, key)) {
            let Some(place) = self.places.get(wanted.text) else { continue };
            found.push((Str::new(wanted.text), *place));
            if let Some(Node::Map(fields)) = self.order.get_mut(place) {
                changed = wanted
                    .others()
                    .fold(changed, |changed, (key, value)| fields.set(key, value, schema) | changed);
            }
        }
        if self.order.keys().zip(&found).all(|(place, (_, wanted))| place == wanted) {
            return changed;
        }
        for (text, place) in found.into_iter().rev() {
            let first = self.order.keys().next().map_or(0, |place| place - 1);
            if let Some(node) = self.order.remove(&place) {
                self.order.insert(first, node);
                self.places.insert(text, first);
            }
        }
        true
    }
}

impl Node {
    /// Opens a map.
    fn open_map(&mut self) -> Option<&mut Fields> {
        if let Node::Value(Value::Object(map)) = self {
            let entries = map.iter().enumerate();
            let entries = entries.map(|(at, (key, value))| (key.clone(), (at, Node::Value(value.clone()))));
            *self = Node::Map(Fields { entries: entries.collect() });
        }
        if let Node::Map(fields) = self { Some(fields) } else { None }
    }

    /// Opens a list of maps, no two of which have the same text under the key.
    fn open_list(&mut self, key: &str) -> Option<&mut Items> {
        if let Node::Value(Value::Array(list)) = self {
            let mut items = Items::default();
            for (at, item) in (0_i64..).zip(list.iter()) {
                let text = item.as_object()?.get(key)?.as_str().filter(|text| !text.is_empty())?;
                if items.places.insert(Str::new(text), at).is_some() {
                    return None;
                }
                items.order.insert(at, Node::Value(item.clone()));
            }
            *self = Node::List(items);
        }
        if let Node::List(items) = self { Some(items) } else { None }
    }

    fn value(&self) -> Value {
        match self {
            Node::Value(value) => value.clone(),
            Node::List(items) => Value::array(items.order.values().map(Node::value).collect()),
            Node::Map(fields) => {
                let mut entries: Vec<_> = fields.entries.iter().collect();
                entries.arrange_by_key(|(_, (place, _))| *place);
                let entries = entries.into_iter().map(|(key, (_, node))| (key.clone(), node.value()));
                Value::object(entries.collect::<Map>())
            }
        }
    }
}
