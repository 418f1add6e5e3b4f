//! Places in the tree of an expression: the node at a byte, the macros around it, and which field of the object it stands for.
//!
//! In: a tree. Out: nodes, and paths of fields in which `[]` is an element of a list.

use engine_cel::ast::{Ast, Comprehension, Expr, ExprId, Literal, Origin};
use engine_cel::operators as op;
use engine_json::Str;

/// How deep trees are followed; the parser allows no more.
const MAX_DEPTH: usize = 300;

/// The nodes on the way from the whole expression to a node, both included.
pub(super) fn way(ast: &Ast, to: ExprId) -> Vec<ExprId> {
    let mut way = Vec::new();
    if follow(ast, ast.root(), to, &mut way) { way } else { Vec::new() }
}

fn follow(ast: &Ast, at: ExprId, to: ExprId, way: &mut Vec<ExprId>) -> bool {
    way.push(at);
    if at == to || (way.len() < MAX_DEPTH && below(ast, at).into_iter().any(|id| follow(ast, id, to, way))) {
        return true;
    }
    way.pop();
    false
}

/// The parts of a node that are written in the expression: of a macro, not what it is replaced with.
pub(super) fn below(ast: &Ast, id: ExprId) -> Vec<ExprId> {
    match ast.expr(id) {
        Expr::Literal(_) | Expr::Ident(_) => Vec::new(),
        Expr::Select { operand, .. } => vec![*operand],
        Expr::Call { target, args, .. } => target.iter().chain(args.iter()).copied().collect(),
        Expr::List { elements, .. } => elements.to_vec(),
        Expr::Map(entries) => entries.iter().flat_map(|entry| [entry.key, entry.value]).collect(),
        Expr::Struct { fields, .. } => fields.iter().map(|field| field.value).collect(),
        Expr::Comprehension(fold) => {
            let mut parts = match fold.origin {
                Origin::Bind { value, body } => vec![value, body],
                _ => vec![fold.range],
            };
            parts.extend(asked(&fold.origin));
            parts
        }
    }
}

/// The parts of a macro that are evaluated for each element.
pub(super) fn asked(origin: &Origin) -> Vec<ExprId> {
    match *origin {
        Origin::All(part) | Origin::Exists(part) | Origin::ExistsOne(part) | Origin::Filter(part) => {
            vec![part]
        }
        Origin::Map { predicate, transform }
        | Origin::TransformMap { predicate, transform }
        | Origin::TransformMapEntry { predicate, transform } => {
            predicate.into_iter().chain([transform]).collect()
        }
        Origin::Bind { .. } => Vec::new(),
    }
}

/// All nodes that are written, outer ones before those in them.
pub(super) fn all(ast: &Ast) -> Vec<ExprId> {
    let (mut open, mut found) = (vec![ast.root()], Vec::new());
    while let Some(id) = open.pop() {
        found.push(id);
        open.extend(below(ast, id).into_iter().rev());
    }
    found
}

/// The smallest node around a stretch.
pub(super) fn smallest(ast: &Ast, from: usize, to: usize) -> Option<ExprId> {
    let width = |id: &ExprId| {
        let node = ast.node(*id);
        (node.end - node.start, std::cmp::Reverse(id.index()))
    };
    let holds = |id: &ExprId| {
        let node = ast.node(*id);
        node.start as usize <= from && to <= node.end as usize
    };
    all(ast).into_iter().filter(holds).min_by_key(width)
}

/// The macros on a way whose elements the node at its end is evaluated for, outermost first, each by its node.
pub(super) fn folds<'a>(ast: &'a Ast, way: &[ExprId]) -> Vec<(ExprId, &'a Comprehension)> {
    let pairs = way.iter().zip(way.iter().skip(1));
    let found = pairs.filter_map(|(at, next)| match ast.expr(*at) {
        Expr::Comprehension(fold) => {
            let is_inside = match fold.origin {
                Origin::Bind { body, .. } => body == *next,
                _ => asked(&fold.origin).contains(next),
            };
            is_inside.then_some((*at, &**fold))
        }
        _ => None,
    });
    found.collect()
}

/// Which field of the object a node stands for: the way to it, in which `[]` is an element; nothing where it is none.
pub(super) fn field_path(
    ast: &Ast,
    id: ExprId,
    folds: &[(ExprId, &Comprehension)],
    variables: &dyn Fn(&str) -> Option<Vec<Str>>,
) -> Option<Vec<Str>> {
    Fields { ast, variables }.of(id, folds, 0)
}

struct Fields<'a> {
    ast: &'a Ast,
    variables: &'a dyn Fn(&str) -> Option<Vec<Str>>,
}

/// An element of a list.
const ELEMENT: Str = Str::new_static("[]");

impl Fields<'_> {
    fn of(&self, id: ExprId, folds: &[(ExprId, &Comprehension)], depth: usize) -> Option<Vec<Str>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let next = |id: ExprId| self.of(id, folds, depth + 1);
        match self.ast.expr(id) {
            Expr::Ident(name) => self.named(name, folds, depth),
            Expr::Select { operand, field, test: false } => {
                if let Expr::Ident(name) = self.ast.expr(*operand) {
                    match (name.as_str(), field.as_str()) {
                        ("request", "object" | "oldObject") => return Some(Vec::new()),
                        ("variables", name) => return (self.variables)(name),
                        _ => {}
                    }
                }
                Some(joined(next(*operand)?, field.clone()))
            }
            Expr::Call { function, target, args } => match (function.as_str(), target, &**args) {
                (op::INDEX | op::OPTIONAL_INDEX | op::OPTIONAL_SELECT, None, [of, key]) => {
                    match self.ast.expr(*key) {
                        Expr::Literal(Literal::String(key)) => Some(joined(next(*of)?, key.clone())),
                        Expr::Literal(Literal::Int(_)) => Some(joined(next(*of)?, ELEMENT)),
                        _ => None,
                    }
                }
                ("orValue" | "value" | "or" | "filter" | "distinct" | "reverse" | "slice", Some(of), _)
                | ("__orValueCompat__" | "dyn", None, [of, ..]) => next(*of),
                ("first" | "last", Some(of), _) => Some(joined(next(*of)?, ELEMENT)),
                (op::ADD | op::CONDITIONAL, None, many) => {
                    many.iter().rev().take(2).rev().find_map(|part| next(*part))
                }
                _ => None,
            },
            Expr::Comprehension(fold) => match &fold.origin {
                Origin::Filter(_) => next(fold.range),
                Origin::Bind { body, .. } => {
                    let mut inner = folds.to_vec();
                    inner.push((id, fold));
                    self.of(*body, &inner, depth + 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn named(&self, name: &str, folds: &[(ExprId, &Comprehension)], depth: usize) -> Option<Vec<Str>> {
        for (at, (_, fold)) in folds.iter().enumerate().rev() {
            let outer = folds.get(..at).unwrap_or_default();
            if let Origin::Bind { value, .. } = fold.origin {
                if fold.accu == name {
                    return self.of(value, outer, depth + 1);
                }
                continue;
            }
            let element = fold.var2.as_ref().unwrap_or(&fold.var);
            if element == name {
                return Some(joined(self.of(fold.range, outer, depth + 1)?, ELEMENT));
            }
            if fold.var == name {
                return None;
            }
        }
        matches!(name, "object" | "oldObject").then(Vec::new)
    }
}

fn joined(mut path: Vec<Str>, name: Str) -> Vec<Str> {
    path.push(name);
    path
}
