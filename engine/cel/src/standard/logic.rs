//! Bools, conditions and equality.

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "_?_:_",
        overloads: &[Overload::new("conditional", "(bool, A, A) -> A")],
        note: "One of two values, by a condition; the other is not evaluated.",
        examples: &[("1 < 2 ? 'a' : 'b'", "\"a\"")],
    },
    Function {
        name: "_&&_",
        overloads: &[Overload::new("logical_and", "(bool, bool) -> bool")],
        note: "Whether both are true; false as soon as one is, even if another fails.",
        examples: &[("true && false", "false"), ("1 / 0 == 1 && false", "false")],
    },
    Function {
        name: "_||_",
        overloads: &[Overload::new("logical_or", "(bool, bool) -> bool")],
        note: "Whether one is true, even if another fails.",
        examples: &[("false || true", "true"), ("1 / 0 == 1 || true", "true")],
    },
    Function {
        name: "!_",
        overloads: &[Overload::new("logical_not", "(bool) -> bool")],
        note: "The opposite of a bool.",
        examples: &[("!true", "false")],
    },
    Function {
        name: "@not_strictly_false",
        overloads: &[Overload::new("not_strictly_false", "(bool) -> bool")],
        note: "The condition under which `all` and `exists` go on: true for an error too.",
        examples: &[],
    },
    Function {
        name: "_==_",
        overloads: &[Overload::new("equals", "(A, A) -> bool")],
        note: "Whether two values are equal; numbers of different types are compared as numbers.",
        examples: &[("[1, 2] == [1, 2]", "true"), ("dyn(1) == 1.0", "true")],
    },
    Function {
        name: "_!=_",
        overloads: &[Overload::new("not_equals", "(A, A) -> bool")],
        note: "Whether two values are not equal.",
        examples: &[("'a' != 'b'", "true")],
    },
];
