//! Makes the tree: both parsers call the same functions here, in the order in which cel-go visits the text.
//!
//! In: the parts of an expression. Out: nodes, and the problems that are not syntax errors: literals without a value, reserved
//! names, macros with wrong arguments (`parser/parser.go`, `parser/helper.go`).

use super::macros::{self, Call};
use super::{Options, literal};
use crate::ast::{Ast, Entry, Expr, ExprId, Field, Literal, Node};
use crate::issue::Issue;
use crate::operators;
use engine_json::Str;

/// cel-go expands no macro in an expression with more nodes than this (`maxExpressionNodeCount`).
pub(super) const MAX_NODES: u32 = 100_000;

/// Names that are tokens in other languages; a variable or function may not have them (`reservedIds`).
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "namespace",
    "package",
    "return",
    "var",
    "void",
    "while",
];

/// Where a node stands: what cel-go points at, and the text it was made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) at: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A part of the tree with the text that it was written as, parentheses included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) id: ExprId,
    pub(super) start: u32,
    pub(super) end: u32,
    /// How many of the nodes that count for cel-go's limit of depth lie on the longest way down.
    pub(super) height: u32,
}

/// The tree as far as it is made.
pub(super) struct Builder<'p> {
    pub(super) options: &'p Options<'p>,
    pub(super) issues: Vec<Issue>,
    pub(super) nodes: Vec<Node>,
    /// The nodes that stand for what could not be made.
    unspecified: Vec<ExprId>,
    /// The ids that cel-go has given so far: nodes, entries, operators.
    pub(super) ids: u32,
}

impl<'p> Builder<'p> {
    pub(super) fn new(options: &'p Options<'p>, capacity: usize) -> Self {
        let nodes = Vec::with_capacity(capacity);
        Builder { options, issues: Vec::new(), nodes, unspecified: Vec::new(), ids: 0 }
    }

    /// The tree, or what was found.
    pub(super) fn finish(self, root: ExprId) -> Result<Ast, Vec<Issue>> {
        if self.issues.is_empty() { Ok(Ast::new(self.nodes, root)) } else { Err(self.issues) }
    }

