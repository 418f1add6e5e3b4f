//! Whether a value has the form that its type asks for, and what of it is atomic.
//!
//! In: a value and its type. Out: what is wrong, in the words of structured-merge-diff; the paths of what is replaced as a whole.
//! Mirrors: sigs.k8s.io/structured-merge-diff/v6 typed/validate.go, helpers.go; apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.

use super::node::{Node, number_text};
use super::types::{Atom, ListType, MapType, Plain, Shape, Types};
use engine_json::arrange::Arrange as _;
use engine_json::quote;

/// A problem: where, and what.
pub(super) type Problem = (String, String);

/// The problems as structured-merge-diff lists them.
pub(super) fn listed(problems: &[Problem]) -> String {
    let one = |(path, what): &Problem| if path.is_empty() { what.clone() } else { format!("{path}: {what}") };
    match problems {
        [only] => one(only),
        many => many.iter().fold("errors:".to_owned(), |text, problem| text + "\n  " + &one(problem)),
    }
}

/// The atom with nothing but the form that a value has, where it may have it.
pub(super) fn deduce<'t>(atom: Atom<'t>, value: Option<&Node>) -> Atom<'t> {
    match value {
        Some(Node::Bool(_) | Node::Text(_) | Node::Number(_)) if atom.plain.is_some() => {
            Atom { plain: atom.plain, ..Atom::default() }
        }
        Some(Node::List(_) | Node::NoList) if atom.list.is_some() => {
            Atom { list: atom.list, ..Atom::default() }
        }
        Some(Node::Map(_)) if atom.map.is_some() => Atom { map: atom.map, ..Atom::default() },
        _ => atom,
    }
}

/// What is wrong with a plain value.
pub(super) fn plain_fault(of: Plain, value: Option<&Node>) -> Option<String> {
    let value = value.filter(|value| **value != Node::Null)?;
    match (of, value) {
        (Plain::Number | Plain::Any, Node::Number(_))
        | (Plain::Text | Plain::Any, Node::Text(_))
        | (Plain::Truth | Plain::Any, Node::Bool(_)) => None,
        (Plain::Number, value) => Some(format!("expected numeric (int or float), got {}", value.go_type())),
        (Plain::Text, value) => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", value.as_source()))
        }
        (Plain::Truth, value) => Some(format!("expected boolean, got &{{{}}}", value.shown())),
        (Plain::Any, value) => Some(format!("expected any scalar, got &{{{}}}", value.shown())),
    }
}

/// A key of an item of a list whose items are merged, or the item of a set: how it is written in a path.
pub(super) fn item_key(types: &Types, list: ListType<'_>, item: &Node) -> Result<String, String> {
    let keys = list.keys.unwrap_or_default();
    if keys.is_empty() {
        return match item {
            Node::Map(_) => Err("associative list without keys has an element that's a map type".to_owned()),
            Node::List(_) => Err("not supported: associative list with lists as elements".to_owned()),
            Node::Null => {
                Err("associative list without keys has an element that's an explicit null".to_owned())
            }
            plain => Ok(format!("[={}]", key_text(plain))),
        };
    }
    match item {
        Node::Null => return Err("associative list with keys may not have a null element".to_owned()),
        Node::Map(_) => {}
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    }
    let element = types.atom(list.element);
    let default = |key: &str| {
        let fields = element.map.and_then(|map| map.fields);
        fields.and_then(|fields| fields.get(key)).and_then(|field| field.default.as_ref()).map(Node::from)
    };
    let mut found: Vec<(&str, String)> = Vec::new();
    for key in keys {
        let value = item.get(key).cloned().or_else(|| default(key));
        found.extend(value.map(|value| (*key, key_text(&value))));
    }
    if found.is_empty() {
        let keys = keys.iter().map(|key| quote(key)).collect::<Vec<_>>().join(" ");
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{keys}] (and doesn't have default values for any key fields)"
        ));
    }
    found.arrange();
    let found = found.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
    Ok(format!("[{}]", found.join(",")))
}

