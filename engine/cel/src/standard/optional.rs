//! Values that may be missing.

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_[_]",
        overloads: &[
            Overload::new("optional_list_index_int", "(optional_type(list(V)), int) -> optional_type(V)"),
            Overload::new("optional_map_index_value", "(optional_type(map(K, V)), K) -> optional_type(V)"),
        ],
        note: "The element or value within an optional list or map, as an optional value.",
        examples: &[("optional.of(['a'])[0].value()", "\"a\"")],
    },
    Function {
        name: "_?._",
        overloads: &[Overload::new("select_optional_field", "(dyn, string) -> optional_type(V)")],
        note: "The field as an optional value: none where it is missing.",
        examples: &[("{'a': 1}.?b.hasValue()", "false")],
    },
    Function {
        name: "_[?_]",
        overloads: &[
            Overload::new("list_optindex_optional_int", "(list(V), int) -> optional_type(V)"),
            Overload::new(
                "optional_list_optindex_optional_int",
                "(optional_type(list(V)), int) -> optional_type(V)",
            ),
            Overload::new("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)"),
            Overload::new(
                "optional_map_optindex_optional_value",
                "(optional_type(map(K, V)), K) -> optional_type(V)",
            ),
        ],
        note: "The element as an optional value: none where it is missing.",
        examples: &[("[1][?0].value()", "1")],
    },
    Function {
        name: "first",
        overloads: &[Overload::new("list_first", "list(V).() -> optional_type(V)")],
        note: "The first element as an optional value.",
        examples: &[("[1, 2].first().value()", "1")],
    },
    Function {
        name: "hasValue",
        overloads: &[Overload::new("optional_hasValue", "optional_type(V).() -> bool")],
        note: "Whether an optional value is there.",
        examples: &[("optional.none().hasValue()", "false")],
    },
    Function {
        name: "last",
        overloads: &[Overload::new("list_last", "list(V).() -> optional_type(V)")],
        note: "The last element as an optional value.",
        examples: &[("[1, 2].last().value()", "2")],
    },
    Function {
        name: "optional.none",
        overloads: &[Overload::new("optional_none", "() -> optional_type(V)")],
        note: "The optional value that is not there.",
        examples: &[("optional.none() == optional.none()", "true")],
    },
    Function {
        name: "optional.of",
        overloads: &[Overload::new("optional_of", "(V) -> optional_type(V)")],
        note: "An optional value that is there.",
        examples: &[("optional.of(1).value()", "1")],
    },
    Function {
        name: "optional.ofNonZeroValue",
        overloads: &[Overload::new("optional_ofNonZeroValue", "(V) -> optional_type(V)")],
        note: "An optional value, none for null, zero, false and what is empty.",
        examples: &[("optional.ofNonZeroValue('').hasValue()", "false")],
    },
    Function {
        name: "optional.unwrap",
        overloads: &[Overload::new("optional_unwrap", "(list(optional_type(V))) -> list(V)")],
        note: "The values that are there, of a list of optional values.",
        examples: &[("optional.unwrap([optional.of(1), optional.none()])", "[1]")],
    },
    Function {
        name: "or",
        overloads: &[Overload::new(
            "optional_or_optional",
            "optional_type(V).(optional_type(V)) -> optional_type(V)",
        )],
        note: "The first of two optional values that is there.",
        examples: &[("optional.none().or(optional.of(2)).value()", "2")],
    },
    Function {
        name: "orValue",
        overloads: &[Overload::new("optional_orValue_value", "optional_type(V).(V) -> V")],
        note: "The value, or another where it is not there.",
        examples: &[("optional.none().orValue(2)", "2")],
    },
    Function {
        name: "unwrapOpt",
        overloads: &[Overload::new("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)")],
        note: "The values that are there, of a list of optional values.",
        examples: &[("[optional.of(1), optional.none()].unwrapOpt()", "[1]")],
    },
    Function {
        name: "value",
        overloads: &[Overload::new("optional_value", "optional_type(V).() -> V")],
        note: "The value, an error where it is not there.",
        examples: &[("optional.of('a').value()", "\"a\"")],
    },
];
