//! Sums, differences, products, quotients.

use crate::cost;
use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_+_",
        overloads: &[
            Overload::new("add_bytes", "(bytes, bytes) -> bytes").cost(cost::SUM),
            Overload::new("add_double", "(double, double) -> double"),
            Overload::new("add_duration_duration", "(duration, duration) -> duration"),
            Overload::new("add_duration_timestamp", "(duration, timestamp) -> timestamp"),
            Overload::new("add_timestamp_duration", "(timestamp, duration) -> timestamp"),
            Overload::new("add_int64", "(int, int) -> int"),
            Overload::new("add_list", "(list(A), list(A)) -> list(A)"),
            Overload::new("add_string", "(string, string) -> string").cost(cost::SUM),
            Overload::new("add_uint64", "(uint, uint) -> uint"),
        ],
        note: "The sum of numbers, durations and times; strings, bytes and lists put together.",
        examples: &[("1 + 2", "3"), ("'a' + 'b'", "\"ab\""), ("[1] + [2]", "[1,2]")],
    },
    Function {
        name: "_/_",
        overloads: &[
            Overload::new("divide_double", "(double, double) -> double"),
            Overload::new("divide_int64", "(int, int) -> int"),
            Overload::new("divide_uint64", "(uint, uint) -> uint"),
        ],
        note: "The quotient; of whole numbers without the rest.",
        examples: &[("7 / 2", "3"), ("7.0 / 2.0", "3.5")],
    },
    Function {
        name: "_%_",
        overloads: &[
            Overload::new("modulo_int64", "(int, int) -> int"),
            Overload::new("modulo_uint64", "(uint, uint) -> uint"),
        ],
        note: "The rest of a division of whole numbers, with the sign of the first.",
        examples: &[("-7 % 3", "-1")],
    },
    Function {
        name: "_*_",
        overloads: &[
            Overload::new("multiply_double", "(double, double) -> double"),
            Overload::new("multiply_int64", "(int, int) -> int"),
            Overload::new("multiply_uint64", "(uint, uint) -> uint"),
        ],
        note: "The product.",
        examples: &[("3 * 4", "12")],
    },
    Function {
        name: "-_",
        overloads: &[
            Overload::new("negate_double", "(double) -> double"),
            Overload::new("negate_int64", "(int) -> int"),
        ],
        note: "The number with the other sign.",
        examples: &[("-(5)", "-5")],
    },
    Function {
        name: "_-_",
        overloads: &[
            Overload::new("subtract_double", "(double, double) -> double"),
            Overload::new("subtract_duration_duration", "(duration, duration) -> duration"),
            Overload::new("subtract_int64", "(int, int) -> int"),
            Overload::new("subtract_timestamp_duration", "(timestamp, duration) -> timestamp"),
            Overload::new("subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration"),
            Overload::new("subtract_uint64", "(uint, uint) -> uint"),
        ],
        note: "The difference of numbers, durations and times.",
        examples: &[("3 - 5", "-2"), ("duration('1h') - duration('1m')", "\"3540s\"")],
    },
];
