//! An object as a table: the keys to each value joined with `.`, as mapnode's Ravel makes it.
//!
//! In: an object, and fields to leave out. Out: the table; what is `null` or empty is not in it. An object that nests too
//! deep, or that is too much work, has none: what is not looked at must not pass for equal.

use crate::ignore::Fields;
use engine::json::{MAX_DEPTH, Number, Value};
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

/// How many bytes all keys may have that are written for one signature: a key names each level above its value, and a
/// message may hold many manifests.
const MAX_KEY_BYTES: usize = 32 << 20;
/// What a value counts beside its key.
const VALUE_BYTES: usize = 16;

/// What is left of the work for one signature.
pub(crate) struct Budget {
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { bytes: MAX_KEY_BYTES }
    }
}

impl Budget {
    fn pay(&mut self, key: &str) -> Result<(), String> {
        self.bytes = self.bytes.checked_sub(key.len() + VALUE_BYTES).ok_or_else(|| {
            format!("manifests whose keys take more than {MAX_KEY_BYTES} bytes are not compared: sign smaller objects")
        })?;
        Ok(())
    }
}

/// The table of an object without these fields; an error if the object nests deeper than [`MAX_DEPTH`], or if the budget
/// is spent.
pub(crate) fn flat<'a>(object: &'a Value, without: &Fields, budget: &mut Budget) -> Result<Flat<'a>, String> {
    let mut table = Flat::new();
    let mut key = String::new();
    ravel(object, &mut key, without, &mut table, 0, budget)?;
    Ok(table)
}

fn ravel<'a>(
    value: &'a Value,
    key: &mut String,
    without: &Fields,
    table: &mut Flat<'a>,
    depth: usize,
    budget: &mut Budget,
) -> Result<(), String> {
    budget.pay(key)?;
    if !key.is_empty() && without.has(key) {
        return Ok(());
    }
    if depth > MAX_DEPTH {
        return Err(format!(
            "objects that nest deeper than {MAX_DEPTH} levels are not compared: make the object flatter"
        ));
    }
    let mut below = |part: &str, value: &'a Value| {
        let length = key.len();
        if length > 0 {
            key.push('.');
        }
        key.push_str(part);
        let outcome = ravel(value, key, without, table, depth + 1, budget);
        key.truncate(length);
        outcome
    };
    match value {
        Value::Null => Ok(()),
        Value::Object(map) => map.iter().try_for_each(|(part, value)| below(part, value)),
        Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(at, value)| below(&at.to_string(), value))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            if let Some(leaf) = leaf(value) {
                table.insert(key.clone(), leaf);
            }
            Ok(())
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
