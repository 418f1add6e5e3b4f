//! What expressions and conditions give where all that they read is written, so that no request changes it.
//!
//! In: `items(@, 'key', 'value')` over `{"a":1}`. Out: `[{"key":"a","value":1}]`.

use engine::condition;
use engine::registry;
use engine_jmespath::{Node, Runtime, parse};
use engine_json::Value;

/// Functions whose value is not up to their arguments alone.
const OF_THE_WORLD: [&str; 4] = ["random", "time_now", "time_now_utc", "time_since"];

/// The value of an expression over a document; `None` where it errs, asks for the time or for chance.
pub fn search(expression: &str, document: &Value) -> Option<Value> {
    let parsed = parse(expression).ok()?;
    let is_of_world = |node: &Node| match node {
        Node::FunctionExpression { name, .. } => {
            name.as_ref().is_some_and(|name| OF_THE_WORLD.contains(&name.as_str()))
        }
        _ => false,
    };
    if parsed.ast().walk().any(is_of_world) {
        return None;
    }
    let registry = registry();
    parsed.search(&document.with_float_numbers(), &Runtime::new(&registry)).ok()
}

/// Whether a condition holds; `None` where there is no such operator, and where it errs.
pub fn holds(key: &Value, operator: &str, value: &Value) -> Option<bool> {
    condition::holds(condition::operator(operator)?, key, value).ok()
}

#[cfg(test)]
mod tests {
    use super::{holds, search};
    use engine_json::{Value, parse, to_json};

    #[test]
    fn what_is_written_has_one_value() {
        let document = parse(r#"{"a":1}"#).unwrap();
        let found = search("items(@, 'key', 'value')", &document).unwrap();
        assert_eq!(to_json(&found), r#"[{"key":"a","value":1}]"#);
        assert_eq!(search("b", &document), None);
        assert_eq!(search("time_now()", &document), None);
        assert_eq!(holds(&Value::from("A=*"), "AnyNotIn", &parse(r#"["A=b"]"#).unwrap()), Some(false));
        assert_eq!(holds(&Value::Null, "Nothing", &Value::Null), None);
    }
}
