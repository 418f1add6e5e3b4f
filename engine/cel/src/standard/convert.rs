//! From one type to another.

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "type",
        overloads: &[Overload::new("type", "(A) -> type(A)")],
        note: "The type of a value, as a value.",
        examples: &[("type(1) == int", "true")],
    },
    Function {
        name: "bool",
        overloads: &[
            Overload::new("bool_to_bool", "(bool) -> bool"),
            Overload::new("string_to_bool", "(string) -> bool"),
        ],
        note: "A bool; `1`, `t`, `true`, `0`, `f`, `false` and their capitals as text.",
        examples: &[("bool('true')", "true")],
    },
    Function {
        name: "bytes",
        overloads: &[
            Overload::new("bytes_to_bytes", "(bytes) -> bytes"),
            Overload::new("string_to_bytes", "(string) -> bytes"),
        ],
        note: "The bytes of a string in UTF-8.",
        examples: &[("bytes('a') == b'a'", "true")],
    },
    Function {
        name: "double",
        overloads: &[
            Overload::new("double_to_double", "(double) -> double"),
            Overload::new("int64_to_double", "(int) -> double"),
            Overload::new("string_to_double", "(string) -> double"),
            Overload::new("uint64_to_double", "(uint) -> double"),
        ],
        note: "A floating-point number.",
        examples: &[("double(3)", "3.0"), ("double('1e3')", "1000.0")],
    },
    Function {
        name: "duration",
        overloads: &[
            Overload::new("duration_to_duration", "(duration) -> duration"),
            Overload::new("string_to_duration", "(string) -> duration"),
        ],
        note: "A duration, of text with units from `ns` to `h`.",
        examples: &[("duration('1h30m')", "\"5400s\"")],
    },
    Function {
        name: "dyn",
        overloads: &[Overload::new("to_dyn", "(A) -> dyn")],
        note: "The same value, not checked for its type.",
        examples: &[("dyn(1) == 'a'", "false")],
    },
    Function {
        name: "int",
        overloads: &[
            Overload::new("int64_to_int64", "(int) -> int"),
            Overload::new("double_to_int64", "(double) -> int"),
            Overload::new("duration_to_int64", "(duration) -> int"),
            Overload::new("string_to_int64", "(string) -> int"),
            Overload::new("timestamp_to_int64", "(timestamp) -> int"),
            Overload::new("uint64_to_int64", "(uint) -> int"),
        ],
        note: "A whole number; of a time the seconds since 1970, of a duration the nanoseconds.",
        examples: &[("int('-12')", "-12"), ("int(1.9)", "1")],
    },
    Function {
        name: "string",
        overloads: &[
            Overload::new("string_to_string", "(string) -> string"),
            Overload::new("bool_to_string", "(bool) -> string"),
            Overload::new("bytes_to_string", "(bytes) -> string"),
            Overload::new("double_to_string", "(double) -> string"),
            Overload::new("duration_to_string", "(duration) -> string"),
            Overload::new("int64_to_string", "(int) -> string"),
            Overload::new("timestamp_to_string", "(timestamp) -> string"),
            Overload::new("uint64_to_string", "(uint) -> string"),
        ],
        note: "The text of a value.",
        examples: &[("string(1.5)", "\"1.5\""), ("string(duration('1m'))", "\"60s\"")],
    },
    Function {
        name: "timestamp",
        overloads: &[
            Overload::new("timestamp_to_timestamp", "(timestamp) -> timestamp"),
            Overload::new("int64_to_timestamp", "(int) -> timestamp"),
            Overload::new("string_to_timestamp", "(string) -> timestamp"),
        ],
        note: "A point in time, of RFC 3339 text or seconds since 1970.",
        examples: &[("timestamp('2024-02-29T12:30:45Z') == timestamp(1709209845)", "true")],
    },
    Function {
        name: "uint",
        overloads: &[
            Overload::new("uint64_to_uint64", "(uint) -> uint"),
            Overload::new("double_to_uint64", "(double) -> uint"),
            Overload::new("int64_to_uint64", "(int) -> uint"),
            Overload::new("string_to_uint64", "(string) -> uint"),
        ],
        note: "A whole number without a sign.",
        examples: &[("uint('3') + 1u", "4")],
    },
];
