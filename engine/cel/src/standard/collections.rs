//! Elements of lists and maps.

use crate::cost;
use crate::error::Outcome;
use crate::eval::no_operation;
use crate::function::{Function, Host, Overload, Run};
use crate::value::Value;

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_[_]",
        overloads: &[
            Overload::new("index_list", "(list(A), int) -> A"),
            Overload::new("index_map", "(map(A, B), A) -> B"),
        ],
        note: "The element of a list, the value under a key of a map.",
        examples: &[("['a', 'b'][1]", "\"b\""), ("{'a': 1}['a']", "1")],
    },
    Function {
        name: "@in",
        overloads: &[
            Overload::new("in_list", "(A, list(A)) -> bool").cost(cost::ELEMENTS),
            Overload::new("in_map", "(A, map(A, B)) -> bool"),
        ],
        note: "Whether a list has an equal element, or a map a key.",
        examples: &[("2 in [1, 2]", "true"), ("'b' in {'a': 1}", "false")],
    },
    Function {
        name: "size",
        overloads: &[
            Overload::new("size_bytes", "(bytes) -> int").run(Run::One(size)).unguarded(),
            Overload::new("bytes_size", "bytes.() -> int").run(Run::One(size)).unguarded(),
            Overload::new("size_list", "(list(A)) -> int").run(Run::One(size)).unguarded(),
            Overload::new("list_size", "list(A).() -> int").run(Run::One(size)).unguarded(),
            Overload::new("size_map", "(map(A, B)) -> int").run(Run::One(size)).unguarded(),
            Overload::new("map_size", "map(A, B).() -> int").run(Run::One(size)).unguarded(),
            Overload::new("size_string", "(string) -> int").run(Run::One(size)).unguarded(),
            Overload::new("string_size", "string.() -> int").run(Run::One(size)).unguarded(),
        ],
        note: "How many characters, bytes, elements or entries there are.",
        examples: &[("size('día')", "3"), ("[1, 2].size()", "2")],
    },
];

fn size<'v>(_: &mut Host<'_>, value: Value<'v>) -> Outcome<'v> {
    match value.size() {
        Some(size) => Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX))),
        None => Err(no_operation(&value, "size")),
    }
}
