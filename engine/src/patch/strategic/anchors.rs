//! Kyverno's anchors in a patch, worked off against the resource.
//!
//! In: the nodes of patch and resource. Out: the patch as a plain strategic merge, or which kind of condition does
//! not hold. `+(k)` becomes `k` or goes, `(k)` and `<(k)` are tested; of a list item with anchors each item of the
//! resource that fits gets a copy with its name.
//! Mirrors: pkg/engine/mutate/patch/strategicPreprocessing.go.

use super::Failure;
use super::remove::{remove_anchors, remove_conditions};
use super::tree::{Id, Kind, Node, Tree};
use crate::pattern::anchor::{self, Anchor};
use crate::pattern::{Pattern, Verdict};
use engine_json::{Str, Value};

/// An anchored key, as written and inside its brackets.
pub(super) struct Anchored {
    pub(super) written: Str,
    pub(super) key: Str,
}

/// Works off all anchors of a patch.
// Kyverno: PreProcessPattern.
pub(super) fn prepare(tree: &mut Tree, patch: Id, resource: Id) -> Result<(), Failure> {
    node(tree, patch, Some(resource))?;
    Ok(remove_conditions(tree, patch)?)
}

/// Whether the anchor is `(k)` or `<(k)`.
pub(super) fn is_condition(anchor: Anchor) -> bool {
    matches!(anchor, Anchor::Condition | Anchor::Global)
}

/// Whether the anchor means anything in a patch.
pub(super) fn is_known(anchor: Anchor) -> bool {
    is_condition(anchor) || anchor == Anchor::AddIfNotPresent
}

/// The keys of a map with such an anchor.
///
/// The original looks such a key up without the white space around it and crashes; here it is an error.
pub(super) fn anchored_keys(
    tree: &Tree,
    map: Id,
    wanted: fn(Anchor) -> bool,
) -> Result<Vec<Anchored>, String> {
    let mut found = Vec::new();
    for entry in tree.fields(map) {
        match anchor::parse(&entry.key) {
            Some((anchor, key)) if wanted(anchor) => {
                if entry.key.trim().len() != entry.key.len() {
                    return Err(format!("white space around the anchor `{}`", entry.key));
                }
                found.push(Anchored { written: entry.key.clone(), key: Str::new(key) });
            }
            Some(_) | None => {}
        }
    }
    Ok(found)
}

/// Whether there is such an anchor anywhere in the node; a text in brackets counts as a condition.
// Kyverno: hasAnchors.
pub(super) fn has_anchors(tree: &Tree, id: Id, wanted: fn(Anchor) -> bool) -> bool {
    match tree.node(id) {
        Node::Null { .. } => false,
        Node::Scalar { text, .. } => anchor::parse(text).is_some_and(|(anchor, _)| is_condition(anchor)),
        // Of two fields of one name the first is looked at twice.
        Node::Map(entries) => entries.iter().any(|entry| {
            anchor::parse(&entry.key).is_some_and(|(anchor, _)| wanted(anchor))
                || tree
                    .field(id, &entry.key)
                    .is_some_and(|value| !tree.is_empty(value) && has_anchors(tree, value, wanted))
        }),
        Node::List(items) => items.iter().any(|item| has_anchors(tree, *item, wanted)),
    }
}

// Kyverno: preProcessRecursive.
fn node(tree: &mut Tree, patch: Id, resource: Option<Id>) -> Result<(), Failure> {
    tree.spend(1)?;
    match tree.kind(patch) {
        Some(Kind::Map) => map(tree, patch, resource),
        Some(Kind::List) => list(tree, patch, resource),
        Some(Kind::Scalar) | None => Ok(()),
    }
}

// Kyverno: walkMap.
fn map(tree: &mut Tree, patch: Id, resource: Option<Id>) -> Result<(), Failure> {
    add_if_absent(tree, patch, resource)?;
    conditions(tree, patch, resource, |anchor| anchor == Anchor::Global, Failure::Global)?;
    conditions(tree, patch, resource, |anchor| anchor == Anchor::Condition, Failure::Condition)?;
    for key in tree.field_names(patch)? {
        if anchor::parse(&key).is_some_and(|(anchor, _)| is_known(anchor)) {
            continue;
        }
        if let Some(value) = tree.field(patch, &key) {
            let beneath = resource.and_then(|resource| tree.field(resource, &key));
            node(tree, value, beneath)?;
        }
    }
    Ok(())
}

