//! What an evaluation said, kept by the iteration in which it was said.
//!
//! In: the steps of an evaluation. Out: a [`Scope`] for the whole expression, and in it one for each element that a macro turned to.

use engine_cel::ast::ExprId;
use engine_cel::error::Error;
use engine_cel::trace::Trace;
use engine_cel::value::Value;
use engine_json::ordered::OrderedMap;

/// So many values of one evaluation are kept.
const MAX_VALUES: usize = 20_000;
/// Of so many elements of one macro the values are kept: the first ones, and the last, at which it may have stopped.
const MAX_ROUNDS: usize = 40;

/// The values that parts of an expression had.
#[derive(Debug, Default)]
pub(super) struct Scope<'v> {
    values: OrderedMap<ExprId, Result<Value<'v>, String>>,
    rounds: OrderedMap<ExprId, Vec<Round<'v>>>,
}

/// An element that a macro turned to.
#[derive(Debug)]
pub(super) struct Round<'v> {
    /// Its place, from 0.
    pub(super) at: usize,
    /// What was said about it.
    pub(super) scope: Scope<'v>,
}

impl<'v> Scope<'v> {
    /// The value of a node, or the words of its error; nothing where it was not evaluated.
    pub(super) fn value(&self, node: ExprId) -> Option<&Result<Value<'v>, String>> {
        self.values.get(&node)
    }

    /// The elements that a macro turned to.
    pub(super) fn rounds(&self, node: ExprId) -> &[Round<'v>] {
        self.rounds.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// Listens to an evaluation.
#[derive(Debug, Default)]
pub(super) struct Log<'v> {
    whole: Scope<'v>,
    open: Vec<(ExprId, Round<'v>)>,
    kept: usize,
}

impl<'v> Log<'v> {
    /// What was heard.
    pub(super) fn end(mut self) -> Scope<'v> {
        while let Some((node, _)) = self.open.last() {
            let node = *node;
            self.close(node);
        }
        self.whole
    }

    /// Ends the iteration of this macro, if it is the innermost.
    fn close(&mut self, node: ExprId) {
        if self.open.last().is_some_and(|(open, _)| *open == node)
            && let Some((_, round)) = self.open.pop()
        {
            let rounds = self.innermost().rounds.entry(node).or_default();
            if rounds.len() >= MAX_ROUNDS {
                rounds.pop();
            }
            rounds.push(round);
        }
    }

    fn innermost(&mut self) -> &mut Scope<'v> {
        match self.open.last_mut() {
            Some((_, round)) => &mut round.scope,
            None => &mut self.whole,
        }
    }
}

impl<'v> Trace<'v> for Log<'v> {
    fn value(&mut self, node: ExprId, value: Result<&Value<'v>, &Error>) {
        self.close(node);
        if self.kept < MAX_VALUES {
            self.kept += 1;
            let value = value.cloned().map_err(ToString::to_string);
            self.innermost().values.insert(node, value);
        }
    }

    fn decided(&mut self, _: ExprId, _: usize) {}

    fn element(&mut self, node: ExprId, at: usize) {
        self.close(node);
        self.open.push((node, Round { at, scope: Scope::default() }));
    }
}
