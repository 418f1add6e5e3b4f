//! Numbers rounded and asked (cel-go: `ext/math.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.abs",
        overloads: &[
            Overload::new("math_abs_double", "(double) -> double"),
            Overload::new("math_abs_int", "(int) -> int"),
            Overload::new("math_abs_uint", "(uint) -> uint"),
        ],
        note: "The number without its sign.",
        examples: &[("math.abs(-1.5)", "1.5")],
    },
    Function {
        name: "math.ceil",
        overloads: &[Overload::new("math_ceil_double", "(double) -> double")],
        note: "The next whole number above.",
        examples: &[("math.ceil(1.2)", "2.0")],
    },
    Function {
        name: "math.floor",
        overloads: &[Overload::new("math_floor_double", "(double) -> double")],
        note: "The next whole number below.",
        examples: &[("math.floor(-1.2)", "-2.0")],
    },
    Function {
        name: "math.isFinite",
        overloads: &[Overload::new("math_isFinite_double", "(double) -> bool")],
        note: "Whether it is a number and not infinite.",
        examples: &[("math.isFinite(1.0)", "true")],
    },
    Function {
        name: "math.isInf",
        overloads: &[Overload::new("math_isInf_double", "(double) -> bool")],
        note: "Whether it is infinite.",
        examples: &[("math.isInf(1.0 / 0.0)", "true")],
    },
    Function {
        name: "math.isNaN",
        overloads: &[Overload::new("math_isNaN_double", "(double) -> bool")],
        note: "Whether it is not a number.",
        examples: &[("math.isNaN(0.0 / 0.0)", "true")],
    },
    Function {
        name: "math.round",
        overloads: &[Overload::new("math_round_double", "(double) -> double")],
        note: "The nearest whole number, halves away from zero.",
        examples: &[("math.round(-2.5)", "-3.0")],
    },
    Function {
        name: "math.sign",
        overloads: &[
            Overload::new("math_sign_double", "(double) -> double"),
            Overload::new("math_sign_int", "(int) -> int"),
            Overload::new("math_sign_uint", "(uint) -> uint"),
        ],
        note: "-1, 0 or 1, in the type of the number.",
        examples: &[("math.sign(-3)", "-1")],
    },
    Function {
        name: "math.sqrt",
        overloads: &[
            Overload::new("math_sqrt_double", "(double) -> double"),
            Overload::new("math_sqrt_int", "(int) -> double"),
            Overload::new("math_sqrt_uint", "(uint) -> double"),
        ],
        note: "The square root.",
        examples: &[("math.sqrt(49)", "7.0")],
    },
    Function {
        name: "math.trunc",
        overloads: &[Overload::new("math_trunc_double", "(double) -> double")],
        note: "The number without what stands behind the point.",
        examples: &[("math.trunc(-1.9)", "-1.0")],
    },
];
