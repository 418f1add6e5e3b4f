//! `[start:stop:step]` of a list.
//!
//! In: `[1,2,3,4]`, `[::-2]`. Out: `[4,2]`. Mirrors: go-jmespath `util.go`.

use crate::EvalError;
use engine_json::Value;

/// The elements from start up to, not including, stop.
pub(crate) fn slice(list: &[Value], parts: [Option<i64>; 3]) -> Result<Vec<Value>, EvalError> {
    let [start, stop, step] = parts;
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(EvalError::other("Invalid slice, step cannot be 0"));
    }
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let (first, last) = if step < 0 { (length - 1, -1) } else { (0, length) };
    let mut at = start.map_or(first, |start| capped(length, start, step));
    let stop = stop.map_or(last, |stop| capped(length, stop, step));
    let mut result = Vec::new();
    while if step > 0 { at < stop } else { at > stop } {
        result.extend(usize::try_from(at).ok().and_then(|at| list.get(at)).cloned());
        let Some(next) = at.checked_add(step) else { break };
        at = next;
    }
    Ok(result)
}

/// A place counted from either end, moved into the list or just beyond its end.
fn capped(length: i64, place: i64, step: i64) -> i64 {
    let (low, high) = if step < 0 { (-1, length - 1) } else { (0, length) };
    let place = if place < 0 { place.saturating_add(length) } else { place };
    if place < 0 {
        low
    } else if place >= length {
        high
    } else {
        place
    }
}
