//! The rows of the standard library and of cel-go's extensions.
//!
//! In: nothing. Out: the functions of each library, to put an environment together. Order and overloads are those in which
//! cel-go 0.30 declares them (`common/stdlib/standard.go`, `cel/library.go`, `ext`); the checker's answers depend on it.

#![expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "functions of rows have one shape: what takes its arguments and can fail, and what does not"
)]

mod arithmetic;
mod collections;
mod comprehensions;
mod convert;
mod encoders;
mod format;
mod format_plain;
mod known;
mod lists;
pub(crate) mod literals;
mod logic;
mod math;
mod math_bits;
mod math_extremes;
mod messages;
mod optional;
mod order;
mod regex;
mod sets;
mod strings;
mod text;
mod time;
mod zones;

use crate::ast::Literal;
use crate::env::{Env, Identifier};
use crate::function::Function;
use crate::types::Type;

pub use messages::with_messages;

/// What every environment has.
pub const CORE: &[&[Function]] = &[
    logic::ROWS,
    arithmetic::ROWS,
    order::ROWS,
    collections::ROWS,
    convert::ROWS,
    strings::ROWS,
    time::ROWS,
];

/// `timestamp` as Go reads times, to be taken in the place of the row in [`CORE`].
pub const ANY_TIMESTAMP: &[Function] = convert::ANY_TIMESTAMP;

/// Optional values (cel-go: `OptionalTypes`, version 2).
pub const OPTIONAL: &[Function] = optional::ROWS;

/// Functions of strings (`ext.Strings`, version 2).
pub const STRINGS: &[Function] = text::ROWS;

/// What `ext.Strings` has since version 3.
pub const STRINGS_REVERSE: &[Function] = text::REVERSE;

/// `format` as `ext.Strings` has it since version 4, to be taken in the place of the row in [`STRINGS`].
pub const STRINGS_FORMAT: &[Function] = format_plain::ROWS;

/// Functions of lists (`ext.Lists`, version 3).
pub const LISTS: &[Function] = lists::ROWS;

/// Lists as sets (`ext.Sets`).
pub const SETS: &[Function] = sets::ROWS;

/// Functions of numbers (`ext.Math`, version 2).
pub const MATH: &[&[Function]] = &[math_extremes::ROWS, math::ROWS, math_bits::ROWS];

/// Base64 and JSON (`ext.Encoders`, version 1).
pub const ENCODERS: &[Function] = encoders::ROWS;

/// Regular expressions (`ext.Regex`).
pub const REGEX: &[Function] = regex::ROWS;

/// What the macros with two variables need (`ext.TwoVarComprehensions`).
pub const TWO_VARIABLES: &[Function] = comprehensions::ROWS;

/// The environment with the names of the standard types, which are values, and protobuf's one name for null.
// cel-go: common/stdlib/standard.go stdTypes, common/types/provider.go.
#[must_use]
pub fn with_types(env: Env) -> Env {
    let any = || Type::Dyn;
    let types = [
        ("bool", Type::Bool),
        ("bytes", Type::Bytes),
        ("double", Type::Double),
        ("duration", Type::Duration),
        ("google.protobuf.Duration", Type::Duration),
        ("google.protobuf.Timestamp", Type::Timestamp),
        ("int", Type::Int),
        ("list", Type::list(any())),
        ("map", Type::map(any(), any())),
        ("null_type", Type::Null),
        ("optional_type", Type::optional(any())),
        ("string", Type::String),
        ("timestamp", Type::Timestamp),
        ("type", Type::Type(None)),
        ("uint", Type::Uint),
    ];
    let env = types.into_iter().fold(env, |env, (name, of)| env.with_identifier(name, Identifier::Type(of)));
    let null = Identifier::Constant(Type::Int, Literal::Int(0));
    env.with_identifier("google.protobuf.NullValue.NULL_VALUE", null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;

    #[test]
    fn every_row_can_be_read_and_says_what_it_does() {
        let libraries = [CORE, MATH].concat();
        let rows = libraries.into_iter().chain([
            OPTIONAL,
            STRINGS,
            STRINGS_REVERSE,
            STRINGS_FORMAT,
            LISTS,
            SETS,
            ENCODERS,
            REGEX,
            TWO_VARIABLES,
        ]);
        let env = Env::new(rows.flatten()).unwrap();
        assert_eq!(env.function("_[_]").map(|f| f.overloads.len()), Some(4));
        for function in env.functions() {
            assert!(!function.row.note.is_empty(), "{}", function.row.name);
        }
    }
}
