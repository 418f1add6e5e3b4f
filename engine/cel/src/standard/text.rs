//! Strings taken apart and put together (cel-go: `ext/strings.go`, version 2).

use crate::function::{Function, Overload};

/// The rows.
pub(super) const ROWS: &[Function] = &[
    Function {
        name: "charAt",
        overloads: &[Overload::new("string_char_at_int", "string.(int) -> string")],
        note: "The character at a place; empty at the end.",
        examples: &[("'abc'.charAt(1)", "\"b\"")],
    },
    Function {
        name: "format",
        overloads: &[Overload::new("string_format", "string.(list(dyn)) -> string")],
        note: "The text with `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` replaced by the arguments.",
        examples: &[("'%s: %d'.format(['a', 2])", "\"a: 2\"")],
    },
    Function {
        name: "indexOf",
        overloads: &[
            Overload::new("string_index_of_string", "string.(string) -> int"),
            Overload::new("string_index_of_string_int", "string.(string, int) -> int"),
        ],
        note: "The place of the first occurrence, -1 where there is none.",
        examples: &[("'tacocat'.indexOf('ac')", "1"), ("'tacocat'.indexOf('a', 3)", "5")],
    },
    Function {
        name: "join",
        overloads: &[
            Overload::new("list_join", "list(string).() -> string"),
            Overload::new("list_join_string", "list(string).(string) -> string"),
        ],
        note: "The strings of a list put together, with a separator between them.",
        examples: &[("['a', 'b'].join('-')", "\"a-b\"")],
    },
    Function {
        name: "lastIndexOf",
        overloads: &[
            Overload::new("string_last_index_of_string", "string.(string) -> int"),
            Overload::new("string_last_index_of_string_int", "string.(string, int) -> int"),
        ],
        note: "The place of the last occurrence, -1 where there is none.",
        examples: &[("'tacocat'.lastIndexOf('a')", "5")],
    },
    Function {
        name: "lowerAscii",
        overloads: &[Overload::new("string_lower_ascii", "string.() -> string")],
        note: "The text with ASCII letters in lower case.",
        examples: &[("'AbÇ'.lowerAscii()", "\"abÇ\"")],
    },
    Function {
        name: "replace",
        overloads: &[
            Overload::new("string_replace_string_string", "string.(string, string) -> string"),
            Overload::new("string_replace_string_string_int", "string.(string, string, int) -> string"),
        ],
        note: "The text with occurrences replaced; at most as many as a third argument says.",
        examples: &[("'aaa'.replace('a', 'b', 2)", "\"bba\"")],
    },
    Function {
        name: "split",
        overloads: &[
            Overload::new("string_split_string", "string.(string) -> list(string)"),
            Overload::new("string_split_string_int", "string.(string, int) -> list(string)"),
        ],
        note: "The parts between separators; at most as many as a second argument says.",
        examples: &[("'a,b,c'.split(',', 2)", "[\"a\",\"b,c\"]")],
    },
    Function {
        name: "strings.quote",
        overloads: &[Overload::new("strings_quote", "(string) -> string")],
        note: "The text in double quotes, special characters escaped.",
        examples: &[("strings.quote('a\"b')", "\"\\\"a\\\\\\\"b\\\"\"")],
    },
    Function {
        name: "substring",
        overloads: &[
            Overload::new("string_substring_int", "string.(int) -> string"),
            Overload::new("string_substring_int_int", "string.(int, int) -> string"),
        ],
        note: "The characters from a place, up to another.",
        examples: &[("'tacocat'.substring(4)", "\"cat\""), ("'tacocat'.substring(0, 4)", "\"taco\"")],
    },
    Function {
        name: "trim",
        overloads: &[Overload::new("string_trim", "string.() -> string")],
        note: "The text without white space at both ends.",
        examples: &[("' a '.trim()", "\"a\"")],
    },
    Function {
        name: "upperAscii",
        overloads: &[Overload::new("string_upper_ascii", "string.() -> string")],
        note: "The text with ASCII letters in upper case.",
        examples: &[("'abç'.upperAscii()", "\"ABç\"")],
    },
];

/// Since version 3.
pub(super) const REVERSE: &[Function] = &[Function {
    name: "reverse",
    overloads: &[Overload::new("string_reverse", "string.() -> string")],
    note: "The characters in reverse order.",
    examples: &[("'abc'.reverse()", "\"cba\"")],
}];
