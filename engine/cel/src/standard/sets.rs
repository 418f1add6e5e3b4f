//! Lists as sets (cel-go: `ext/sets.go`).

use super::known::Known;
use crate::cost;
use crate::error::{Error, Outcome};
use crate::function::{Function, Host, Overload, Run};
use crate::value::{self, Value};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "sets.contains",
        overloads: &[Overload::new("list_sets_contains_list", "(list(T), list(T)) -> bool")
            .run(Run::Two(contains))
            .cost(cost::SETS)],
        note: "Whether the first list has all elements of the second.",
        examples: &[("sets.contains([1, 2], [2])", "true")],
    },
    Function {
        name: "sets.equivalent",
        overloads: &[Overload::new("list_sets_equivalent_list", "(list(T), list(T)) -> bool")
            .run(Run::Two(equivalent))
            .cost(cost::SETS_TWICE)],
        note: "Whether two lists have the same elements, in any order and number.",
        examples: &[("sets.equivalent([1, 2, 2], [2, 1])", "true")],
    },
    Function {
        name: "sets.intersects",
        overloads: &[Overload::new("list_sets_intersects_list", "(list(T), list(T)) -> bool")
            .run(Run::Two(intersects))
            .cost(cost::SETS)],
        note: "Whether two lists have an element in common.",
        examples: &[("sets.intersects([1, 2], [3])", "false")],
    },
];

/// So many comparisons take less time than a look-up needs.
const FEW: usize = 256;

/// Whether the first list has all elements of the second.
fn has_all(list: &Value<'_>, part: &Value<'_>) -> Result<bool, Box<Error>> {
    let (Some(list), Some(part)) = (list.as_list(), part.as_list()) else { return Ok(false) };
    if list.len().saturating_mul(part.len()) <= FEW {
        return Ok(part.iter().all(|element| value::contains(list, &element)));
    }
    let mut known = Known::of(list.iter());
    for element in part.iter() {
        if !known.has(&element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn contains<'v>(_: &mut Host<'_>, list: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    has_all(&list, &part).map(Value::Bool)
}

fn equivalent<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(has_all(&a, &b)? && has_all(&b, &a)?))
}

fn intersects<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    let (Some(a), Some(b)) = (a.as_list(), b.as_list()) else { return Err(Error::no_overload()) };
    if a.len().saturating_mul(b.len()) <= FEW {
        return Ok(Value::Bool(a.iter().any(|element| value::contains(b, &element))));
    }
    let mut known = Known::of(b.iter());
    for element in a.iter() {
        if known.has(&element)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
