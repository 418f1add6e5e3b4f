//! The least and the greatest number (cel-go: `ext/math.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "math.@max",
        overloads: &[
            Overload::new("math_@max_double", "(double) -> double"),
            Overload::new("math_@max_int", "(int) -> int"),
            Overload::new("math_@max_uint", "(uint) -> uint"),
            Overload::new("math_@max_double_double", "(double, double) -> double"),
            Overload::new("math_@max_int_int", "(int, int) -> int"),
            Overload::new("math_@max_uint_uint", "(uint, uint) -> uint"),
            Overload::new("math_@max_int_uint", "(int, uint) -> dyn"),
            Overload::new("math_@max_int_double", "(int, double) -> dyn"),
            Overload::new("math_@max_double_int", "(double, int) -> dyn"),
            Overload::new("math_@max_double_uint", "(double, uint) -> dyn"),
            Overload::new("math_@max_uint_int", "(uint, int) -> dyn"),
            Overload::new("math_@max_uint_double", "(uint, double) -> dyn"),
            Overload::new("math_@max_list_double", "(list(double)) -> double"),
            Overload::new("math_@max_list_int", "(list(int)) -> int"),
            Overload::new("math_@max_list_uint", "(list(uint)) -> uint"),
        ],
        note: "What `math.greatest` becomes: the greatest number.",
        examples: &[("math.greatest(1, 3, 2)", "3")],
    },
    Function {
        name: "math.@min",
        overloads: &[
            Overload::new("math_@min_double", "(double) -> double"),
            Overload::new("math_@min_int", "(int) -> int"),
            Overload::new("math_@min_uint", "(uint) -> uint"),
            Overload::new("math_@min_double_double", "(double, double) -> double"),
            Overload::new("math_@min_int_int", "(int, int) -> int"),
            Overload::new("math_@min_uint_uint", "(uint, uint) -> uint"),
            Overload::new("math_@min_int_uint", "(int, uint) -> dyn"),
            Overload::new("math_@min_int_double", "(int, double) -> dyn"),
            Overload::new("math_@min_double_int", "(double, int) -> dyn"),
            Overload::new("math_@min_double_uint", "(double, uint) -> dyn"),
            Overload::new("math_@min_uint_int", "(uint, int) -> dyn"),
            Overload::new("math_@min_uint_double", "(uint, double) -> dyn"),
            Overload::new("math_@min_list_double", "(list(double)) -> double"),
            Overload::new("math_@min_list_int", "(list(int)) -> int"),
            Overload::new("math_@min_list_uint", "(list(uint)) -> uint"),
        ],
        note: "What `math.least` becomes: the least number.",
        examples: &[("math.least(1, 3, 2)", "1")],
    },
];
