//! Updates that change what neither side reads by itself: a side may hold an object, or a part of it, as a whole against what it was.
//!
//! In: objects of a kind that were created. Out: for each an update that changes a label, an annotation, or a single text, number or truth
//! value in it.

use crate::objects::defaults::defaulted;
use crate::reads::field_path::{Elements, field_path, keys_of, paths, put};
use crate::request::Operation;
use crate::search::Search;
use engine_json::{Path, Value};

/// How many objects are changed, and in how many places each.
const MAX_OBJECTS: usize = 2;
const MAX_PLACES: usize = 24;

impl Search<'_, '_> {
    /// Tries them, where a side reads the object as it was.
    pub(super) fn unread_changes(&mut self, known: &[Value], until: usize) {
        if self.reads.of_old.is_empty() || !self.operations.contains(&Operation::Update) {
            return;
        }
        // What holds more can be changed in more places.
        let largest = known.iter().max_by_key(|object| paths(object).len());
        for object in known.iter().take(MAX_OBJECTS).chain(largest) {
            // What is there has what an API server has filled in.
            let object = defaulted(object);
            for changed in self.changed_in_one_place(&object) {
                if self.is_over(until) {
                    return;
                }
                self.update(&object, &changed);
            }
        }
    }

    fn changed_in_one_place(&self, object: &Value) -> Vec<Value> {
        let of_metadata = ["labels", "annotations"].map(|field| {
            let mut changed = object.clone();
            let place = field_path(&["metadata", field, "example.com/x"]);
            put(&mut changed, &place, Some(&Value::from("x")), Elements::All, self.schema);
            changed
        });
        let leaves = paths(object).into_iter().filter(|path| !is_of_identity(path));
        let leaves = leaves.filter_map(|path| {
            let value = other(object.at_path(path.iter())?)?;
            let mut changed = object.clone();
            changed.put(&path, Some(value)).then_some(changed)
        });
        of_metadata.into_iter().chain(leaves.take(MAX_PLACES)).collect()
    }
}

/// Whether a place says which object it is: no update changes that.
fn is_of_identity(path: &Path) -> bool {
    match keys_of(path).as_slice() {
        ["kind" | "apiVersion", ..] => true,
        ["metadata", field, ..] => {
            matches!(*field, "name" | "namespace" | "uid" | "generation" | "creationTimestamp")
        }
        _ => false,
    }
}

/// Another value of the same type; nothing for what is not a single value.
fn other(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(Value::from(format!("{text}x"))),
        Value::Bool(is) => Some(Value::Bool(!is)),
        Value::Number(_) => value.as_i64().and_then(|number| number.checked_add(1)).map(Value::from),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
