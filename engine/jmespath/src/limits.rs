//! The bounds that keep a hostile expression, or a hostile document, from exhausting stack, memory or time.
//!
//! In: a value that an expression made. Out: its weight, or a [`EvalError::Limit`] when it is too heavy or too
//! deep. Example: `[@,@]|[@,@]|…` doubles a shared value at each stage; forty stages hold 2^40 entries once
//! written out, in a few kilobytes of memory.

use crate::EvalError;
use engine_json::{Value, measure};

/// How high the tree of an expression may be, and how deep its text may nest.
///
/// Evaluation recurses over the tree, so this bounds the stack that a search uses.
pub const MAX_DEPTH: usize = 256;

/// How many nodes one search may evaluate (or entries it may weigh and sort).
pub const MAX_STEPS: u64 = 20_000_000;

/// How heavy a value made by an expression may be; see [`weigh`].
pub const MAX_WEIGHT: usize = 2_000_000;

/// How deep a value made by an expression may nest.
pub const MAX_RESULT_DEPTH: usize = 512;

/// How many bytes a text made by a function, or an error message, may hold.
pub const MAX_TEXT: usize = 8 << 20;

/// From this growth on every list and map that is made is weighed.
///
/// The growth of an expression is how many times larger than document and literals its result can be; below this
/// bound it stays within sizes that are harmless, and weighing would cost more than the search itself.
pub(crate) const WEIGH_FROM: u64 = 256;

/// With more nodes than this that make lists, maps or call functions, every value that is made is weighed too: each
/// such node may add a level.
pub(crate) const MAKERS_FROM: usize = 100;

/// Bytes of text that weigh as much as one entry.
const TEXT_UNIT: usize = 16;

/// The weight of a value: one for each entry and one for every 16 bytes of text, shared parts counted each time
/// they appear. An error if it exceeds [`MAX_WEIGHT`] or nests deeper than [`MAX_RESULT_DEPTH`].
pub fn weigh(value: &Value) -> Result<usize, EvalError> {
    let mut weight = 0;
    add_weight(value, 0, &mut weight)?;
    Ok(weight)
}

/// What it takes, at most, to say whether two values are equal.
pub(crate) fn alike(left: &Value, right: &Value) -> u64 {
    let is_long = match (left, right) {
        (Value::Array(left), Value::Array(right)) => left.len() == right.len(),
        (Value::Object(left), Value::Object(right)) => left.len() == right.len(),
        (Value::String(left), Value::String(right)) => return (left.len().min(right.len()) / 64) as u64,
        _ => false,
    };
    // Text that is too long to be measured is too long to be compared as well.
    if is_long { measure(left, 0, MAX_TEXT).map_or(u64::MAX, |bytes| (bytes / TEXT_UNIT) as u64) } else { 0 }
}

fn add_weight(value: &Value, depth: usize, weight: &mut usize) -> Result<(), EvalError> {
    *weight += 1;
    if *weight > MAX_WEIGHT {
        return Err(EvalError::limit(format!("the value exceeds {MAX_WEIGHT} entries")));
    }
    if depth > MAX_RESULT_DEPTH {
        return Err(EvalError::limit(format!("the value is nested deeper than {MAX_RESULT_DEPTH} levels")));
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => *weight += text.len() / TEXT_UNIT,
        Value::Array(list) => {
            for item in list.iter() {
                add_weight(item, depth + 1, weight)?;
            }
        }
        Value::Object(map) => {
            for (key, item) in map.iter() {
                *weight += key.len() / TEXT_UNIT;
                add_weight(item, depth + 1, weight)?;
            }
        }
    }
    Ok(())
}
