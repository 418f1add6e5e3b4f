//! What regular expressions find (cel-go: `ext/regex.go`).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "regex.extract",
        overloads: &[Overload::new(
            "regex_extract_string_string",
            "(string, string) -> optional_type(string)",
        )],
        note: "What a regular expression fits first, or its group, as an optional value.",
        examples: &[("regex.extract('foo123', '[0-9]+').value()", "\"123\"")],
    },
    Function {
        name: "regex.extractAll",
        overloads: &[Overload::new("regex_extractAll_string_string", "(string, string) -> list(string)")],
        note: "All that a regular expression fits, or its group each time.",
        examples: &[("regex.extractAll('a1b2', '[0-9]')", "[\"1\",\"2\"]")],
    },
    Function {
        name: "regex.replace",
        overloads: &[
            Overload::new("regex_replace_string_string_string", "(string, string, string) -> string"),
            Overload::new(
                "regex_replace_string_string_string_int",
                "(string, string, string, int) -> string",
            ),
        ],
        note: "The text with what a regular expression fits replaced; `\\\\1` is the first group.",
        examples: &[("regex.replace('abab', '(a)(b)', r'\\2\\1')", "\"baba\"")],
    },
];
