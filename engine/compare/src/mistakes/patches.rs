//! Mistakes in JSON patches: another operation, another place to take from, another value that is tested for.
//!
//! In: `patchesJson6902`, or an expression with `JSONPatch{…}`. Out: what stands there instead, with the words for it.

use crate::mistakes::cel_mutants::replaced;
use crate::mistakes::further::Mistake;
use crate::mistakes::mutants::Class;
use engine_json::{Value, to_json};

/// An operation and the one that is written for it.
const SWAPS: [(&str, &str); 4] = [("move", "copy"), ("copy", "move"), ("replace", "remove"), ("add", "test")];

/// Mistakes in `patchesJson6902`, which is written as JSON then.
pub(super) fn of_text(text: &str) -> Vec<Mistake<String>> {
    let Ok(whole) = engine::yaml::parse_one(text) else { return Vec::new() };
    let operations = whole.as_array().unwrap_or_default();
    let mut all = Vec::new();
    for (at, operation) in operations.iter().enumerate() {
        let mut put = |class: Class, field: &'static str, new: Value, words: String| {
            let mut changed = operation.clone();
            changed.make_object().insert(field, new);
            let mut others = operations.to_vec();
            others.splice(at..=at, [changed]);
            all.push((class, to_json(&Value::array(others)), words));
        };
        let op = operation.find_str(&["op"]);
        if let Some((_, other)) = SWAPS.iter().find(|(known, _)| *known == op) {
            put(Class::Operator, "op", Value::from(*other), format!("{op} is {other} in operation {at}"));
        }
        let from = operation.find_str(&["from"]);
        if !from.is_empty() {
            put(Class::Path, "from", Value::from(format!("{from}z")), format!("{from} is {from}z"));
        }
        let held = operation.get("value").and_then(Value::as_str).filter(|text| !text.contains("{{"));
        if let (Some(held), "test") = (held, op) {
            put(Class::Constant, "value", Value::from(format!("{held}z")), format!("`{held}` is `{held}z`"));
        }
    }
    all
}

/// The same in an expression.
pub(super) fn of_expression(text: &str) -> Vec<Mistake<String>> {
    let mut all = Vec::new();
    for (begin, _) in text.match_indices("JSONPatch{") {
        let rest = text.get(begin..).unwrap_or("");
        let end = rest.find('}').map_or(text.len(), |end| begin + end);
        let Some((from, to)) = quoted(text, begin, end, "op:") else { continue };
        let op = text.get(from..to).unwrap_or("");
        let mut put = |class: Class, (from, to): (usize, usize), new: &str| {
            let old = text.get(from..to).unwrap_or("");
            let words = format!("`{old}` is `{new}` at {from}");
            all.push((class, replaced(text, from, old.len(), new), words));
        };
        if let Some((_, other)) = SWAPS.iter().find(|(known, _)| *known == op) {
            put(Class::Operator, (from, to), other);
        }
        let fields = [(Class::Path, "from:", true), (Class::Constant, "value:", op == "test")];
        for (class, field, _) in fields.into_iter().filter(|(.., is_read)| *is_read) {
            if let Some((from, to)) = quoted(text, begin, end, field) {
                let new = format!("{}z", text.get(from..to).unwrap_or(""));
                put(class, (from, to), &new);
            }
        }
    }
    all
}

/// Where the text stands that is written for a field, without its quotes.
fn quoted(text: &str, begin: usize, end: usize, field: &str) -> Option<(usize, usize)> {
    let at = begin + text.get(begin..end)?.find(field)? + field.len();
    let rest = text.get(at..end)?;
    let start = at + (rest.len() - rest.trim_start().len());
    let quote = text.get(start..)?.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = text.get(start + 1..)?;
    Some((start + 1, start + 1 + inner.find(quote)?))
}

#[cfg(test)]
mod tests {
    use super::{of_expression, of_text};

    #[test]
    fn operations_sources_and_tested_values_are_others() {
        let words =
            |all: Vec<super::Mistake<String>>| all.into_iter().map(|(_, text, _)| text).collect::<Vec<_>>();
        assert_eq!(
            words(of_text("- {op: move, from: /a, path: /b}")),
            [r#"[{"from":"/a","op":"copy","path":"/b"}]"#, r#"[{"from":"/az","op":"move","path":"/b"}]"#]
        );
        assert_eq!(
            words(of_text("- {op: test, path: /a, value: x}")),
            [r#"[{"op":"test","path":"/a","value":"xz"}]"#]
        );
        assert_eq!(
            words(of_expression(
                "[JSONPatch{op: 'copy', from: \"/a\", path: '/b'}, JSONPatch{op: 'test', path: '/a', value: 'x'}]"
            )),
            [
                "[JSONPatch{op: 'move', from: \"/a\", path: '/b'}, JSONPatch{op: 'test', path: '/a', value: 'x'}]",
                "[JSONPatch{op: 'copy', from: \"/az\", path: '/b'}, JSONPatch{op: 'test', path: '/a', value: 'x'}]",
                "[JSONPatch{op: 'copy', from: \"/a\", path: '/b'}, JSONPatch{op: 'test', path: '/a', value: 'xz'}]",
            ]
        );
    }
}
