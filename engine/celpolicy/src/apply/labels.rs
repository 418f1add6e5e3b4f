//! Label selectors.
//!
//! In: a selector as written, labels. Out: whether it selects them, or what is wrong with it in apimachinery's words.
//! Mirrors: apimachinery `metav1.LabelSelectorAsSelector`, `labels.Requirement`.

use crate::functions::names;
use engine_json::{Str, Value};

/// Whether a selector selects an object by its labels; one that cannot be read selects nothing.
pub fn select(selector: &Value, object: &Value) -> bool {
    let read = Selector::read(Some(selector));
    read.is_ok_and(|selector| selector.is_none_or(|selector| selector.selects(&of(object))))
}

/// The labels of an object.
pub(crate) fn of(object: &Value) -> Vec<(Str, Str)> {
    let labels = object.find(&["metadata", "labels"]).and_then(Value::as_object);
    let labels = labels.into_iter().flat_map(engine_json::Map::iter);
    labels.filter_map(|(key, value)| Some((key.clone(), Str::from(value.as_str()?)))).collect()
}

/// The texts of a list.
pub(super) fn list<'a>(rule: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    rule.find(&[field]).and_then(Value::as_array).unwrap_or_default().iter().filter_map(Value::as_str)
}

/// Whether a label may have this key and these values; `fault` says what is wrong with the values together.
// apimachinery: labels.NewRequirement.
fn check(key: &str, values: &[Str], fault: Option<String>) -> Result<(), String> {
    let refusal = |field: String, value: &str, reasons: Vec<String>| {
        let value = engine_json::quote(value);
        (!reasons.is_empty()).then(|| format!("{field}: Invalid value: {value}: {}", reasons.join("; ")))
    };
    let mut wrong: Vec<String> =
        refusal("key".to_owned(), key, names::label_key(key)).into_iter().chain(fault).collect();
    for (at, value) in values.iter().enumerate() {
        wrong.extend(refusal(format!("values[{at}][{key}]"), value, names::label_value(value)));
    }
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        many => Err(format!("[{}]", many.join(", "))),
    }
}

/// What is wrong with the number of values for an operator.
///
/// # Errors
/// There is no such operator.
fn set_fault(operator: &str, values: &[Str]) -> Result<Option<String>, String> {
    match (operator, values) {
        // Go: the copy of a list without items is nil.
        ("In" | "NotIn", []) => Ok(Some(
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty".to_owned(),
        )),
        ("Exists" | "DoesNotExist", [_, ..]) => {
            let shown: Vec<String> = values.iter().map(|value| engine_json::quote(value)).collect();
            let shown = shown.join(",");
            Ok(Some(format!(
                "values: Invalid value: [{shown}]: values set must be empty for exists and does not exist"
            )))
        }
        ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => Ok(None),
        _ => Err(format!("{} is not a valid label selector operator", engine_json::quote(operator))),
    }
}

/// A label selector.
pub(super) struct Selector {
    equal: Vec<(Str, Str)>,
    expressions: Vec<(Str, Str, Vec<Str>)>,
}

impl Selector {
    /// Reads a selector; `None` for one that says nothing.
    // apimachinery: metav1.LabelSelectorAsSelector.
    pub(super) fn read(value: Option<&Value>) -> Result<Option<Selector>, String> {
        let Some(value) = value else { return Ok(None) };
        let equal = value.find(&["matchLabels"]).and_then(Value::as_object);
        let equal = equal.into_iter().flat_map(engine_json::Map::iter);
        let equal: Vec<_> =
            equal.filter_map(|(key, value)| Some((key.clone(), Str::from(value.as_str()?)))).collect();
        for (key, value) in &equal {
            check(key, std::slice::from_ref(value), None)?;
        }
        let mut expressions = Vec::new();
        for expression in value.find(&["matchExpressions"]).and_then(Value::as_array).unwrap_or_default() {
            let (key, operator) = (expression.find_str(&["key"]), expression.find_str(&["operator"]));
            let values: Vec<Str> = list(expression, "values").map(Str::from).collect();
            check(key, &values, set_fault(operator, &values)?)?;
            expressions.push((Str::from(key), Str::from(operator), values));
        }
        let says_nothing = equal.is_empty() && expressions.is_empty();
        Ok((!says_nothing).then_some(Selector { equal, expressions }))
    }

    /// Whether it selects an object with these labels.
    pub(super) fn selects(&self, labels: &[(Str, Str)]) -> bool {
        let get = |key: &Str| labels.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        self.equal.iter().all(|(key, value)| get(key) == Some(value))
            && self.expressions.iter().all(|(key, operator, values)| match operator.as_str() {
                "In" => get(key).is_some_and(|value| values.contains(value)),
                "NotIn" => get(key).is_none_or(|value| !values.contains(value)),
                "Exists" => get(key).is_some(),
                _ => get(key).is_none(),
            })
    }
}
