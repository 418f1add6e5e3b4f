//! Lists whose items are merged by the texts of their keys.
//!
//! In: the lists of resource and patch and the merge keys, such as `name`. Out: the merged list; items that only the
//! patch has come first, in its order. Without keys the items are scalars, merged as a set.
//! Mirrors: sigs.k8s.io/kustomize/kyaml/yaml/walk/associative_sequence.go.

use super::keys::Schema;
use super::merge::{self, Pair, chosen};
use super::tree::{Id, Kind, Node, Tree};
use engine_json::Str;
use engine_json::ordered::{OrderedMap, OrderedSet};

/// The texts of an item's merge keys, empty where it has none.
type Values = Vec<Str>;

// Go: Walker.walkAssociativeSequence, Merger.VisitList.
pub(super) fn walk(
    tree: &mut Tree,
    pair: Pair,
    keys: &'static [&'static str],
    items: Option<Schema>,
) -> Result<Option<Id>, String> {
    let dest = if tree.is_missing_or_null(pair.dest) { pair.patch } else { chosen(tree, pair)? };
    let Some(dest) = dest else { return Ok(None) };
    let pair = Pair { dest: Some(dest), patch: pair.patch };
    if keys.is_empty() {
        let values = scalar_values(tree, pair);
        return merge_items(tree, pair, dest, &values, &[""], items);
    }
    let mut values = item_values(tree, pair, keys)?;
    if let Some(named) = Named::of(tree, pair, keys) {
        return merge_named(tree, &named, dest, &values, keys, items);
    }
    if keys.len() > 1 {
        align(tree, &mut values)?;
    }
    merge_items(tree, pair, dest, &values, keys, items)
}

/// The items of both lists by their key texts, where all have them and no two of a list have the same: nearly every list.
struct Named {
    dest: OrderedMap<Values, Id>,
    patch: OrderedMap<Values, Id>,
}

impl Named {
    fn of(tree: &Tree, pair: Pair, keys: &[&str]) -> Option<Self> {
        let named = |list: Option<Id>| {
            let mut found = OrderedMap::new();
            for &item in list.map_or(&[][..], |list| tree.items(list)) {
                let values = key_texts(tree, item, keys)?;
                if found.insert(values, item).is_some() {
                    return None;
                }
            }
            Some(found)
        };
        Some(Named { dest: named(pair.dest)?, patch: named(pair.patch)? })
    }
}

/// The key texts of an item; `None` where one is missing or empty.
fn key_texts(tree: &Tree, item: Id, keys: &[&str]) -> Option<Values> {
    let text = |key: &&str| {
        let field = tree.field(item, key).filter(|field| tree.kind(*field) == Some(Kind::Scalar))?;
        Some(Str::new(tree.text(field))).filter(|text| !text.is_empty())
    };
    keys.iter().map(text).collect()
}

