//! An expression made ready to be evaluated.
//!
//! In: a tree, what the checker found, the environment, and which variables there will be. Out: a [`Program`]: a compact
//! list of steps in which names are places, overloads are chosen where they are known, constants are folded, regular
//! expressions are read and constant lists behind `in` are sorted. It is made once and evaluated often, from any thread.

mod build;
mod calls;
mod constants;
mod dispatch;
mod folds;
mod names;
mod node;

pub(crate) use dispatch::{invoke, no_overload_of};
pub(crate) use node::{
    Attribute, Callee, Candidate, Constant, Fold, FoldKind, Key, KindOf, Near, Node, Operation, Qualifier,
    Question, Relation, Root, Set, Side,
};

use crate::ast::{Ast, ExprId};
use crate::check::Checked;
use crate::env::Env;
use crate::error::Error;
use engine_json::Str;
use engine_values::re2::Regex;
use std::sync::Arc;

/// How a program is made.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The names of the variables; the place of each is that of its binding.
    pub variables: &'o [Str],
    /// Whether constants are folded as cel-go's `OptOptimize` does: conversions of constants and regular expressions that
    /// fail are errors of the program then, and not of the evaluation.
    pub fold: bool,
}

/// An expression made ready to be evaluated.
#[derive(Debug)]
pub struct Program {
    pub(crate) nodes: Vec<Node>,
    /// The node of the tree for each node here.
    pub(crate) places: Vec<ExprId>,
    pub(crate) root: u32,
    pub(crate) constants: Vec<Constant>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) folds: Vec<Fold>,
    pub(crate) callees: Vec<Callee>,
    pub(crate) sets: Vec<Set>,
    pub(crate) args: Vec<u32>,
    pub(crate) names: Vec<Str>,
    pub(crate) regexes: Vec<(Str, Arc<Regex>)>,
    /// How many variables comprehensions need at once.
    pub(crate) locals: u16,
    /// See [`Env::refuses_other_keys`].
    pub(crate) refuses_other_keys: bool,
}

impl Program {
    /// Makes a program.
    ///
    /// # Errors
    /// What cel-go says when it constructs the program: a constant that cannot be converted, a regular expression that cannot
    /// be read, a name that stands for no value.
    pub fn new(
        ast: &Ast,
        checked: Option<&Checked>,
        env: &Env,
        options: &Options<'_>,
    ) -> Result<Self, Box<Error>> {
        build::build(ast, checked, env, options)
    }

    /// The constant that the whole expression is, where it is one.
    pub fn constant(&self) -> Option<crate::value::Value<'_>> {
        let Some(Node::Const(at)) = self.nodes.get(self.root as usize) else { return None };
        self.constants.get(*at as usize).map(Constant::value)
    }

    /// How many bytes the program takes, about.
    pub fn weight(&self) -> usize {
        use std::mem::size_of;
        self.nodes.len() * (size_of::<Node>() + size_of::<ExprId>())
            + self.constants.len() * size_of::<Constant>()
            + self
                .attributes
                .iter()
                .map(|a| size_of::<Attribute>() + a.qualifiers.len() * size_of::<Qualifier>())
                .sum::<usize>()
            + self
                .callees
                .iter()
                .map(|c| size_of::<Callee>() + c.candidates.len() * size_of::<Candidate>())
                .sum::<usize>()
            + self.folds.len() * size_of::<Fold>()
            + self.args.len() * 4
            + self.regexes.iter().map(|(_, regex)| regex.weight()).sum::<usize>()
    }
}
