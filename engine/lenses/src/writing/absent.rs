//! Fields that may be absent, and how to ask for them.
//!
//! In: an expression that reads such a field. Out: changes of it: the field asked for first, or read as an optional value.

use super::fixes::Changes;
use super::site::Site;
use super::tree;
use engine_cel::ast::{Ast, Expr, ExprId, Literal};
use engine_cel::operators as op;
use engine_cel::syntax;
use engine_celpolicy::lint::{absent_fields, asked_for, root_of};

/// The fields that an expression reads and that may be absent, where the policy asks for none of them.
pub(super) fn reads(site: &Site, ast: &Ast, all: &[Site]) -> Vec<ExprId> {
    let mode = site.document.find_str(&["spec", "evaluation", "mode"]);
    if !mode.is_empty() && mode != "Kubernetes" {
        return Vec::new();
    }
    let Some(root) = root_of(site.document.find(&["spec", "matchConstraints"])) else { return Vec::new() };
    let options = syntax::Options {
        macros: &[syntax::STANDARD, syntax::OPTIONAL, syntax::TWO_VARIABLES],
        optional_syntax: true,
    };
    let of_policy = all.iter().filter(|other| other.document == site.document);
    let trees: Vec<Ast> = of_policy.filter_map(|other| syntax::parse(&other.source, &options).ok()).collect();
    let asked = trees.iter().flat_map(asked_for).collect();
    absent_fields(ast, root, &asked)
}

/// The selections from the root of a chain of fields to one of them.
fn chain(ast: &Ast, id: ExprId) -> Vec<ExprId> {
    let mut found = vec![id];
    let mut at = id;
    while let Expr::Select { operand, test: false, .. } = ast.expr(at) {
        found.push(*operand);
        at = *operand;
    }
    found.reverse();
    found
}

/// What can be done about a field that may be absent.
pub(super) fn edits(source: &str, ast: &Ast, id: ExprId, absent: &[ExprId]) -> Vec<(String, Changes)> {
    let way = tree::way(ast, id);
    let mut edits = Vec::new();
    let text = |id: ExprId| {
        let node = ast.node(id);
        source.get(node.start as usize..node.end as usize).unwrap_or("")
    };
    let is_inner = |at: &ExprId| matches!(ast.expr(*at), Expr::Select { .. });
    let chain_of_it: Vec<ExprId> = chain(ast, id).into_iter().filter(is_inner).collect();
    let asked: Vec<String> = chain_of_it
        .iter()
        .filter(|at| **at == id || absent.contains(at))
        .map(|at| format!("has({})", text(*at).split_whitespace().collect::<String>()))
        .collect();
    // The truth value in which the field is read.
    let mut condition = id;
    let mut is_negated = false;
    for pair in way.windows(2).rev() {
        let [outer, inner] = pair else { continue };
        if let Expr::Call { function, .. } = ast.expr(*outer)
            && [op::LOGICAL_AND, op::LOGICAL_OR, op::LOGICAL_NOT].contains(&function.as_str())
        {
            is_negated = function == op::LOGICAL_NOT;
            break;
        }
        let is_condition = matches!(ast.expr(*outer), Expr::Comprehension(fold) if tree::asked(&fold.origin).contains(inner));
        if is_condition {
            break;
        }
        condition = *outer;
    }
    let node = ast.node(condition);
    let (start, end) = (node.start as usize, node.end as usize);
    let asked = asked.join(" && ");
    let label = format!("Ask {asked} first");
    if is_negated {
        edits.push((label, vec![(start, start, format!("({asked} && ")), (end, end, ")".to_owned())]));
    } else {
        edits.push((label, vec![(start, start, format!("{asked} && "))]));
    }
    edits.extend(optional(source, ast, &way, id));
    edits
}

/// The chain with `.?` from the field on, and what is taken where it is absent.
fn optional(source: &str, ast: &Ast, way: &[ExprId], id: ExprId) -> Option<(String, Changes)> {
    // The chain goes on as far as fields are selected.
    let mut top = way.len().checked_sub(1)?;
    while let Some(outer) = top.checked_sub(1).and_then(|at| way.get(at))
        && matches!(ast.expr(*outer), Expr::Select { test: false, .. })
    {
        top -= 1;
    }
    let last = *way.get(top)?;
    let parent = top.checked_sub(1).and_then(|at| way.get(at)).copied();
    let otherwise = default(ast, parent, last)?;
    let links = chain(ast, last);
    let from = links.iter().position(|at| *at == id)?;
    let mut changes: Changes = Vec::new();
    let mut label = source
        .get(
            ast.node(*links.get(from.checked_sub(1)?)?).start as usize
                ..ast.node(*links.get(from - 1)?).end as usize,
        )?
        .to_owned();
    for at in links.iter().skip(from) {
        let (Expr::Select { field, .. }, node) = (ast.expr(*at), ast.node(*at)) else { return None };
        let dot = node.at as usize;
        if source.get(dot..=dot) != Some(".") {
            return None;
        }
        changes.push((dot + 1, dot + 1, "?".to_owned()));
        label = format!("{label}.?{field}");
    }
    let end = ast.node(last).end as usize;
    changes.push((end, end, format!(".orValue({otherwise})")));
    Some((format!("Write {label}.orValue({otherwise})"), changes))
}

/// What stands for a value that is absent, by what is asked of it.
fn default(ast: &Ast, parent: Option<ExprId>, part: ExprId) -> Option<&'static str> {
    let Some(parent) = parent else { return Some("false") };
    let of_literal = |id: ExprId| match ast.expr(id) {
        Expr::Literal(Literal::Bool(_)) => Some("false"),
        Expr::Literal(Literal::Int(_)) => Some("0"),
        Expr::Literal(Literal::Double(_)) => Some("0.0"),
        Expr::Literal(Literal::String(_)) => Some("''"),
        Expr::Literal(Literal::Null) => Some("null"),
        Expr::List { elements, .. } => match elements.first().map(|first| ast.expr(*first)) {
            Some(Expr::Literal(Literal::String(_))) => Some("''"),
            Some(Expr::Literal(Literal::Int(_))) => Some("0"),
            _ => None,
        },
        _ => None,
    };
    match ast.expr(parent) {
        Expr::Comprehension(fold) if fold.range == part => Some("[]"),
        Expr::Comprehension(_) => Some("false"),
        Expr::Call { function, target, args } => match function.as_str() {
            op::LOGICAL_AND | op::LOGICAL_OR | op::LOGICAL_NOT => Some("false"),
            op::IN if args.get(1) == Some(&part) => Some("[]"),
            op::ADD | "size" => Some("[]"),
            "startsWith" | "endsWith" | "contains" | "matches" | "split" | "quantity" => Some("''"),
            _ => target
                .iter()
                .chain(args.iter())
                .filter(|other| **other != part)
                .find_map(|other| of_literal(*other)),
        },
        _ => None,
    }
}
