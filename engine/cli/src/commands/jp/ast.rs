//! The tree of an expression, as the original prints it.
//!
//! In: the tree of `a`. Out: `ASTField {`, `  value: "a"`, `}`; the brace behind `children: {` is never closed.
//!
//! Mirrors: go-jmespath parser.go, PrettyPrint, with the values as Go's `%#v` writes them.

use engine::jmespath::Node;
use engine::jmespath::ast::Comparison;
use engine::jmespath::go_format::go_format;
use engine::json::{Map, Value, quote};

/// The whole tree.
pub(super) fn dump(node: &Node) -> String {
    let mut out = String::new();
    write(&mut out, node, 0);
    out
}

fn write(out: &mut String, node: &Node, indent: usize) {
    let pairs = match node {
        Node::MultiSelectHash(pairs) => pairs.as_slice(),
        _ => &[],
    };
    let children = if pairs.is_empty() { node.children() } else { Vec::new() };
    open(out, node.kind(), value(node), indent, children.is_empty() && pairs.is_empty());
    for child in children {
        write(out, child, indent + 4);
    }
    for (key, child) in pairs {
        open(out, "ASTKeyValPair", Some(quote(key)), indent + 4, false);
        write(out, child, indent + 8);
        close(out, indent + 4);
    }
    close(out, indent);
}

fn open(out: &mut String, kind: &str, value: Option<String>, indent: usize, is_leaf: bool) {
    let line = |out: &mut String, indent: usize, text: &str| {
        out.push_str(&" ".repeat(indent));
        out.push_str(text);
        out.push('\n');
    };
    line(out, indent, &format!("{kind} {{"));
    if let Some(value) = value {
        line(out, indent + 2, &format!("value: {value}"));
    }
    if !is_leaf {
        line(out, indent + 2, "children: {");
    }
}

fn close(out: &mut String, indent: usize) {
    out.push_str(&" ".repeat(indent));
    out.push_str("}\n");
}

fn value(node: &Node) -> Option<String> {
    match node {
        Node::Field(name) => Some(quote(name)),
        Node::FunctionExpression { name, .. } => name.as_deref().map(quote),
        Node::Literal(value) => (!value.is_null()).then(|| literal(value)),
        Node::Index(at) => Some(at.to_string()),
        Node::Slice(parts) => {
            // Go prints addresses here, others in each run; the numbers behind them say more.
            let part = |part: &Option<i64>| part.map_or_else(|| "(*int)(nil)".to_owned(), |n| n.to_string());
            Some(format!("[]*int{{{}}}", parts.iter().map(part).collect::<Vec<_>>().join(", ")))
        }
        Node::Comparator { operator, .. } => Some(
            match operator {
                Comparison::Equal => "tEQ",
                Comparison::NotEqual => "tNE",
                Comparison::Less => "tLT",
                Comparison::LessOrEqual => "tLTE",
                Comparison::Greater => "tGT",
                Comparison::GreaterOrEqual => "tGTE",
            }
            .to_owned(),
        ),
        _ => None,
    }
}

/// A JSON value in Go's syntax.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => quote(text),
        Value::Bool(_) | Value::Number(_) => go_format(value),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(literal).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(map) => {
            let pairs: Vec<String> = Map::sorted(map)
                .into_iter()
                .map(|(key, item)| format!("{}:{}", quote(key), literal(item)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", pairs.join(", "))
        }
    }
}
