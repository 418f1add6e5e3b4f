//! Which places expressions of JMESPath read.
//!
//! In: a tree, and what names stand for. Out: where its value comes from; what is compared on the way is noted.

use crate::reads::field_path::Step;
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
    let root = Origin::path(Vec::new());
    let found = walk(expression.ast(), &root, &mut Walker { names, reads, depth: 0 });
    reads.note(&found);
    found
}

struct Walker<'w> {
    names: &'w Names,
    reads: &'w mut Reads,
    depth: usize,
}

fn walk(node: &Node, here: &Origin, walker: &mut Walker<'_>) -> Origin {
    if walker.depth > MAX_DEPTH {
        return Origin::default();
    }
    walker.depth += 1;
    let found = of_node(node, here, walker);
    walker.depth -= 1;
    found
}

fn of_node(node: &Node, here: &Origin, walker: &mut Walker<'_>) -> Origin {
    match node {
        Node::Empty => Origin::default(),
        Node::CurrentNode | Node::Identity => here.clone(),
        Node::Literal(value) => match value.as_str().and_then(|text| walker.names.get(text)) {
            // A variable within quotes of another.
            Some(known) if value.as_str().is_some_and(|text| text.starts_with(INNER)) => known.clone(),
            _ => literal(value),
        },
        Node::Field(name) => field(name, here, walker),
        Node::Index(_) | Node::Slice(_) => {
            walker.reads.asks_order = true;
            here.clone().below(&Step::Each)
        }
        Node::Flatten(inner) | Node::ExpRef(inner) | Node::NotExpression(inner) => walk(inner, here, walker),
        Node::Subexpression(left, right) | Node::Pipe(left, right) | Node::IndexExpression(left, right) => {
            let left = walk(left, here, walker);
            walk(right, &left, walker)
        }
        Node::Projection(left, right) => {
            let left = walk(left, here, walker);
            walk(right, &left.element(), walker)
        }
        Node::ValueProjection(left, right) => {
            let left = walk(left, here, walker).below(&Step::Each);
            walk(right, &left, walker)
        }
        Node::FilterProjection { source, right, condition } => {
            // The keys of a map are elements already.
            let element = walk(source, here, walker).element();
            let asked = walk(condition, &element, walker);
            walker.reads.note(&asked);
            walk(right, &element, walker)
        }
        Node::Comparator { left, right, .. } => {
            let both = walk(left, here, walker).and(walk(right, here, walker));
            walker.reads.note(&both);
            both
        }
        Node::OrExpression(left, right) | Node::AndExpression(left, right) => {
            let (left, right) = (walk(left, here, walker), walk(right, here, walker));
            walker.reads.note(&left);
            walker.reads.note(&right);
            left.and(right)
        }
        Node::MultiSelectList(values) => all(values.iter(), here, walker),
        Node::MultiSelectHash(pairs) => all(pairs.iter().map(|(_, value)| value), here, walker),
        Node::FunctionExpression { name, arguments } => {
            if let Some(name) = name.as_deref().filter(|name| IMPURE.contains(name)) {
                walker.reads.outside.insert(format!("{name}()"));
            }
            let of_arguments: Vec<Origin> =
                arguments.iter().map(|argument| walk(argument, here, walker)).collect();
            let constants = of_arguments.iter().filter(|origin| origin.paths.is_empty());
            let constants = constants.filter_map(|origin| origin.constants.first().cloned()).collect();
            let found = of_arguments.into_iter().fold(Origin::default(), Origin::and);
            let found = found.through(name.as_deref().unwrap_or_default(), constants);
            walker.reads.note(&found);
            // Keys and values of a map are read as elements are.
            if matches!(name.as_deref(), Some("keys" | "values" | "items")) {
                found.below(&Step::Each)
            } else {
                found
            }
        }
    }
}

/// How names begin that stand for a variable within another.
pub(crate) const INNER: &str = "inner_variable_";

/// Functions whose value is another one tomorrow.
const IMPURE: [&str; 3] = ["random", "time_now", "time_now_utc"];

fn all<'n>(nodes: impl Iterator<Item = &'n Node>, here: &Origin, walker: &mut Walker<'_>) -> Origin {
    nodes.fold(Origin::default(), |found, node| found.and(walk(node, here, walker)))
}

fn field(name: &Str, here: &Origin, walker: &Walker<'_>) -> Origin {
    let is_root = here.paths.iter().all(Vec::is_empty) && !here.paths.is_empty();
    match walker.names.get(name).filter(|_| is_root) {
        Some(known) => known.clone(),
        None => here.clone().without_constants().below(&Step::Key(name.clone())),
    }
}

/// A constant; of a list its elements.
pub(crate) fn literal(value: &Value) -> Origin {
    match value {
        Value::Array(list) => list.iter().map(literal).fold(Origin::default(), Origin::and),
        // The map itself is held against maps.
        Value::Object(map) => map
            .values()
            .map(literal)
            .fold(Origin::default(), Origin::and)
            .and(Origin::constant(value.clone())),
        _ => Origin::constant(value.clone()),
    }
}