    pub(super) fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        let id = ExprId::from_index(self.nodes.len());
        self.nodes.push(Node { expr, at: span.at, start: span.start, end: span.end });
        self.ids += 1;
        id
    }

    pub(super) fn node(&self, id: ExprId) -> Option<&Node> {
        self.nodes.get(id.index())
    }

    /// The node of an id, if it is not one that stands for an error.
    pub(super) fn known(&self, id: ExprId) -> Option<&Expr> {
        if self.unspecified.contains(&id) { None } else { self.node(id).map(|node| &node.expr) }
    }

    /// A node for what could not be made.
    pub(super) fn unspecified(&mut self, span: Span) -> ExprId {
        let id = self.add(Expr::Literal(Literal::Null), span);
        self.unspecified.push(id);
        id
    }

    /// Reports a problem and stands in for the node.
    pub(super) fn report(&mut self, span: Span, message: impl Into<String>) -> ExprId {
        self.issues.push(Issue::at(span.at, message));
        self.unspecified(span)
    }

    pub(super) fn literal(&mut self, value: Result<Literal, &'static str>, span: Span) -> ExprId {
        match value {
            Ok(value) => self.add(Expr::Literal(value), span),
            Err(message) => self.report(span, message),
        }
    }

    pub(super) fn string(&mut self, text: &str, span: Span) -> ExprId {
        let value = literal::string(text).map(Literal::String);
        self.quoted(value, Literal::String(Str::default()), span)
    }

    pub(super) fn bytes(&mut self, text: &str, span: Span) -> ExprId {
        let value = literal::bytes(text.get(1..).unwrap_or_default()).map(Literal::Bytes);
        self.quoted(value, Literal::Bytes(Box::default()), span)
    }

    /// A string stays a string when its escapes are wrong.
    fn quoted(&mut self, value: Result<Literal, &'static str>, instead: Literal, span: Span) -> ExprId {
        let value = value.unwrap_or_else(|message| {
            self.issues.push(Issue::at(span.at, message));
            self.ids += 1;
            instead
        });
        self.add(Expr::Literal(value), span)
    }

    /// A variable; `name` has the leading dot, if there is one. The node points at the word itself.
    pub(super) fn ident(&mut self, name: &str, span: Span) -> ExprId {
        match reserved(name) {
            Some(word) => self.report(Span { at: span.start, ..span }, reserved_text(word)),
            None => self.add(Expr::Ident(Str::from(name)), span),
        }
    }

    pub(super) fn select(&mut self, operand: ExprId, field: &str, span: Span) -> ExprId {
        self.add(Expr::Select { operand, field: Str::from(field), test: false }, span)
    }

    /// `operand.?field`: a call with the name of the field as its second argument.
    pub(super) fn optional_select(&mut self, operand: ExprId, field: &str, name: Span, span: Span) -> ExprId {
        if !self.options.optional_syntax {
            return self.report(span, "unsupported syntax '.?'");
        }
        let field = self.add(Expr::Literal(Literal::String(Str::from(field))), name);
        self.operator(operators::OPTIONAL_SELECT, &[operand, field], span)
    }

    pub(super) fn index(&mut self, operand: ExprId, index: ExprId, optional: Optional, span: Span) -> ExprId {
        match optional {
            Optional::No => self.operator(operators::INDEX, &[operand, index], span),
            Optional::Yes if self.options.optional_syntax => {
                self.operator(operators::OPTIONAL_INDEX, &[operand, index], span)
            }
            Optional::Yes => self.report(span, "unsupported syntax '[?'"),
        }
    }

    pub(super) fn operator(&mut self, name: &'static str, args: &[ExprId], span: Span) -> ExprId {
        self.add(Expr::Call { function: Str::new_static(name), target: None, args: args.into() }, span)
    }

    /// `name(args)` or `target.name(args)`, expanded if it is a macro.
    pub(super) fn call(&mut self, name: &str, target: Option<ExprId>, args: &[ExprId], span: Span) -> ExprId {
        if let Some(expanded) = self.expand(&Call { name, target, args, span }) {
            return expanded;
        }
        self.add(Expr::Call { function: Str::from(name), target, args: args.into() }, span)
    }

    /// Expands a call that is a macro (`expandMacro`). The call itself has an id that is not used in that case.
    fn expand(&mut self, call: &Call<'_>) -> Option<ExprId> {
        let found = macros::find(self.options.macros, call)?;
        self.ids += 1;
        let too_many = |call: &Call<'_>| {
            let limit = format!("expression count exceeds limit of {MAX_NODES}");
            format!("{limit} while expanding macro '{}'", call.name)
        };
        if self.ids > MAX_NODES {
            return Some(self.report(call.span, too_many(call)));
        }
        let expanded = found.expand(self, call);
        if self.ids > MAX_NODES {
            return Some(self.report(call.span, too_many(call)));
        }
        match expanded {
            Ok(Some(expanded)) => Some(expanded),
            Ok(None) => {
                self.ids -= 1;
                None
            }
            Err(issue) => {
                let at = issue.at.unwrap_or(call.span.at);
                self.issues.push(issue);
                Some(self.unspecified(Span { at, ..call.span }))
            }
        }
    }

    /// `a && b && c`, as the balanced tree that cel-go makes of it (`logicManager.balancedTree`).
    pub(super) fn balanced(&mut self, name: &'static str, terms: &[Piece], ops: &[u32]) -> Option<Piece> {
        let (&only, rest) = terms.split_first()?;
        if rest.is_empty() {
            return Some(only);
        }
        let middle = ops.len() / 2;
        let (first, last) = terms.split_at_checked(middle + 1)?;
        let (before, after) = ops.split_at_checked(middle)?;
        let (&at, after) = after.split_first()?;
        let left = self.balanced(name, first, before)?;
        let right = self.balanced(name, last, after)?;
        let (start, end) = (left.start, right.end);
        let id = self.operator(name, &[left.id, right.id], Span { at, start, end });
        Some(Piece { id, start, end, height: left.height.max(right.height) })
    }

    pub(super) fn list(&mut self, elements: &[ExprId], optional: &[u32], span: Span) -> ExprId {
        self.add(Expr::List { elements: elements.into(), optional: optional.into() }, span)
    }

    pub(super) fn map(&mut self, entries: Vec<Entry>, span: Span) -> ExprId {
        self.ids += u32::try_from(entries.len()).unwrap_or(u32::MAX);
        self.add(Expr::Map(entries.into()), span)
    }

    pub(super) fn structure(&mut self, name: Str, fields: Vec<Field>, span: Span) -> ExprId {
        self.ids += u32::try_from(fields.len()).unwrap_or(u32::MAX);
        self.add(Expr::Struct { name, fields: fields.into() }, span)
    }
}

/// Whether a part was written with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Optional {
    Yes,
    No,
}

/// The word of a name that nothing may have, without its leading dot.
pub(super) fn reserved(name: &str) -> Option<&str> {
    let word = name.trim_start_matches('.');
    RESERVED.contains(&word).then_some(word)
}

pub(super) fn reserved_text(word: &str) -> String {
    format!("reserved identifier: {word}")
}
