//! Lists as sets (cel-go: `ext/sets.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "sets.contains",
        overloads: &[Overload::new("list_sets_contains_list", "(list(T), list(T)) -> bool")],
        note: "Whether the first list has all elements of the second.",
        examples: &[("sets.contains([1, 2], [2])", "true")],
    },
    Function {
        name: "sets.equivalent",
        overloads: &[Overload::new("list_sets_equivalent_list", "(list(T), list(T)) -> bool")],
        note: "Whether two lists have the same elements, in any order and number.",
        examples: &[("sets.equivalent([1, 2, 2], [2, 1])", "true")],
    },
    Function {
        name: "sets.intersects",
        overloads: &[Overload::new("list_sets_intersects_list", "(list(T), list(T)) -> bool")],
        note: "Whether two lists have an element in common.",
        examples: &[("sets.intersects([1, 2], [3])", "false")],
    },
];
