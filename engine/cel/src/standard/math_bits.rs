//! Bits of whole numbers (cel-go: `ext/math.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.bitAnd",
        overloads: &[
            Overload::new("math_bitAnd_int_int", "(int, int) -> int"),
            Overload::new("math_bitAnd_uint_uint", "(uint, uint) -> uint"),
        ],
        note: "The bits set in both.",
        examples: &[("math.bitAnd(6, 3)", "2")],
    },
    Function {
        name: "math.bitNot",
        overloads: &[
            Overload::new("math_bitNot_int_int", "(int) -> int"),
            Overload::new("math_bitNot_uint_uint", "(uint) -> uint"),
        ],
        note: "The bits turned over.",
        examples: &[("math.bitNot(1)", "-2")],
    },
    Function {
        name: "math.bitOr",
        overloads: &[
            Overload::new("math_bitOr_int_int", "(int, int) -> int"),
            Overload::new("math_bitOr_uint_uint", "(uint, uint) -> uint"),
        ],
        note: "The bits set in one of the two.",
        examples: &[("math.bitOr(6, 3)", "7")],
    },
    Function {
        name: "math.bitShiftLeft",
        overloads: &[
            Overload::new("math_bitShiftLeft_int_int", "(int, int) -> int"),
            Overload::new("math_bitShiftLeft_uint_int", "(uint, int) -> uint"),
        ],
        note: "The bits moved to the left.",
        examples: &[("math.bitShiftLeft(1, 3)", "8")],
    },
    Function {
        name: "math.bitShiftRight",
        overloads: &[
            Overload::new("math_bitShiftRight_int_int", "(int, int) -> int"),
            Overload::new("math_bitShiftRight_uint_int", "(uint, int) -> uint"),
        ],
        note: "The bits moved to the right, zeros from the left.",
        examples: &[("math.bitShiftRight(8, 2)", "2")],
    },
    Function {
        name: "math.bitXor",
        overloads: &[
            Overload::new("math_bitXor_int_int", "(int, int) -> int"),
            Overload::new("math_bitXor_uint_uint", "(uint, uint) -> uint"),
        ],
        note: "The bits set in just one of the two.",
        examples: &[("math.bitXor(6, 3)", "5")],
    },
];
