//! What an evaluation says about itself, for those who ask.
//!
//! In: the steps of an evaluation. Out: whatever the listener makes of them. Without a listener each step costs one test of
//! a pointer.

use crate::ast::ExprId;
use crate::error::Error;
use crate::value::Value;

/// Listens to an evaluation.
pub trait Trace<'v> {
    /// A node has this value. Within an iteration, the same node has many.
    fn value(&mut self, node: ExprId, value: Result<&Value<'v>, &Error>);

    /// The side of `&&` or `||`, the branch of `?:`, or the element of `all` and `exists` that decided, counted from 0.
    fn decided(&mut self, node: ExprId, by: usize);

    /// An iteration turns to an element, counted from 0.
    fn element(&mut self, node: ExprId, at: usize) {
        let _ = (node, at);
    }
}
