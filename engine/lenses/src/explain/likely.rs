//! Which edits are worth a try, and which of them first.
//!
//! In: proposals, and the resource as it stands. Out: those that leave the object what it is, in the order in which they are tried.

use super::edits::Proposal;
use engine_json::{Path, Segment, Value};

/// Amounts before other values where an amount is missing, and what takes a container away behind all else.
pub(super) fn likeliest_first(proposals: Vec<Vec<Proposal>>, state: &Value) -> Vec<Vec<Proposal>> {
    let mut first: Vec<Vec<Proposal>> = Vec::new();
    for (path, _) in proposals.iter().flatten().filter(|(path, _)| state.at_path(path.iter()).is_none()) {
        let step = amount(path).map(|amount| vec![(path.clone(), Some(Value::from(amount)))]);
        first.extend(step.filter(|step| !first.contains(step)).into_iter().take(1));
    }
    let takes =
        |step: &Vec<Proposal>| step.iter().any(|(path, value)| takes_container(path, value.as_ref(), state));
    let (mut last, others): (Vec<_>, Vec<_>) = proposals.into_iter().partition(takes);
    first.extend(others);
    first.append(&mut last);
    first
}

/// What may stand at a place below `limits` or `requests`.
fn amount(path: &Path) -> Option<&'static str> {
    match &**path {
        [.., Segment::Key(of), Segment::Key(name)] if of == "limits" || of == "requests" => {
            Some(match name.as_str() {
                "cpu" => "100m",
                "memory" | "ephemeral-storage" => "128Mi",
                _ => "1",
            })
        }
        _ => None,
    }
}

/// Whether containers are fewer with it.
fn takes_container(path: &Path, value: Option<&Value>, state: &Value) -> bool {
    let is_list = |segment: &Segment| matches!(segment, Segment::Key(key) if matches!(key.as_str(), "containers" | "initContainers"));
    match &**path {
        [.., list] if is_list(list) => {
            let count = |value: Option<&Value>| value.and_then(Value::as_array).map_or(0, <[Value]>::len);
            count(value) < count(state.at_path(path.iter()))
        }
        [.., list, Segment::Index(_)] if is_list(list) => value.is_none(),
        _ => false,
    }
}

/// Whether a scalar stays a text, a number or a truth value; labels and annotations are texts.
pub(super) fn is_of_type(path: &Path, value: Option<&Value>, state: &Value) -> bool {
    let is_in = |name: &str| matches!(&**path, [.., Segment::Key(map), _] if map == name);
    if is_in("labels") || is_in("annotations") {
        return value.is_none_or(|value| value.as_str().is_some());
    }
    if amount(path).is_some() {
        let is_amount = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        return value
            .is_none_or(|value| value.as_str().is_some_and(is_amount) || value.as_number().is_some());
    }
    if matches!(&**path, [.., Segment::Key(of)] if of == "limits" || of == "requests") {
        return value.is_none_or(|value| value.as_object().is_some());
    }
    match (state.at_path(path.iter()), value) {
        // A beginning or an end alone is hardly meant.
        (Some(Value::String(_)), Some(value)) => {
            value.as_str().is_some_and(|text| !text.ends_with(['/', ':']))
        }
        (Some(Value::Bool(_)), Some(value)) => value.as_bool().is_some(),
        (Some(Value::Number(_)), Some(value)) => value.as_number().is_some(),
        _ => true,
    }
}

/// Whether an edit leaves the object what it is: its kind and its containers stay.
pub(super) fn is_sensible(path: &Path, value: Option<&Value>, state: &Value) -> bool {
    let keys: Vec<&str> = path
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) => "[]",
        })
        .collect();
    let is_identity = matches!(keys.as_slice(), ["kind" | "apiVersion" | "metadata" | "spec"] | [])
        && (value.is_none() || state.at_path(path.iter()).is_some());
    let holds_pod = matches!(keys.as_slice(), [.., "containers" | "template"] | [.., "template", "spec"]);
    // The last container stays.
    let is_only_container = matches!(keys.as_slice(), [.., "containers", "[]"])
        && path.split_last().is_some_and(|(_, list)| {
            state.at_path(list).and_then(Value::as_array).is_none_or(|list| list.len() < 2)
        });
    let is_name =
        matches!(keys.as_slice(), ["metadata", "name"] | [.., "containers", "[]", "name" | "image"]);
    let is_emptied = value.is_none_or(|value| !is_filled(value));
    !(is_identity || ((holds_pod || is_only_container) && is_emptied) || (is_name && value.is_none()))
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_comes_first_where_one_is_missing_and_what_takes_a_container_away_comes_last() {
        let named = |name: &str| Value::object([("name", Value::from(name))].into_iter().collect());
        let list = |names: &[&str]| Value::array(names.iter().map(|name| named(name)).collect());
        let spec = Value::object([("containers", list(&["a", "b"]))].into_iter().collect());
        let state = Value::object([("spec", spec)].into_iter().collect());
        let containers = Path::from_keys(&["spec", "containers"]);
        let memory = containers.join(1_usize).join("resources").join("limits").join("memory");
        let fewer = vec![(containers.clone(), Some(list(&["a"])))];
        let truth = vec![(memory.clone(), Some(Value::from(true)))];
        let amount = vec![(memory.clone(), Some(Value::from("128Mi")))];
        let ordered = likeliest_first(vec![fewer.clone(), truth.clone()], &state);
        assert_eq!(ordered, [amount, truth, fewer]);
        assert!(!is_of_type(&memory, Some(&Value::from(true)), &state));
        assert!(is_of_type(&memory, Some(&Value::from("1Gi")), &state));
    }
}
