//! Elements of lists and maps.

use crate::function::{Function, Overload};

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
            Overload::new("in_list", "(A, list(A)) -> bool"),
            Overload::new("in_map", "(A, map(A, B)) -> bool"),
        ],
        note: "Whether a list has an equal element, or a map a key.",
        examples: &[("2 in [1, 2]", "true"), ("'b' in {'a': 1}", "false")],
    },
    Function {
        name: "size",
        overloads: &[
            Overload::new("size_bytes", "(bytes) -> int"),
            Overload::new("bytes_size", "bytes.() -> int"),
            Overload::new("size_list", "(list(A)) -> int"),
            Overload::new("list_size", "list(A).() -> int"),
            Overload::new("size_map", "(map(A, B)) -> int"),
            Overload::new("map_size", "map(A, B).() -> int"),
            Overload::new("size_string", "(string) -> int"),
            Overload::new("string_size", "string.() -> int"),
        ],
        note: "How many characters, bytes, elements or entries there are.",
        examples: &[("size('día')", "3"), ("[1, 2].size()", "2")],
    },
];
