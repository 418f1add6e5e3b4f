//! From text to tree, and back.
//!
//! In: the text of an expression and which macros there are. Out: its tree, or all that is wrong with it, word for word as
//! cel-go says it. There are two parsers over one lexer: one for correct texts, and, where that one refuses, one that goes
//! through the grammar as the original's does and finds as many errors.

mod build;
mod copy;
mod exact;
mod fast;
mod lex;
mod literal;
mod macros;
mod token;
mod unparse;

pub use macros::{BINDINGS, LISTS, MATH, Macro, OPTIONAL, PROTOS, STANDARD, TWO_VARIABLES};
pub use unparse::print;

use crate::ast::Ast;
use crate::issue::Issue;
use build::Builder;

/// The longest expression in code points (`expressionSizeCodePointLimit`).
pub const MAX_CODE_POINTS: usize = 100_000;

/// How deep the rules of the grammar and the nodes of the tree may be nested (`maxRecursionDepth`).
pub const MAX_DEPTH: u32 = 250;

/// What the environment says about the syntax.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The macros, library by library.
    pub macros: &'o [&'o [Macro]],
    /// Whether `a.?b`, `a[?b]`, `[?a]` and `{?a: b}` are allowed.
    pub optional_syntax: bool,
}

/// Parses an expression.
///
/// # Errors
/// All that is wrong with the text, in the order in which the original finds it; [`crate::report::render`] prints it.
pub fn parse(source: &str, options: &Options<'_>) -> Result<Ast, Vec<Issue>> {
    if source.len() > MAX_CODE_POINTS {
        let size = source.chars().count();
        if size > MAX_CODE_POINTS {
            let limit = format!("size: {size}, limit {MAX_CODE_POINTS}");
            return Err(vec![Issue::nowhere(format!("expression code point size exceeds limit: {limit}"))]);
        }
    }
    let lexed = lex::lex(source);
    if lexed.bad.is_empty() {
        let mut builder = Builder::new(options, lexed.tokens.len());
        if let Ok(root) = fast::parse(source, &lexed.tokens, &mut builder) {
            return builder.finish(root);
        }
    }
    exact::parse(source, &lexed, options)
}

#[cfg(test)]
mod tests;
