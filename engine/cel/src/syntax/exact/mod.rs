//! The parser of texts with errors: goes through the grammar as the original's generated parser does, so that it finds the same
//! errors, in the same words, and goes on behind them at the same places.
//!
//! In: a text and its tokens. Out: all its problems, in the order in which the original finds them; or its tree, should there
//! be none.

mod configs;
mod contexts;
mod grammar;
mod kinds;
mod known;
mod network;
mod predict;
mod recover;
mod stream;
mod visit;
mod walk;

use super::Options;
use super::build::Builder;
use super::lex::Lexed;
use crate::ast::Ast;
use crate::issue::Issue;
use stream::Stream;
use walk::Walk;

/// Parses a text as the original does, errors included.
pub(super) fn parse(source: &str, lexed: &Lexed, options: &Options<'_>) -> Result<Ast, Vec<Issue>> {
    let mut walk = Walk::new(Stream::new(source, lexed));
    let is_stopped = walk.run().is_err();
    let Walk { mut issues, trees, stream, predictor, .. } = walk;
    predictor.give_back();
    if is_stopped {
        return Err(issues);
    }
    let mut builder = Builder::new(options, lexed.tokens.len());
    let root = visit::visit(&trees, &stream, issues.len(), &mut builder);
    if let Some(root) = root.filter(|_| issues.is_empty()) {
        return builder.finish(root);
    }
    issues.append(&mut builder.issues);
    Err(issues)
}
