//! A compiled expression: parsed once, searched with many times.
//!
//! In: `a.b || c`. Out: an [`Expression`] whose names are `a`, `b`, `c` and whose root names are `a`, `c`.

use crate::argument::Argument;
use crate::ast::Node;
use crate::eval::Evaluator;
use crate::limits::{MAKERS_FROM, WEIGH_FROM, weigh};
use crate::parse::parse_text;
use crate::registry::Runtime;
use crate::{EvalError, ParseError};
use engine_json::{Str, Value};
use std::sync::Arc;

/// A compiled expression; a clone shares it.
#[derive(Clone, Debug)]
pub struct Expression {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    text: Str,
    ast: Node,
    weighs: bool,
}

/// Compiles an expression.
pub fn parse(text: &str) -> Result<Expression, ParseError> {
    let ast = parse_text(text)?;
    let weighs = growth(&ast) > WEIGH_FROM || makers(&ast) > MAKERS_FROM;
    Ok(Expression { inner: Arc::new(Inner { text: Str::new(text), ast, weighs }) })
}

impl Expression {
    /// The text it was compiled from.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The tree.
    pub fn ast(&self) -> &Node {
        &self.inner.ast
    }

    /// The value of the expression over `root`.
    pub fn search(&self, root: &Value, runtime: &Runtime<'_>) -> Result<Value, EvalError> {
        let evaluator = Evaluator::new(*runtime, self.inner.weighs);
        evaluator.evaluate(&self.inner.ast, &Argument::Borrowed(root)).map(Argument::into_value)
    }

    /// All names that stand in the expression, in written order, those below other names too.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.inner
            .ast
            .walk()
            .filter_map(|node| if let Node::Field(name) = node { Some(name.as_str()) } else { None })
    }

    /// The names that are looked up in the document itself: of `a.b[?c]` only `a`.
    pub fn root_fields(&self) -> impl Iterator<Item = &str> {
        let mut names = Vec::new();
        self.inner.ast.root_fields(&mut names);
        names.into_iter()
    }
}

/// How many times larger than the document a result can be: the product of what each node may multiply by.
fn growth(ast: &Node) -> u64 {
    let factors = ast.walk().map(|node| match node {
        Node::MultiSelectList(nodes) => nodes.len(),
        Node::MultiSelectHash(pairs) => pairs.len(),
        Node::FunctionExpression { arguments, .. } => arguments.len(),
        // Each value projection evaluates its right side over as many nulls as there are values.
        Node::ValueProjection(..) => 2,
        // A literal may stand in for each element of a list. 16: what is as small as a container counts as one.
        Node::Literal(value) => weigh(value).map_or(usize::MAX, |weight| weight / 16),
        _ => 1,
    });
    factors.fold(1_u64, |product, factor| product.saturating_mul(factor.max(1) as u64))
}

/// How many levels deeper than document and literals a result can be: each node that makes a value adds one.
fn makers(ast: &Node) -> usize {
    let makes = |node: &&Node| {
        matches!(node, Node::MultiSelectList(_) | Node::MultiSelectHash(_) | Node::FunctionExpression { .. })
    };
    ast.walk().filter(makes).count()
}
