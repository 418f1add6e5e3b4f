//! Bools, conditions and equality.

use crate::function::{Function, Overload, noted, shown};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_?_:_",
        overloads: &[Overload::new("conditional", "(bool, A, A) -> A")],
        note: noted("One of two values, by a condition; the other is not evaluated."),
        examples: shown(&[("1 < 2 ? 'a' : 'b'", "\"a\"")]),
    },
    Function {
        name: "_&&_",
        overloads: &[Overload::new("logical_and", "(bool, bool) -> bool")],
        note: noted("Whether both are true; false as soon as one is, even if another fails."),
        examples: shown(&[("true && false", "false"), ("1 / 0 == 1 && false", "false")]),
    },
    Function {
        name: "_||_",
        overloads: &[Overload::new("logical_or", "(bool, bool) -> bool")],
        note: noted("Whether one is true, even if another fails."),
        examples: shown(&[("false || true", "true"), ("1 / 0 == 1 || true", "true")]),
    },
    Function {
        name: "!_",
        overloads: &[Overload::new("logical_not", "(bool) -> bool")],
        note: noted("The opposite of a bool."),
        examples: shown(&[("!true", "false")]),
    },
    Function {
        name: "@not_strictly_false",
        overloads: &[Overload::new("not_strictly_false", "(bool) -> bool")],
        note: noted("The condition under which `all` and `exists` go on: true for an error too."),
        examples: &[],
    },
    Function {
        name: "_==_",
        overloads: &[Overload::new("equals", "(A, A) -> bool")],
        note: noted("Whether two values are equal; numbers of different types are compared as numbers."),
        examples: shown(&[("[1, 2] == [1, 2]", "true"), ("dyn(1) == 1.0", "true")]),
    },
    Function {
        name: "_!=_",
        overloads: &[Overload::new("not_equals", "(A, A) -> bool")],
        note: noted("Whether two values are not equal."),
        examples: shown(&[("'a' != 'b'", "true")]),
    },
];
