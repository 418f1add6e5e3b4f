//! Merges a patch into an object as a server-side apply would.
//!
//! In: two values of one type, each of the form that the type asks for. Out: both together; the patch wins where they meet in a leaf.
//! Mirrors: sigs.k8s.io/structured-merge-diff/v6 typed/merge.go.

use super::node::Node;
use super::typed::{Problem, deduce, item_key, plain_fault};
use super::types::{ListType, MapType, Shape, Types};
use engine_json::Str;
use engine_json::ordered::{OrderedMap, OrderedSet};

/// A merge.
pub(super) struct Merge<'t> {
    types: &'t Types,
    problems: Vec<Problem>,
}

impl<'t> Merge<'t> {
    /// Both values together, or what is wrong.
    pub(super) fn of(
        types: &'t Types,
        shape: &Shape<'_>,
        live: &Node,
        patch: &Node,
    ) -> Result<Option<Node>, Vec<Problem>> {
        let mut merge = Merge { types, problems: Vec::new() };
        let out = merge.both(shape, Some(live), Some(patch), "");
        if merge.problems.is_empty() { Ok(out) } else { Err(merge.problems) }
    }

    fn both(
        &mut self,
        shape: &Shape<'_>,
        live: Option<&Node>,
        patch: Option<&Node>,
        path: &str,
    ) -> Option<Node> {
        let atom = self.types.atom(shape);
        // Where the two have different forms, the patch's is what is left.
        let atom = deduce(atom, patch.or(live));
        let leaf = || patch.or(live).cloned();
        if let Some(map) = atom.map {
            let is_empty =
                |node: Option<&Node>| !matches!(node, Some(Node::Map(entries)) if !entries.is_empty());
            if map.is_atomic || is_empty(live) && is_empty(patch) {
                return leaf();
            }
            return self.maps(map, live, patch, path);
        }
        if let Some(plain) = atom.plain {
            let faults = (plain_fault(plain, live), plain_fault(plain, patch));
            if let (Some(of_live), Some(of_patch)) = faults {
                self.problems.push((path.to_owned(), format!("lhs: {of_live}")));
                self.problems.push((path.to_owned(), format!("rhs: {of_patch}")));
                return None;
            }
            return leaf();
        }
        let list = atom.list?;
        let is_empty = |node: Option<&Node>| !matches!(node, Some(Node::List(items)) if !items.is_empty());
        if list.keys.is_none() || is_empty(live) && is_empty(patch) {
            return leaf();
        }
        self.lists(list, items(live), items(patch), path)
    }

    fn maps(
        &mut self,
        map: MapType<'_>,
        live: Option<&Node>,
        patch: Option<&Node>,
        path: &str,
    ) -> Option<Node> {
        let (live, patch) = (entries(live), entries(patch));
        let find = |list: &'_ [(Str, Node)], key: &Str| list.iter().position(|(known, _)| known == key);
        let mut out = Vec::with_capacity(live.len() + patch.len());
        let new = patch.iter().filter(|(key, _)| find(live, key).is_none());
        for (key, _) in live.iter().chain(new) {
            let value = |list: &'_ [(Str, Node)]| find(list, key);
            let of_live = value(live).and_then(|at| live.get(at)).map(|(_, node)| node);
            let of_patch = value(patch).and_then(|at| patch.get(at)).map(|(_, node)| node);
            let Some(shape) = map.field(key) else { continue };
            let merged = self.both(shape, of_live, of_patch, &format!("{path}.{key}"));
            out.extend(merged.map(|node| (key.clone(), node)));
        }
        (!out.is_empty()).then_some(Node::Map(out))
    }

    /// The keys of the items of a list, and the items by their keys; nothing where several live items have one key.
    fn index<'n>(
        &mut self,
        list: ListType<'_>,
        items: &'n [Node],
        allows_duplicates: bool,
        path: &str,
    ) -> (Vec<String>, OrderedMap<String, Option<&'n Node>>) {
        let (mut keys, mut known) = (Vec::new(), OrderedMap::new());
        for (at, item) in items.iter().enumerate() {
            match item_key(self.types, list, item) {
                Err(fault) => self.problems.push((path.to_owned(), format!("element {at}: {fault}"))),
                Ok(key) if known.contains_key(&key) && !allows_duplicates => {
                    self.problems.push((path.to_owned(), format!("duplicate entries for key {key}")));
                }
                Ok(key) => {
                    let item = if known.contains_key(&key) { None } else { Some(item) };
                    known.insert(key.clone(), item);
                    keys.push(key);
                }
            }
        }
        (keys, known)
    }

    // structured-merge-diff: visitListItems; the order of the result is observable.
    fn lists(&mut self, list: ListType<'_>, live: &[Node], patch: &[Node], path: &str) -> Option<Node> {
        let before = self.problems.len();
        let (patch_keys, patch_items) = self.index(list, patch, false, path);
        let (live_keys, live_items) = self.index(list, live, true, path);
        if self.problems.len() > before {
            return None;
        }
        let mut shared = patch_keys.iter().filter(|key| live_items.contains_key(*key));
        let mut next = shared.next();
        let mut done: OrderedSet<&String> = OrderedSet::new();
        let mut out = Vec::with_capacity(live.len() + patch.len());
        let (mut l, mut r) = (0, 0);
        loop {
            let (left, right) = (live_keys.get(l), patch_keys.get(r));
            if let (Some(left), Some(right)) = (left, right) {
                if left == right {
                    done.insert(left);
                    out.extend(self.item(list, left, &live_items, &patch_items, path));
                    (l, r) = (l + 1, r + 1);
                    next = shared.next();
                    continue;
                }
                // Shared, but not the one whose turn it is.
                if patch_items.contains_key(left) && next.is_some_and(|next| next != left) {
                    l += 1;
                    continue;
                }
            }
            if let Some(left) = left {
                if !patch_items.contains_key(left) {
                    let item = live.get(l);
                    out.extend(self.both(list.element, item, None, &format!("{path}{left}")));
                    l += 1;
                    continue;
                }
                if done.contains(left) {
                    l += 1;
                }
            }
            match right {
                Some(right) => {
                    done.insert(right);
                    out.extend(self.item(list, right, &live_items, &patch_items, path));
                    r += 1;
                    if next == Some(right) {
                        next = shared.next();
                    }
                }
                None if live_keys.get(l).is_none() => break,
                // A live item whose turn is over stays only once.
                None if left.is_some_and(|left| !done.contains(left)) => l += 1,
                None => {}
            }
        }
        (!out.is_empty()).then_some(Node::List(out))
    }

    fn item(
        &mut self,
        list: ListType<'_>,
        key: &str,
        live: &OrderedMap<String, Option<&Node>>,
        patch: &OrderedMap<String, Option<&Node>>,
        path: &str,
    ) -> Option<Node> {
        let of_live = match live.get(key) {
            // Of several with one key none is merged.
            Some(None) => Some(&Node::Null),
            Some(Some(node)) => Some(*node),
            None => None,
        };
        let of_patch = patch.get(key).copied().flatten();
        self.both(list.element, of_live, of_patch, &format!("{path}{key}"))
    }
}

fn entries(node: Option<&Node>) -> &[(Str, Node)] {
    if let Some(Node::Map(entries)) = node { entries } else { &[] }
}

fn items(node: Option<&Node>) -> &[Node] {
    if let Some(Node::List(items)) = node { items } else { &[] }
}
