//! A patch that sets fields of maps and items of lists that are there, applied in place.
//!
//! In: a resource and the text of a patch. Out: whether it changed the resource, or that it must go the long way, which reads
//! the whole document and compares it as a whole. A loop over ten thousand elements makes ten thousand such patches.

use super::document::same_order;
use super::operation::{self, Kind, Operation};
use engine_json::{MAX_DEPTH, Value, measure};

/// More operations than this in one patch go the long way: each is held against all others.
const MAX_OPERATIONS: usize = 16;
/// A path with more parts goes the long way.
const MAX_PARTS: usize = 32;

/// Applies a patch in place; `None` where it is not plain, and then nothing has changed. The resource holds whole numbers alone.
pub(super) fn apply(resource: &mut Value, text: &str) -> Option<bool> {
    let patch = operation::parse(text).ok().filter(|patch| patch.len() <= MAX_OPERATIONS)?;
    let steps: Vec<Step<'_>> =
        patch.iter().map(|operation| step(resource, operation)).collect::<Option<_>>()?;
    let is_within = |a: &Step<'_>, b: &Step<'_>| b.parts.starts_with(&a.parts);
    for (at, one) in steps.iter().enumerate() {
        // What two operations do to one place is more than each of them says.
        if steps.iter().skip(at + 1).any(|other| is_within(one, other) || is_within(other, one)) {
            return None;
        }
        if steps.len() > 1 && one.grows_list {
            return None;
        }
    }
    steps.into_iter().try_fold(false, |changed, step| Some(step.run(resource)? | changed))
}

/// An operation that sets one place.
struct Step<'o> {
    parts: Vec<&'o str>,
    value: &'o Value,
    /// Whether it adds an item to a list, and so moves others.
    grows_list: bool,
}

/// The operation, if it is plain.
fn step<'o>(resource: &Value, operation: &'o Operation) -> Option<Step<'o>> {
    let (value, adds) = match &operation.kind {
        Kind::Add { value } => (value, true),
        Kind::Replace { value } => (value, false),
        Kind::Remove | Kind::Move { .. } | Kind::Copy { .. } | Kind::Test { .. } => return None,
    };
    let parts: Vec<&str> = operation.path.strip_prefix('/')?.split('/').collect();
    let is_plain = |part: &&str| !part.is_empty() && !part.contains('~');
    let is_name = matches!(parts.first(), None | Some(&("kind" | "apiVersion")));
    if value.is_null()
        || value.has_floats()
        || is_name
        || parts.len() > MAX_PARTS
        || !parts.iter().all(is_plain)
    {
        return None;
    }
    measure(value, parts.len(), usize::MAX).ok().filter(|_| parts.len() < MAX_DEPTH)?;
    let (last, above) = parts.split_last()?;
    let holder = above.iter().try_fold(resource, |value, part| match value {
        Value::Object(map) => map.get(part),
        Value::Array(list) => list.get(place(part)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })?;
    let (is_there, grows_list) = match holder {
        Value::Object(map) => (map.get(last).is_some_and(|old| !old.is_null()), false),
        Value::Array(list) if adds => (*last == "-" || place(last)? <= list.len(), true),
        Value::Array(list) => (list.get(place(last)?).is_some_and(|old| !old.is_null()), false),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    // A new key of a map is plain too; what is there and `null` is not.
    let is_new = adds && matches!(holder, Value::Object(map) if !map.contains_key(last));
    (is_there || is_new).then_some(Step { parts, value, grows_list })
}

/// A place in a list, written as a number and nothing else.
fn place(part: &str) -> Option<usize> {
    let is_number = part == "0" || (!part.starts_with('0') && part.bytes().all(|b| b.is_ascii_digit()));
    if is_number { part.parse().ok() } else { None }
}

impl Step<'_> {
    /// Sets the place; whether Go writes other bytes for it now.
    fn run(self, resource: &mut Value) -> Option<bool> {
        let (last, above) = self.parts.split_last()?;
        let holder = above.iter().try_fold(resource, |value, part| {
            if value.as_array().is_some() {
                value.array_mut()?.get_mut(place(part)?)
            } else {
                value.object_mut()?.get_mut(part)
            }
        })?;
        if let Some(list) = holder.array_mut() {
            if *last == "-" {
                list.push(self.value.clone());
                return Some(true);
            }
            if self.grows_list {
                list.insert(place(last)?, self.value.clone());
                return Some(true);
            }
            let old = list.get_mut(place(last)?)?;
            let is_same = same_order(self.value, old);
            *old = self.value.clone();
            return Some(!is_same);
        }
        let old = holder.object_mut()?.insert(*last, self.value.clone());
        Some(!old.is_some_and(|old| same_order(self.value, &old)))
    }
}
