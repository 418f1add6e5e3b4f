//! Rewrites of expressions in CEL: De Morgan both ways, operands exchanged, `has` as an optional value, validations split, variables made.
//!
//! In: an expression or a policy. Out: the same in other words.

use super::mapped;
use engine::json::{Map, Value};

/// Where an operator stands outside of all brackets and quotes, if no other operator that binds less does.
fn cut(expression: &str, operator: &str) -> Option<(String, String)> {
    let (mut depth, mut quote, mut found) = (0_i32, None, None);
    let all: Vec<char> = expression.chars().collect();
    for (at, c) in all.iter().enumerate() {
        let next = all.get(at + 1);
        match (quote, c) {
            (Some(open), c) if open == *c => quote = None,
            (None, '"' | '\'') => quote = Some(*c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '?') if depth == 0 && !matches!(next, Some('.')) => return None,
            (None, '|') if depth == 0 && operator == "&&" => return None,
            (None, c) if depth == 0 && found.is_none() && operator.starts_with(*c) && next == Some(c) => {
                found = Some(at);
            }
            _ => {}
        }
    }
    let at = found.filter(|_| !expression.contains('\\') && !expression.contains("//"))?;
    Some((all.iter().take(at).collect(), all.iter().skip(at + 2).collect()))
}

/// `a && b` as `!(!(a) || !(b))`, and `a || b` as `!(!(a) && !(b))`.
pub(super) fn de_morgan(expression: &str) -> String {
    for (operator, other) in [("&&", "||"), ("||", "&&")] {
        if let Some((left, right)) = cut(expression, operator) {
            return format!("!(!({left}) {other} !({right}))");
        }
    }
    expression.to_owned()
}

/// `a && b` as `b && a`, and the same of `||`: an error on one side counts only where the other does not decide.
pub(super) fn operands_exchanged(expression: &str) -> String {
    for operator in ["&&", "||"] {
        if let Some((left, right)) = cut(expression, operator) {
            return format!("({right}) {operator} ({left})");
        }
    }
    expression.to_owned()
}

/// `has(a.b)` as `a.?b.hasValue()`.
pub(super) fn has_as_optional(expression: &str) -> String {
    let mut out = String::new();
    let mut rest = expression;
    while let Some((before, after)) = rest.split_once("has(") {
        let is_own = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        let inner = after.split_once(')').filter(|(inner, _)| {
            is_own
                && inner.contains('.')
                && inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        });
        out.push_str(before);
        if let Some(((object, field), after)) =
            inner.and_then(|(inner, after)| Some((inner.rsplit_once('.')?, after)))
        {
            out.push_str(object);
            out.push_str(".?");
            out.push_str(field);
            out.push_str(".hasValue()");
            rest = after;
        } else {
            out.push_str("has(");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// A validation of two demands as two validations.
pub(super) fn validations_split(policy: &Value) -> Value {
    let split = |item: &Value| match cut(item.find_str(&["expression"]), "&&") {
        Some((left, right)) => [left, right].map(|text| with(item, "expression", text)).to_vec(),
        None => vec![item.clone()],
    };
    let change = |key: &str, value: Value| match value.as_array() {
        Some(items) if key == "validations" => Value::array(items.iter().flat_map(split).collect()),
        _ => value,
    };
    mapped(policy, &change, "")
}

/// Each validation as a variable that it names.
pub(super) fn validations_named(policy: &Value) -> Value {
    let change = |key: &str, value: Value| {
        let Some(validations) = value.get("validations").and_then(Value::as_array).filter(|_| key == "spec")
        else {
            return value;
        };
        let mut variables: Vec<Value> =
            value.get("variables").and_then(Value::as_array).unwrap_or_default().to_vec();
        let mut named = Vec::new();
        for (at, validation) in validations.iter().enumerate() {
            let name = format!("demand{at}");
            let variable = [
                ("name", Value::from(name.as_str())),
                ("expression", Value::from(validation.find_str(&["expression"]))),
            ];
            variables.push(Value::object(variable.into_iter().collect::<Map>()));
            named.push(with(validation, "expression", format!("variables.{name}")));
        }
        let mut spec = value.clone();
        if let Some(map) = spec.object_mut() {
            map.insert("variables", Value::array(variables));
            map.insert("validations", Value::array(named));
        }
        spec
    };
    mapped(policy, &change, "")
}

fn with(item: &Value, field: &str, text: String) -> Value {
    let mut item = item.clone();
    if let Some(map) = item.object_mut() {
        map.insert(field, Value::from(text));
    }
    item
}
