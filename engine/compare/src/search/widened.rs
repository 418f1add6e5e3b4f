//! What is read of a place, with what may be meant by it: the elements of a list, all lists of containers, both security contexts.
//!
//! In: what policies read of a place, and what the schema says of it. Out: what is tried there.

use crate::objects::kinds::CONTAINER_LISTS;
use crate::objects::schema::Shape;
use crate::reads::tree::Tree;
use crate::search::cells::POD_SPEC;
use engine_json::{Str, Value};

const RBAC_RULE: &str = "rbac.v1.PolicyRule";

/// What is read of the elements of a list: what is held against a list may be held against what is in it, and against the keys of a map.
pub(crate) fn elements(node: &Tree, shape: Option<&Shape>) -> Option<Tree> {
    let mut each = node.each.as_deref().cloned();
    if matches!(shape, Some(Shape::List(_) | Shape::Map(_) | Shape::Object(_)))
        && node.constants.iter().any(|constant| constant.as_str().is_some())
    {
        let each = each.get_or_insert_default();
        node.constants.iter().filter(|constant| constant.as_str().is_some()).for_each(|text| each.add(text));
    }
    each
}

/// What is read of the elements of an object is read of the object: what an expression has of several objects may be one of them.
pub(crate) fn of_elements(node: &Tree, shape: Option<&Shape>) -> Option<Tree> {
    let each = node.each.as_deref().filter(|each| !each.fields.is_empty());
    let each = each.filter(|_| matches!(shape, Some(Shape::Object(_))))?;
    let mut whole = node.clone();
    whole.each = None;
    whole.merge(each);
    Some(whole)
}

/// What is read of one list of containers is tried in all, as what one side reads of one of them the other may have forgotten, and what is read of one security context in both.
pub(crate) fn widened(node: &Tree, shape: Option<&Shape>) -> Option<Tree> {
    if shape == Some(&Shape::Object(RBAC_RULE)) {
        return Some(with_addresses(node));
    }
    if shape != Some(&Shape::Object(POD_SPEC)) {
        return None;
    }
    let mut containers = Tree::default();
    for list in CONTAINER_LISTS {
        if let Some(each) = node.fields.get(list).and_then(|list| list.each.as_deref()) {
            containers.merge(each);
        }
    }
    let mut whole = node.clone();
    let of_container = containers.fields.get("securityContext").cloned().unwrap_or_default();
    let of_pod = node.fields.get("securityContext").cloned().unwrap_or_default();
    let has_context = !of_container.fields.is_empty() || !of_pod.fields.is_empty();
    if has_context {
        for tree in [&mut whole, &mut containers] {
            let context = tree.fields.entry(Str::new_static("securityContext")).or_default();
            context.merge(&of_container);
            context.merge(&of_pod);
        }
    }
    let is_read = CONTAINER_LISTS.iter().any(|list| node.fields.contains_key(*list)) || has_context;
    if is_read {
        for list in CONTAINER_LISTS {
            whole
                .fields
                .entry(Str::new_static(list))
                .or_default()
                .each
                .get_or_insert_default()
                .merge(&containers);
        }
    }
    Some(whole)
}

/// A rule of a role is for resources or for addresses: what reads the one meets the other too.
fn with_addresses(node: &Tree) -> Tree {
    let mut whole = node.clone();
    if !node.fields.is_empty() {
        let addresses = whole.fields.entry(Str::new_static("nonResourceURLs")).or_default();
        addresses.add(&Value::array(vec![Value::from("/healthz")]));
    }
    whole
}
