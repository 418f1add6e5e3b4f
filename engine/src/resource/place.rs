//! Where in a document a value or a text stands.
//!
//! In: a document, and a value that shares its node with it, or a text. Out: the path. Values keep the nodes of the document
//! they were taken from, so the place of a map or a list is that of the very node, and never guessed from its content.

use engine_json::{Path, Segment, Value};
use std::sync::Arc;

/// How many nodes of a document are looked at for a place.
const MAX_NODES: usize = 50_000;

/// The path of the very node that a map or a list shares with the document.
pub(crate) fn place_of(tree: &Value, wanted: &Value) -> Option<Path> {
    first(tree, &|value, _| match (value, wanted) {
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b),
        _ => false,
    })
}

/// The first path at which this text stands, as a value or as a key.
pub(crate) fn place_of_text(tree: &Value, wanted: &str) -> Option<Path> {
    first(tree, &|value, key| value.as_str() == Some(wanted) || key == Some(wanted))
}

/// The first place of which this holds, for a value and the key that it stands under.
fn first(tree: &Value, is_wanted: &dyn Fn(&Value, Option<&str>) -> bool) -> Option<Path> {
    let mut left = MAX_NODES;
    let mut way = Vec::new();
    search(tree, None, is_wanted, &mut way, &mut left).then(|| way.into_iter().rev().collect())
}

/// Whether the place is there; the steps to it are put down on the way back, innermost first.
fn search(
    tree: &Value,
    key: Option<&str>,
    is_wanted: &dyn Fn(&Value, Option<&str>) -> bool,
    way: &mut Vec<Segment>,
    left: &mut usize,
) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    if is_wanted(tree, key) {
        return true;
    }
    let mut below = |value: &Value, key: Option<&str>, segment: &dyn Fn() -> Segment| {
        let found = search(value, key, is_wanted, way, left);
        if found {
            way.push(segment());
        }
        found
    };
    match tree {
        Value::Object(map) => {
            map.iter().any(|(key, value)| below(value, Some(key), &|| Segment::Key(key.clone())))
        }
        Value::Array(list) => {
            list.iter().enumerate().any(|(at, value)| below(value, None, &|| Segment::from(at)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{place_of, place_of_text};
    use engine_json::parse;

    #[test]
    fn a_node_is_found_and_its_equal_is_not() {
        let tree = parse(r#"{"a": [{"b": {"c": "x"}}], "d": {"c": "x"}}"#).unwrap();
        let node = tree.get("d").cloned().unwrap();
        assert_eq!(place_of(&tree, &node).unwrap().to_string(), "d");
        assert_eq!(place_of(&tree, &parse(r#"{"c": "x"}"#).unwrap()), None);
        assert_eq!(place_of_text(&tree, "x").unwrap().to_string(), "a[0].b.c");
        assert_eq!(place_of_text(&tree, "c").unwrap().to_string(), "a[0].b.c");
        assert_eq!(place_of_text(&tree, "y"), None);
    }
}