/// What [`merge_items`] does, for lists in which the key texts find every item at once.
fn merge_named(
    tree: &mut Tree,
    named: &Named,
    dest: Id,
    list: &[Values],
    keys: &[&'static str],
    schema: Option<Schema>,
) -> Result<Option<Id>, String> {
    if list.is_empty() {
        return Ok(Some(dest));
    }
    let merged = tree.push(Node::List(Vec::new()))?;
    let mut items: Vec<Option<Id>> = Vec::with_capacity(list.len());
    let mut places = OrderedMap::new();
    for values in list {
        let sources = Pair { dest: named.dest.get(values).copied(), patch: named.patch.get(values).copied() };
        let item = merge::walk(tree, sources, schema)?;
        let item = item.filter(|item| tree.kind(*item).is_some() && !is_empty_map(tree, *item));
        let Some(item) = item else {
            tree.set_item(dest, None, keys, values)?;
            continue;
        };
        for (key, value) in keys.iter().zip(values) {
            if tree.field(item, key).is_none() {
                let text = tree.new_text(value)?;
                tree.set_field(item, key, Some(text), u32::MAX)?;
            }
        }
        places.insert(values, items.len());
        items.push(Some(item));
    }
    for item in tree.items(dest).to_vec() {
        let Some(values) = key_texts(tree, item, keys) else { continue };
        let slot = places.get(&values).and_then(|at| items.get_mut(*at));
        match slot {
            Some(slot) if keys.len() == 1 => *slot = Some(item),
            // With several keys an item is taken out and put behind the others.
            Some(slot) => {
                *slot = None;
                items.push(Some(item));
            }
            None => items.push(Some(item)),
        }
    }
    tree.set(merged, Node::List(items.into_iter().flatten().collect()));
    Ok(Some(merged))
}

/// The key texts of all items, those of the patch first, each once.
// Go: Walker.elementValues.
fn item_values(tree: &mut Tree, pair: Pair, keys: &[&str]) -> Result<Vec<Values>, String> {
    let mut found = Vec::new();
    let mut seen = OrderedSet::new();
    for list in [pair.patch, pair.dest].into_iter().flatten() {
        tree.spend(tree.items(list).len())?;
        for &item in tree.items(list) {
            let text = |key: &&str| match tree.field(item, key) {
                Some(field) if !tree.is_empty(field) => Str::new(tree.text(field)),
                Some(_) | None => Str::default(),
            };
            let values: Values = keys.iter().map(text).collect();
            if seen.insert(values.clone()) {
                found.push(values);
            }
        }
    }
    Ok(found)
}

// Go: Walker.elementPrimitiveValues.
fn scalar_values(tree: &Tree, pair: Pair) -> Vec<Values> {
    let mut seen = OrderedSet::new();
    let lists = [pair.patch, pair.dest].into_iter().flatten();
    let texts = lists.flat_map(|list| tree.items(list)).map(|item| Str::new(tree.text(*item)));
    texts.filter(|text| seen.insert(text.clone())).map(|text| vec![text]).collect()
}

/// Makes key texts the same that differ only where one of them is empty: port 80 is port 80/TCP.
// Go: mergeValues.
fn align(tree: &mut Tree, list: &mut [Values]) -> Result<(), String> {
    for i in 0..list.len() {
        tree.spend(list.len())?;
        let Some(first) = list.get(i).cloned() else { continue };
        for j in 0..list.len() {
            let Some(aligned) = list.get(j).and_then(|second| aligned(&first, second)) else { continue };
            for at in [i, j] {
                if let Some(slot) = list.get_mut(at) {
                    slot.clone_from(&aligned);
                }
            }
        }
    }
    Ok(())
}

// Go: match.
fn aligned(a: &[Str], b: &[Str]) -> Option<Values> {
    if !a.iter().zip(b).any(|(a, b)| a == b) {
        return None;
    }
    let fits = |(a, b): (&Str, &Str)| match (a.is_empty(), b.is_empty()) {
        (true, _) => Some(b.clone()),
        (false, true) => Some(a.clone()),
        (false, false) => (a == b).then(|| a.clone()),
    };
    a.iter().zip(b).map(fits).collect()
}

/// Which keys any item has: where no port says its protocol, ports are merged by number alone.
fn used_keys(list: &[Values], keys: &[&str]) -> Vec<bool> {
    let is_used = |at: usize| list.iter().any(|values| values.get(at).is_some_and(|value| !value.is_empty()));
    let used: Vec<bool> = (0..keys.len()).map(is_used).collect();
    if used.contains(&true) { used } else { vec![true; keys.len()] }
}

// Go: Walker.setAssociativeSequenceElements.
fn merge_items(
    tree: &mut Tree,
    pair: Pair,
    dest: Id,
    list: &[Values],
    keys: &[&'static str],
    schema: Option<Schema>,
) -> Result<Option<Id>, String> {
    if list.is_empty() {
        return Ok(Some(dest));
    }
    let used = used_keys(list, keys);
    let keys: Vec<&str> = keys.iter().zip(&used).filter(|(_, used)| **used).map(|(key, _)| *key).collect();
    let merged = tree.push(Node::List(Vec::new()))?;
    for values in list {
        let values: Values =
            values.iter().zip(&used).filter(|(_, used)| **used).map(|(value, _)| value.clone()).collect();
        let sources = matching(tree, pair, &keys, &values)?;
        let item = merge::walk(tree, sources, schema)?;
        let item = item.filter(|item| tree.kind(*item).is_some() && !is_empty_map(tree, *item));
        let Some(item) = item else {
            tree.set_item(dest, None, &keys, &values)?;
            continue;
        };
        for (key, value) in keys.iter().zip(&values) {
            if value.is_empty() {
                continue;
            }
            if key.is_empty() {
                tree.expect(Some(item), Kind::Scalar)?;
            } else if tree.field(item, key).is_none() {
                let text = tree.new_text(value)?;
                tree.set_field(item, key, Some(text), u32::MAX)?;
            }
        }
        tree.set_item(merged, Some(item), &keys, &values)?;
    }
    append_rest(tree, merged, dest, &keys)?;
    Ok(Some(merged))
}

fn is_empty_map(tree: &Tree, id: Id) -> bool {
    matches!(tree.node(id), Node::Map(entries) if entries.is_empty())
}

/// The items of both lists with these key texts; keys without a text do not count, unless all are without.
// Go: Walker.elementValueList.
fn matching(tree: &mut Tree, pair: Pair, keys: &[&str], values: &[Str]) -> Result<Pair, String> {
    let some_text = values.iter().any(|value| !value.is_empty());
    let counts = |value: &Str| !some_text || !value.is_empty();
    let keys: Vec<&str> =
        keys.iter().zip(values).filter(|(_, value)| counts(value)).map(|(key, _)| *key).collect();
    let values: Values = values.iter().filter(|value| counts(value)).cloned().collect();
    let mut find = |list: Option<Id>| match list {
        Some(list) => tree.find_item(list, &keys, &values),
        None => Ok(None),
    };
    Ok(Pair { dest: find(pair.dest)?, patch: find(pair.patch)? })
}

/// Puts the items of the resource behind those merged, each in place of the one that it was merged into.
// Go: appendListNode.
fn append_rest(tree: &mut Tree, merged: Id, dest: Id, keys: &[&str]) -> Result<(), String> {
    for item in tree.items(dest).to_vec() {
        if keys.first().is_none_or(|key| key.is_empty()) {
            let text = Str::new(tree.text(item));
            tree.set_item(merged, Some(item), keys, &[text])?;
            continue;
        }
        let mut values = Values::new();
        for key in keys {
            tree.expect(Some(item), Kind::Map)?;
            match tree.field(item, key) {
                Some(field) => values.push(Str::new(tree.text(field))),
                // Kyverno: kyaml appends an item once for each key it lacks, and goes on with what is left; with a
                // single key that drops every item gathered so far.
                None => tree.append(merged, item)?,
            }
        }
        if keys.len() > 1 {
            tree.set_item(merged, None, keys, &values)?;
        }
        tree.set_item(merged, Some(item), keys, &values)?;
    }
    Ok(())
}
