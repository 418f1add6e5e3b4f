//! The elements of a list in another order.
//!
//! In: an object. Out: the same with one of its lists turned round: what reads an element by its number meets another one there.

use crate::search::random::Random;
use engine_json::{Path, Segment, Value};

/// How many lists of one object are looked at.
const MAX_LISTS: usize = 64;

/// Turns one list of several elements round, where there is one.
pub(crate) fn turn(object: &mut Value, random: &mut Random) {
    let mut found = Vec::new();
    collect(object, &Path::root(), &mut found);
    let Some(path) = random.of(&found).cloned() else { return };
    let Some(mut items) = object.at_path(path.iter()).and_then(Value::as_array).map(<[Value]>::to_vec) else {
        return;
    };
    items.reverse();
    object.put(&path, Some(Value::array(items)));
}

/// The lists of several elements.
fn collect(value: &Value, path: &Path, found: &mut Vec<Path>) {
    if found.len() >= MAX_LISTS {
        return;
    }
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, item)| collect(item, &path.join(Segment::Key(key.clone())), found));
        }
        Value::Array(items) => {
            if items.len() > 1 {
                found.push(path.clone());
            }
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| collect(item, &path.join(Segment::from(at)), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
