//! Values as Go's `fmt` prints them with `%v`: the original's messages quote values in this form.
//!
//! In: `{"b":[1,null],"a":1000000}`. Out: `map[a:1e+06 b:[1 <nil>]]`.

use crate::ast::{Comparison, Node};
use crate::limits::MAX_TEXT;
use engine_json::float::float_v;
use engine_json::{Number, Value};
use std::fmt::Write;

/// `value` as `%v` prints it; cut at [`MAX_TEXT`] bytes.
pub fn go_format(value: &Value) -> String {
    let mut out = String::new();
    write_go(&mut out, value);
    out
}

/// Appends `value` as `%v` prints it; stops when `out` is longer than [`MAX_TEXT`].
pub fn write_go(out: &mut String, value: &Value) {
    if out.len() > MAX_TEXT {
        return;
    }
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(Number::Int(i)) => out.push_str(&i.to_string()),
        Value::Number(Number::Uint(u)) => out.push_str(&u.to_string()),
        Value::Number(Number::Float(f)) => out.push_str(&float_v(*f)),
        Value::String(text) => out.push_str(text),
        Value::Array(list) => {
            out.push('[');
            for (n, item) in list.iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                write_go(out, item);
                if out.len() > MAX_TEXT {
                    return;
                }
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push_str("map[");
            for (n, (key, item)) in map.sorted().into_iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write_go(out, item);
                if out.len() > MAX_TEXT {
                    return;
                }
            }
            out.push(']');
        }
    }
}

/// An expression reference as `%v` prints the original's struct: the tree, its kinds as numbers.
pub(crate) fn go_format_expression(node: &Node) -> String {
    let mut out = String::from("{");
    write_node(&mut out, node);
    out.push('}');
    out
}

fn write_node(out: &mut String, node: &Node) {
    if out.len() > MAX_TEXT {
        return;
    }
    let (number, value) = number_and_value(node);
    let _ = write!(out, "{{{number} {value} [");
    match node {
        Node::MultiSelectHash(pairs) => {
            for (n, (key, value)) in pairs.iter().enumerate() {
                let _ = write!(out, "{}{{11 {key} [", if n > 0 { " " } else { "" });
                write_node(out, value);
                out.push_str("]}");
            }
        }
        _ => {
            for (n, child) in node.children().into_iter().enumerate() {
                if n > 0 {
                    out.push(' ');
                }
                write_node(out, child);
            }
        }
    }
    out.push_str("]}");
}

fn number_and_value(node: &Node) -> (u8, String) {
    let none = || "<nil>".to_owned();
    match node {
        Node::Empty => (0, none()),
        Node::Comparator { operator, .. } => (1, token_number(*operator).to_string()),
        Node::CurrentNode => (2, none()),
        Node::ExpRef(_) => (3, none()),
        Node::FunctionExpression { name, .. } => (4, name.as_ref().map_or_else(none, ToString::to_string)),
        Node::Field(name) => (5, name.to_string()),
        Node::FilterProjection { .. } => (6, none()),
        Node::Flatten(_) => (7, none()),
        Node::Identity => (8, none()),
        Node::Index(index) => (9, index.to_string()),
        Node::IndexExpression(..) => (10, none()),
        Node::Literal(value) => (12, go_format(value)),
        Node::MultiSelectHash(_) => (13, none()),
        Node::MultiSelectList(_) => (14, none()),
        Node::OrExpression(..) => (15, none()),
        Node::AndExpression(..) => (16, none()),
        Node::NotExpression(_) => (17, none()),
        Node::Pipe(..) => (18, none()),
        Node::Projection(..) => (19, none()),
        Node::Subexpression(..) => (20, none()),
        // The original prints the addresses of the numbers here.
        Node::Slice(parts) => (21, go_slice_parts(parts)),
        Node::ValueProjection(..) => (22, none()),
    }
}

fn go_slice_parts(parts: &[Option<i64>; 3]) -> String {
    let texts: Vec<String> =
        parts.iter().map(|part| part.map_or("<nil>".into(), |n| n.to_string())).collect();
    format!("[{}]", texts.join(" "))
}

/// The place of the operator's token in the original's list of tokens.
fn token_number(operator: Comparison) -> u8 {
    match operator {
        Comparison::Less => 18,
        Comparison::LessOrEqual => 19,
        Comparison::Greater => 20,
        Comparison::GreaterOrEqual => 21,
        Comparison::Equal => 22,
        Comparison::NotEqual => 23,
    }
}
