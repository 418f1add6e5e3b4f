//! Takes conditions out of a patch once they have been tested.
//!
//! In: a patch whose anchors were worked off. Out: the same without `(k)` and `<(k)`, and without whatever is empty
//! after that, so that `{(image): "*"}` patches nothing.
//! Mirrors: deleteConditionElements and deleteAnchors of pkg/engine/mutate/patch/strategicPreprocessing.go.

use super::anchors::{anchored_keys, has_anchors, is_condition, is_known};
use super::tree::{Id, Kind, Node, Tree};
use crate::patch::CRASH_NOTE;
use crate::pattern::anchor;

/// Takes the conditions out of a whole patch.
pub(super) fn remove_conditions(tree: &mut Tree, patch: Id) -> Result<(), String> {
    for key in tree.field_names(patch)? {
        let is_anchor = anchor::parse(&key).is_some_and(|(anchor, _)| is_condition(anchor));
        if let Some(value) = tree.field(patch, &key)
            && remove_anchors(tree, value, is_anchor)?
        {
            tree.clear(patch, &key);
        }
    }
    Ok(())
}

/// Takes the conditions out of a node; whether the node itself must go. A scalar goes if it is a condition's.
pub(super) fn remove_anchors(tree: &mut Tree, id: Id, scalar_goes: bool) -> Result<bool, String> {
    tree.spend(1)?;
    match tree.kind(id) {
        Some(Kind::Map) => in_map(tree, id),
        Some(Kind::List) => in_list(tree, id),
        Some(Kind::Scalar) | None => Ok(scalar_goes),
    }
}

/// A map goes when nothing is left of it, or nothing was in it.
fn in_map(tree: &mut Tree, map: Id) -> Result<bool, String> {
    let anchors = anchored_keys(tree, map, is_condition)?;
    let mut are_left = false;
    for anchored in &anchors {
        let Some(value) = tree.field(map, &anchored.written) else { continue };
        if remove_anchors(tree, value, true)? {
            tree.clear(map, &anchored.written);
        } else {
            are_left = true;
        }
    }
    // What is not a condition beneath a condition is part of the patch.
    if are_left {
        for anchored in &anchors {
            tree.rename(map, &anchored.written, &anchored.key);
        }
    }
    let mut goes = true;
    for key in tree.field_names(map)? {
        let Some(value) = tree.field(map, &key) else { continue };
        if remove_anchors(tree, value, false)? {
            tree.clear(map, &key);
        } else {
            goes = false;
        }
    }
    Ok(goes)
}

/// Items with anchors go: those that fitted have left copies. A list goes when nothing is left of it.
///
/// The original takes items out by the places they had at first, so that behind the first one a wrong item goes;
/// where no item is at such a place any more it crashes, which is an error here.
fn in_list(tree: &mut Tree, list: Id) -> Result<bool, String> {
    let items = tree.items(list).to_vec();
    for (at, &item) in items.iter().enumerate() {
        if !has_anchors(tree, item, is_known) && !remove_anchors(tree, item, false)? {
            continue;
        }
        let mut left = tree.items(list).to_vec();
        if at >= left.len() {
            return Err(format!(
                "a list of the patch has several items with anchors, of which too few fit the resource \
                 {CRASH_NOTE}; put each of them into a rule of its own"
            ));
        }
        left.remove(at);
        tree.set(list, Node::List(left));
    }
    Ok(tree.items(list).is_empty() && !items.is_empty())
}