/// Takes `+(k)` out where the resource has `k`, and takes the brackets off where it has not. How many there were.
// Kyverno: handleAddIfNotPresentAnchor.
fn add_if_absent(tree: &mut Tree, patch: Id, resource: Option<Id>) -> Result<usize, String> {
    let anchors = anchored_keys(tree, patch, |anchor| anchor == Anchor::AddIfNotPresent)?;
    for anchor in &anchors {
        if resource.and_then(|resource| tree.field(resource, &anchor.key)).is_some() {
            tree.clear(patch, &anchor.written);
        } else {
            tree.rename(patch, &anchor.written, &anchor.key);
        }
    }
    Ok(anchors.len())
}

// Kyverno: validateConditionsInternal; whatever goes wrong in it is a condition that does not hold.
fn conditions(
    tree: &mut Tree,
    patch: Id,
    resource: Option<Id>,
    wanted: fn(Anchor) -> bool,
    failure: Failure,
) -> Result<(), Failure> {
    for anchored in anchored_keys(tree, patch, wanted)? {
        let Some(found) = resource.and_then(|resource| tree.field(resource, &anchored.key)) else {
            return Err(failure);
        };
        let Some(expected) = tree.field(patch, &anchored.written) else { return Err(failure) };
        // A map with `+(k)` in it is worked off instead of tested.
        if add_if_absent(tree, expected, Some(found))? == 0 && !holds(tree, expected, found) {
            return Err(failure);
        }
    }
    Ok(())
}

// Kyverno: checkCondition.
fn holds(tree: &Tree, expected: Id, found: Id) -> bool {
    let (Ok(expected), Ok(found)) = (comparable(tree, expected), comparable(tree, found)) else {
        return false;
    };
    matches!(Pattern::new(&expected).check(&found), Verdict::Pass)
}

/// A node as patterns see it: a scalar is its text, even `null`; numbers inside of maps and lists are floats.
// Kyverno: convertRNodeToInterface.
fn comparable(tree: &Tree, id: Id) -> Result<Value, String> {
    match tree.kind(id) {
        Some(Kind::Scalar) | None => Ok(Value::from(tree.text(id))),
        Some(Kind::Map | Kind::List) => Ok(tree.value(id)?.with_float_numbers()),
    }
}

// Kyverno: walkList, processListOfMaps.
fn list(tree: &mut Tree, patch: Id, resource: Option<Id>) -> Result<(), Failure> {
    let items = tree.items(patch).to_vec();
    let Some(&first) = items.first() else { return Ok(()) };
    if tree.kind(first) != Some(Kind::Map) {
        return Ok(());
    }
    tree.expect(resource, Kind::List)?;
    let found = resource.map_or_else(Vec::new, |resource| tree.items(resource).to_vec());
    for item in items {
        if has_anchors(tree, item, is_known) {
            anchored_item(tree, patch, item, resource.map(|_| found.as_slice()))?;
        }
    }
    Ok(())
}

/// Adds a copy of the item to the patch for each item of the resource that fits; no list at all is tested once.
fn anchored_item(tree: &mut Tree, patch: Id, item: Id, resource: Option<&[Id]>) -> Result<(), Failure> {
    let is_global = has_anchors(tree, item, |anchor| anchor == Anchor::Global);
    let mut global_failed = false;
    let mut global_held = false;
    // One copy meets all items: what the first has left of it, the next begins with.
    let copy = tree.copy(item)?;
    let Some(found) = resource else {
        return match node(tree, copy, None) {
            Ok(()) | Err(Failure::Condition) => Ok(()),
            Err(failure @ (Failure::Global | Failure::Error(_))) => Err(failure),
        };
    };
    for &candidate in found {
        match node(tree, copy, Some(candidate)) {
            Ok(()) if is_global => global_held = true,
            Ok(()) => named_copy(tree, patch, copy, candidate)?,
            Err(Failure::Condition) => {}
            Err(Failure::Global) => global_failed = true,
            Err(Failure::Error(message)) => return Err(Failure::Error(message)),
        }
    }
    if global_failed && !global_held { Err(Failure::Global) } else { Ok(()) }
}

/// Adds the item without its anchors and with the name of the resource's item, if that has one.
// Kyverno: handlePatternName.
fn named_copy(tree: &mut Tree, patch: Id, item: Id, candidate: Id) -> Result<(), Failure> {
    let Some(name) = tree.field(candidate, "name").filter(|name| !tree.is_empty(*name)) else {
        return Ok(());
    };
    let copy = tree.copy(item)?;
    if remove_anchors(tree, copy, true)? {
        return Ok(());
    }
    tree.set_field(copy, "name", Some(name), 0)
        .map_err(|message| format!("failed to update name in pattern: {message}"))?;
    Ok(tree.append(patch, copy)?)
}
