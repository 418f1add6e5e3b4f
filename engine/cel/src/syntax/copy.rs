//! Copies a part of the tree: macros may use a part twice, and each place has nodes of its own (`exprHelper.Copy`).

use super::build::{Builder, Span};
use crate::ast::{Comprehension, Entry, Expr, ExprId, Field, Node, Origin};
use engine_json::arrange::Arrange as _;

impl Builder<'_> {
    /// A copy of the part below `root`. Nodes keep their places; entries and fields stand at the macro, as in the original.
    pub(super) fn copy(&mut self, root: ExprId, macro_at: u32) -> ExprId {
        let found = self.below(root);
        let first = self.nodes.len();
        let copied =
            |id: ExprId| found.binary_search(&id).map_or(id, |place| ExprId::from_index(first + place));
        for &id in &found {
            let Some(Node { expr, at, start, end }) = self.node(id).cloned() else { continue };
            if self.known(id).is_none() {
                self.unspecified(Span { at, start, end });
                continue;
            }
            self.ids += entries(&expr);
            self.add(renumbered(expr, &copied, macro_at), Span { at, start, end });
        }
        copied(root)
    }

    /// All nodes of a part, ascending: a node stands behind those it is made of, so each can be copied in this order.
    fn below(&self, root: ExprId) -> Vec<ExprId> {
        let mut found = vec![root];
        let mut next = 0;
        while let Some(&id) = found.get(next) {
            if let Some(node) = self.node(id) {
                parts(&node.expr, &mut found);
            }
            next += 1;
        }
        found.arrange();
        found.dedup();
        found
    }
}

/// The entries and fields, which have ids of their own in the original.
fn entries(expr: &Expr) -> u32 {
    let count = match expr {
        Expr::Map(entries) => entries.len(),
        Expr::Struct { fields, .. } => fields.len(),
        _ => 0,
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Adds the nodes that an expression is made of.
fn parts(expr: &Expr, found: &mut Vec<ExprId>) {
    match expr {
        Expr::Literal(_) | Expr::Ident(_) => {}
        Expr::Select { operand, .. } => found.push(*operand),
        Expr::Call { target, args, .. } => {
            found.extend(target);
            found.extend(args);
        }
        Expr::List { elements, .. } => found.extend(elements),
        Expr::Map(entries) => found.extend(entries.iter().flat_map(|entry| [entry.key, entry.value])),
        Expr::Struct { fields, .. } => found.extend(fields.iter().map(|field| field.value)),
        Expr::Comprehension(fold) => {
            found.extend([fold.range, fold.init, fold.condition, fold.step, fold.result]);
        }
    }
}

/// The expression with other ids for its parts, and another place for its entries.
fn renumbered(expr: Expr, new: &dyn Fn(ExprId) -> ExprId, at: u32) -> Expr {
    let all = |ids: Box<[ExprId]>| ids.iter().map(|&id| new(id)).collect();
    match expr {
        Expr::Literal(_) | Expr::Ident(_) => expr,
        Expr::Select { operand, field, test } => Expr::Select { operand: new(operand), field, test },
        Expr::Call { function, target, args } => {
            Expr::Call { function, target: target.map(new), args: all(args) }
        }
        Expr::List { elements, optional } => Expr::List { elements: all(elements), optional },
        Expr::Map(entries) => {
            let entry =
                |entry: &Entry| Entry { key: new(entry.key), value: new(entry.value), at, ..entry.clone() };
            Expr::Map(entries.iter().map(entry).collect())
        }
        Expr::Struct { name, fields } => {
            let field = |field: &Field| Field { value: new(field.value), at, ..field.clone() };
            Expr::Struct { name, fields: fields.iter().map(field).collect() }
        }
        Expr::Comprehension(fold) => Expr::Comprehension(Box::new(Comprehension {
            range: new(fold.range),
            init: new(fold.init),
            condition: new(fold.condition),
            step: new(fold.step),
            result: new(fold.result),
            origin: origin(&fold.origin, new),
            ..*fold
        })),
    }
}

fn origin(origin: &Origin, new: &dyn Fn(ExprId) -> ExprId) -> Origin {
    match *origin {
        Origin::All(predicate) => Origin::All(new(predicate)),
        Origin::Exists(predicate) => Origin::Exists(new(predicate)),
        Origin::ExistsOne(predicate) => Origin::ExistsOne(new(predicate)),
        Origin::Filter(predicate) => Origin::Filter(new(predicate)),
        Origin::Map { predicate, transform } => {
            Origin::Map { predicate: predicate.map(new), transform: new(transform) }
        }
        Origin::TransformMap { predicate, transform } => {
            Origin::TransformMap { predicate: predicate.map(new), transform: new(transform) }
        }
        Origin::TransformMapEntry { predicate, transform } => {
            Origin::TransformMapEntry { predicate: predicate.map(new), transform: new(transform) }
        }
        Origin::Bind { value, body } => Origin::Bind { value: new(value), body: new(body) },
    }
}
