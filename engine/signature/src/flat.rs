//! An object as a table: the keys to each value joined with `.`, as mapnode's Ravel makes it.
//!
//! In: an object, and fields to leave out. Out: the table; what is `null` or empty is not in it.

use crate::ignore::Fields;
use engine::json::{Number, Value};
use std::collections::BTreeMap;

/// The values by their keys.
pub(crate) type Flat<'a> = BTreeMap<String, Leaf<'a>>;

/// A value that holds no others. To the original all numbers are of one type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Leaf<'a> {
    Bool(bool),
    Number(f64),
    Text(&'a str),
}

/// How deep objects nest that are looked at; YAML is not read any deeper.
const MAX_DEPTH: usize = 1_000;

/// The table of an object without these fields.
pub(crate) fn flat<'a>(object: &'a Value, without: &Fields) -> Flat<'a> {
    let mut table = Flat::new();
    let mut key = String::new();
    ravel(object, &mut key, without, &mut table, 0);
    table
}

fn ravel<'a>(value: &'a Value, key: &mut String, without: &Fields, table: &mut Flat<'a>, depth: usize) {
    if depth > MAX_DEPTH || (!key.is_empty() && without.has(key)) {
        return;
    }
    let mut below = |part: &str, value: &'a Value| {
        let length = key.len();
        if length > 0 {
            key.push('.');
        }
        key.push_str(part);
        ravel(value, key, without, table, depth + 1);
        key.truncate(length);
    };
    match value {
        Value::Null => {}
        Value::Object(map) => map.iter().for_each(|(part, value)| below(part, value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| below(&at.to_string(), value)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if let Some(leaf) = leaf(value) {
                table.insert(key.clone(), leaf);
            }
        }
    }
}

fn leaf(value: &Value) -> Option<Leaf<'_>> {
    Some(match value {
        Value::Bool(flag) => Leaf::Bool(*flag),
        Value::Number(Number::Float(float)) => Leaf::Number(*float),
        Value::Number(Number::Int(int)) => Leaf::Number(*int as f64),
        Value::Number(Number::Uint(int)) => Leaf::Number(*int as f64),
        Value::String(text) => Leaf::Text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}
