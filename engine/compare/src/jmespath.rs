//! Which places expressions of JMESPath read.
//!
//! In: a tree, and what names stand for. Out: where its value comes from; what is compared on the way is noted.

use crate::place::Step;
use crate::reads::{Origin, Reads};
use engine::jmespath::ast::Node;
use engine_json::{Str, Value};
use std::collections::BTreeMap;

/// What names of the context stand for.
pub(crate) type Names = BTreeMap<Str, Origin>;

/// How deep expressions are followed; the parser stops before.
const MAX_DEPTH: usize = 256;

/// Where the value of an expression comes from.
pub(crate) fn origin(text: &str, names: &Names, reads: &mut Reads) -> Origin {
    let Ok(expression) = engine::jmespath::parse(text) else { return Origin::default() };
    let root = Origin::way(Vec::new());
    let found = walk(expression.ast(), &root, &mut Work { names, reads, depth: 0 });
    reads.note(&found);
    found
}

struct Work<'w> {
    names: &'w Names,
    reads: &'w mut Reads,
    depth: usize,
}

fn walk(node: &Node, here: &Origin, work: &mut Work<'_>) -> Origin {
    if work.depth > MAX_DEPTH {
        return Origin::default();
    }
    work.depth += 1;
    let found = of_node(node, here, work);
    work.depth -= 1;
    found
}

fn of_node(node: &Node, here: &Origin, work: &mut Work<'_>) -> Origin {
    match node {
        Node::Empty => Origin::default(),
        Node::CurrentNode | Node::Identity => here.clone(),
        Node::Literal(value) => literal(value),
        Node::Field(name) => field(name, here, work),
        Node::Index(_) | Node::Slice(_) => here.clone().below(&Step::Each),
        Node::Flatten(inner) | Node::ExpRef(inner) | Node::NotExpression(inner) => walk(inner, here, work),
        Node::Subexpression(left, right) | Node::Pipe(left, right) | Node::IndexExpression(left, right) => {
            let left = walk(left, here, work);
            walk(right, &left, work)
        }
        Node::Projection(left, right) => {
            let left = walk(left, here, work);
            walk(right, &left.below(&Step::Each), work)
        }
        Node::ValueProjection(left, right) => {
            let left = walk(left, here, work).below(&Step::Each);
            walk(right, &left, work)
        }
        Node::FilterProjection { source, right, condition } => {
            let element = walk(source, here, work).below(&Step::Each);
            let asked = walk(condition, &element, work);
            work.reads.note(&asked);
            walk(right, &element, work)
        }
        Node::Comparator { left, right, .. } => {
            let both = walk(left, here, work).and(walk(right, here, work));
            work.reads.note(&both);
            both
        }
        Node::OrExpression(left, right) | Node::AndExpression(left, right) => {
            let (left, right) = (walk(left, here, work), walk(right, here, work));
            work.reads.note(&left);
            work.reads.note(&right);
            left.and(right)
        }
        Node::MultiSelectList(values) => all(values.iter(), here, work),
        Node::MultiSelectHash(pairs) => all(pairs.iter().map(|(_, value)| value), here, work),
        Node::FunctionExpression { name, arguments } => {
            if let Some(name) = name.as_deref().filter(|name| IMPURE.contains(name)) {
                work.reads.outside.insert(format!("{name}()"));
            }
            let found = all(arguments.iter(), here, work);
            work.reads.note(&found);
            // Keys and values of a map are read as elements are.
            if matches!(name.as_deref(), Some("keys" | "values" | "items")) {
                found.below(&Step::Each)
            } else {
                found
            }
        }
    }
}

/// Functions whose value is another one tomorrow.
const IMPURE: [&str; 3] = ["random", "time_now", "time_now_utc"];

fn all<'n>(nodes: impl Iterator<Item = &'n Node>, here: &Origin, work: &mut Work<'_>) -> Origin {
    nodes.fold(Origin::default(), |found, node| found.and(walk(node, here, work)))
}

fn field(name: &Str, here: &Origin, work: &Work<'_>) -> Origin {
    let is_root = here.ways.iter().all(Vec::is_empty) && !here.ways.is_empty();
    match work.names.get(name).filter(|_| is_root) {
        Some(known) => known.clone(),
        None => Origin { ways: here.ways.clone(), constants: Vec::new() }.below(&Step::Key(name.clone())),
    }
}

/// A constant; of a list its elements.
pub(crate) fn literal(value: &Value) -> Origin {
    match value {
        Value::Array(list) => list.iter().map(literal).fold(Origin::default(), Origin::and),
        Value::Object(map) => map.values().map(literal).fold(Origin::default(), Origin::and),
        _ => Origin::constant(value.clone()),
    }
}
