//! Answers that fit into what an agent reads at once.
//!
//! In: an answer. Out: the same within a number of bytes: the longest lists end earlier, then the longest texts, and `leftOut` names each.

use serde_json::{Value, json};

/// Bytes of an answer.
pub(super) const MOST: usize = 14_000;
/// Cuts of one answer; each halves a list or a text.
const MAX_CUTS: usize = 500;
/// Bytes of a text that is not cut.
const SHORT: usize = 200;

/// The answer within the bound, with the field `leftOut`.
pub(super) fn fit(mut answer: Value, most: usize) -> Value {
    let mut cuts: Vec<(String, usize)> = Vec::new();
    for _ in 0..MAX_CUTS {
        if answer.to_string().len() <= most {
            break;
        }
        let longest = longest(&answer, "", &|value| value.as_array().is_some_and(|list| list.len() > 1));
        let longest = longest.or_else(|| {
            self::longest(&answer, "", &|value| value.as_str().is_some_and(|text| text.len() > SHORT))
        });
        let Some((pointer, _)) = longest else { break };
        let Some(value) = answer.pointer_mut(&pointer) else { break };
        let before = halve(value);
        if !cuts.iter().any(|(known, _)| *known == pointer) {
            cuts.push((pointer, before));
        }
    }
    let left: Vec<String> =
        cuts.iter().filter_map(|(pointer, before)| named(&answer, pointer, *before)).collect();
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("leftOut".to_owned(), json!(left));
    }
    answer
}

/// The way to the largest value of a kind, and its bytes.
fn longest(value: &Value, pointer: &str, is_wanted: &dyn Fn(&Value) -> bool) -> Option<(String, usize)> {
    let own = is_wanted(value).then(|| (pointer.to_owned(), value.to_string().len()));
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(list) => list.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        _ => Vec::new(),
    };
    // What is deeper is cut first where it is nearly all of its list.
    let inner = inner
        .iter()
        .filter_map(|(name, value)| longest(value, &format!("{pointer}/{name}"), is_wanted))
        .max_by_key(|(_, size)| *size);
    match (own, inner) {
        (Some(own), Some(inner)) if inner.1 * 2 > own.1 => Some(inner),
        (own, inner) => own.or(inner),
    }
}

/// Leaves half of a list or text; how much there was.
fn halve(value: &mut Value) -> usize {
    match value {
        Value::Array(list) => {
            let before = list.len();
            list.truncate(before.div_ceil(2));
            before
        }
        Value::String(text) => {
            let before = text.len();
            let end = (0..=before / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(end);
            before
        }
        _ => 0,
    }
}

/// What is missing at a place that is still there: `findings: 8 of 40`.
fn named(answer: &Value, pointer: &str, before: usize) -> Option<String> {
    let place = pointer.trim_start_matches('/').replace('/', ".");
    Some(match answer.pointer(pointer)? {
        Value::Array(list) => format!("{place}: {} of {before}", list.len()),
        Value::String(text) => format!("{place}: the first {} of {before} bytes", text.len()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::fit;
    use serde_json::json;

    #[test]
    fn what_is_left_out_is_named() {
        let small = fit(json!({"a": [1, 2]}), 100);
        assert_eq!(small, json!({"a": [1, 2], "leftOut": []}));
        let list: Vec<String> = (0..100).map(|n| format!("finding {n}")).collect();
        let answer = fit(json!({"counts": {"fail": 100}, "findings": list}), 300);
        assert_eq!(answer["leftOut"], json!(["findings: 13 of 100"]));
        assert_eq!(answer["counts"]["fail"], 100);
        let answer = fit(json!({"text": "ä".repeat(10_000)}), 300);
        assert!(answer.to_string().len() < 400, "{answer}");
    }
}
