//! What strings are asked.

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "contains",
        overloads: &[Overload::new("contains_string", "string.(string) -> bool")],
        note: "Whether the text has the other within it.",
        examples: &[("'abc'.contains('b')", "true")],
    },
    Function {
        name: "endsWith",
        overloads: &[Overload::new("ends_with_string", "string.(string) -> bool")],
        note: "Whether the text ends with the other.",
        examples: &[("'abc'.endsWith('bc')", "true")],
    },
    Function {
        name: "startsWith",
        overloads: &[Overload::new("starts_with_string", "string.(string) -> bool")],
        note: "Whether the text begins with the other.",
        examples: &[("'abc'.startsWith('ab')", "true")],
    },
    Function {
        name: "matches",
        overloads: &[
            Overload::new("matches", "(string, string) -> bool"),
            Overload::new("matches_string", "string.(string) -> bool"),
        ],
        note: "Whether a regular expression (RE2) fits some part of the text.",
        examples: &[("'web-1'.matches('^web-[0-9]+$')", "true")],
    },
];
