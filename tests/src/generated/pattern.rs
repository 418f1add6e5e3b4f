//! Patterns: a part of what a resource holds, with anchors round its keys and operators in its leaves.

use super::{object, odd};
use crate::random::Choices;
use engine::json::Value;

const LEAVES: &[&str] = &[
    "?*",
    "*",
    "",
    "!web",
    "web | db",
    ">1",
    "<=2Gi",
    ">=100m & <1Gi",
    "1-5",
    "1Mi-2Gi",
    "!1-3",
    "web*",
    "!*:latest",
    "<1h",
    "null",
    "true",
    "!",
    "{{ request.object.metadata.name }}",
    "&",
    "| a",
    "ni?nx*",
];

const RARE_LEAVES: &[&str] = &["$(./../name)", "$(/metadata/name)", "{{ v9 }}", "{{ request.object.a.b }}"];

/// A pattern that has to do with this value.
pub(super) fn pattern(choices: &mut Choices, sample: &Value, depth: usize) -> Value {
    if depth == 0 {
        return leaf(choices, sample);
    }
    match sample {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = Vec::new();
            for (key, value) in map.iter() {
                if choices.below(3) > 0 || (entries.is_empty() && map.len() == 1) {
                    let inner = pattern(choices, value, depth - 1);
                    entries.push((anchored(choices, key, value), inner));
                }
            }
            if choices.once_in(12) {
                entries.push((anchored(choices, "missing", sample), leaf(choices, sample)));
            }
            odd(choices, object(entries))
        }
        Value::Array(list) => {
            let first = list.first().cloned().unwrap_or_default();
            let mut items = vec![pattern(choices, &first, depth - 1)];
            if choices.once_in(10) {
                items.push(pattern(choices, &first, depth - 1));
            }
            odd(choices, Value::array(items))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => leaf(choices, sample),
    }
}

fn anchored(choices: &mut Choices, key: &str, value: &Value) -> String {
    match choices.below(14) {
        0 | 1 => format!("({key})"),
        2 | 3 => format!("=({key})"),
        4 => format!("X({key})"),
        5 if matches!(value, Value::Array(_)) || choices.once_in(10) => format!("^({key})"),
        6 => format!("<({key})"),
        7 if choices.once_in(4) => format!("+({key})"),
        8 => format!("{}*", key.chars().take(2).collect::<String>()),
        _ => key.to_owned(),
    }
}

fn leaf(choices: &mut Choices, sample: &Value) -> Value {
    match choices.below(8) {
        0..=3 if !matches!(sample, Value::Object(_) | Value::Array(_)) => sample.clone(),
        4 => Value::Null,
        5 if choices.once_in(20) => Value::from(choices.pick(RARE_LEAVES)),
        5 => Value::from(choices.once_in(2)),
        _ => Value::from(choices.pick(LEAVES)),
    }
}
