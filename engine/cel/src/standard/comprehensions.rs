//! What macros with two variables need (cel-go: `ext/comprehensions.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[Function {
    name: "cel.@mapInsert",
    overloads: &[
        Overload::new("@mapInsert_map_key_value", "(map(K, V), K, V) -> map(K, V)"),
        Overload::new("@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)"),
    ],
    note: "How `transformMap` adds an entry.",
    examples: &[],
}];
