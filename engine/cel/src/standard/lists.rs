//! Lists taken apart, sorted and made (cel-go: `ext/lists.go`, version 3).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "@sortByAssociatedKeys",
        overloads: &[
            Overload::new("list_int_sortByAssociatedKeys", "list(T).(list(int)) -> list(T)"),
            Overload::new("list_uint_sortByAssociatedKeys", "list(T).(list(uint)) -> list(T)"),
            Overload::new("list_double_sortByAssociatedKeys", "list(T).(list(double)) -> list(T)"),
            Overload::new("list_bool_sortByAssociatedKeys", "list(T).(list(bool)) -> list(T)"),
            Overload::new(
                "list_google.protobuf.Duration_sortByAssociatedKeys",
                "list(T).(list(duration)) -> list(T)",
            ),
            Overload::new(
                "list_google.protobuf.Timestamp_sortByAssociatedKeys",
                "list(T).(list(timestamp)) -> list(T)",
            ),
            Overload::new("list_string_sortByAssociatedKeys", "list(T).(list(string)) -> list(T)"),
            Overload::new("list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) -> list(T)"),
        ],
        note: "What `sortBy` becomes: the elements in the order of their keys.",
        examples: &[],
    },
    Function {
        name: "distinct",
        overloads: &[Overload::new("list_distinct", "list(T).() -> list(T)")],
        note: "The elements without repetitions, each at its first place.",
        examples: &[("[1, 2, 1].distinct()", "[1,2]")],
    },
    Function {
        name: "flatten",
        overloads: &[
            Overload::new("list_flatten", "list(list(T)).() -> list(T)"),
            Overload::new("list_flatten_int", "list(dyn).(int) -> list(dyn)"),
        ],
        note: "The elements of the lists in a list, to a depth of one or as given.",
        examples: &[("[[1], [2, 3]].flatten()", "[1,2,3]")],
    },
    Function {
        name: "lists.range",
        overloads: &[Overload::new("lists_range", "(int) -> list(int)")],
        note: "The numbers from 0 up to before the argument.",
        examples: &[("lists.range(3)", "[0,1,2]")],
    },
    Function {
        name: "reverse",
        overloads: &[Overload::new("list_reverse", "list(T).() -> list(T)")],
        note: "The elements in reverse order.",
        examples: &[("[1, 2].reverse()", "[2,1]")],
    },
    Function {
        name: "slice",
        overloads: &[Overload::new("list_slice", "list(T).(int, int) -> list(T)")],
        note: "The elements from a place up to before another.",
        examples: &[("[1, 2, 3].slice(1, 3)", "[2,3]")],
    },
    Function {
        name: "sort",
        overloads: &[
            Overload::new("list_int_sort", "list(int).() -> list(int)"),
            Overload::new("list_uint_sort", "list(uint).() -> list(uint)"),
            Overload::new("list_double_sort", "list(double).() -> list(double)"),
            Overload::new("list_bool_sort", "list(bool).() -> list(bool)"),
            Overload::new("list_google.protobuf.Duration_sort", "list(duration).() -> list(duration)"),
            Overload::new("list_google.protobuf.Timestamp_sort", "list(timestamp).() -> list(timestamp)"),
            Overload::new("list_string_sort", "list(string).() -> list(string)"),
            Overload::new("list_bytes_sort", "list(bytes).() -> list(bytes)"),
        ],
        note: "The elements in ascending order.",
        examples: &[("[3, 1, 2].sort()", "[1,2,3]")],
    },
];