/// A value as it stands in a key.
// structured-merge-diff: value.ToString.
fn key_text(value: &Node) -> String {
    match value {
        Node::Null => "null".to_owned(),
        Node::Text(text) => quote(text),
        Node::Number(number) => number_text(*number),
        Node::List(list) => format!("[{}]", list.iter().map(key_text).collect::<Vec<_>>().join(",")),
        Node::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| [key.as_str(), "=", &key_text(value)].concat());
            entries.collect::<Vec<_>>().concat()
        }
        other => other.shown(),
    }
}

/// Looks at a value and all below it.
pub(super) struct Validation<'t> {
    pub(super) types: &'t Types,
    /// Whether several items of a list may have one key.
    pub(super) allows_duplicates: bool,
}

impl Validation<'_> {
    /// All problems.
    pub(super) fn problems(&self, shape: &Shape<'_>, value: &Node) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.walk(shape, value, "", &mut problems);
        problems
    }

    fn walk(&self, shape: &Shape<'_>, value: &Node, path: &str, problems: &mut Vec<Problem>) {
        let mut say = |what: String| problems.push((path.to_owned(), what));
        let atom = deduce(self.types.atom(shape), Some(value));
        if let Some(map) = atom.map {
            match value {
                Node::Null => {}
                Node::Map(_) => self.fields(map, value, path, problems),
                other => say(format!("expected map, got &{{{}}}", other.shown())),
            }
        } else if let Some(plain) = atom.plain {
            if let Some(fault) = plain_fault(plain, Some(value)) {
                say(fault);
            }
        } else if let Some(list) = atom.list {
            match value {
                Node::Null | Node::NoList => {}
                Node::List(items) => self.items(list, items, path, problems),
                other => say(format!("expected list, got &{{{}}}", other.shown())),
            }
        }
    }

    // Go: a map has no order; ours is that of the names.
    fn fields(&self, map: MapType<'_>, value: &Node, path: &str, problems: &mut Vec<Problem>) {
        let Node::Map(entries) = value else { return };
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.arrange_by(|(a, _), (b, _)| a.cmp(b));
        for (key, value) in sorted {
            let path = format!("{path}.{key}");
            let Some(shape) = map.field(key) else {
                problems.push((path, "field not declared in schema".to_owned()));
                return;
            };
            self.walk(shape, value, &path, problems);
        }
    }

    fn items(&self, list: ListType<'_>, items: &[Node], path: &str, problems: &mut Vec<Problem>) {
        let mut seen: Vec<String> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let key = if list.keys.is_none() {
                format!("[{at}]")
            } else {
                match item_key(self.types, list, item) {
                    Ok(key) => key,
                    Err(fault) => return problems.push((path.to_owned(), format!("element {at}: {fault}"))),
                }
            };
            if list.keys.is_some() {
                if seen.contains(&key) && !self.allows_duplicates {
                    problems.push((path.to_owned(), format!("duplicate entries for key {key}")));
                }
                seen.push(key.clone());
            }
            self.walk(list.element, item, &format!("{path}{key}"), problems);
        }
    }
}

/// The paths of everything in a value that is replaced as a whole.
pub(super) fn atomics(types: &Types, shape: &Shape<'_>, value: &Node, path: &str, found: &mut Vec<String>) {
    let atom = types.atom(shape);
    match (value, atom.map, atom.list) {
        (Node::Map(entries), Some(map), _) => {
            if map.is_atomic {
                found.push(path.to_owned());
            }
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.arrange_by(|(a, _), (b, _)| a.cmp(b));
            for (key, value) in sorted {
                if let Some(field) = map.fields.and_then(|fields| fields.get(key.as_str())) {
                    atomics(types, &field.shape, value, &format!("{path}.{key}"), found);
                }
            }
        }
        (Node::NoList, _, Some(list)) if list.keys.is_none() => found.push(path.to_owned()),
        (Node::List(items), _, Some(list)) => {
            if list.keys.is_none() {
                found.push(path.to_owned());
            }
            for (at, item) in items.iter().enumerate() {
                atomics(types, list.element, item, &format!("{path}[{at}]"), found);
            }
        }
        _ => {}
    }
}
