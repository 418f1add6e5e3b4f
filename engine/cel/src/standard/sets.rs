//! Lists as sets (cel-go: `ext/sets.go`).

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

/// Whether the first list has all elements of the second.
fn has_all(list: &Value<'_>, part: &Value<'_>) -> bool {
    match (list.as_list(), part.as_list()) {
        (Some(list), Some(part)) => part.iter().all(|element| value::contains(list, &element)),
        _ => false,
    }
}

fn contains<'v>(_: &mut Host<'_>, list: Value<'v>, part: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(has_all(&list, &part)))
}

fn equivalent<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    Ok(Value::Bool(has_all(&a, &b) && has_all(&b, &a)))
}

fn intersects<'v>(_: &mut Host<'_>, a: Value<'v>, b: Value<'v>) -> Outcome<'v> {
    let (Some(a), Some(b)) = (a.as_list(), b.as_list()) else { return Err(Error::no_overload()) };
    Ok(Value::Bool(a.iter().any(|element| value::contains(b, &element))))
}
