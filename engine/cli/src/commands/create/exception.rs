//! `podsieve create exception --policy-refs`: a PolicyException of the group `policies.kyverno.io`, for policies in CEL.
//!
//! In: the arguments. Out: its text. The original writes exceptions of classic rules alone.

use crate::args::CreateException;
use engine::json::{Map, Value};
use engine::yaml::emit::to_yaml_ordered;

/// The exception.
pub(super) fn of_policies(arguments: &CreateException) -> String {
    let CreateException { name, namespace, .. } = arguments;
    let text = |text: &str| Value::from(text);
    let map = |pairs: Vec<(&str, Value)>| {
        let mut map = Map::new();
        for (key, value) in pairs {
            map.insert(key, value);
        }
        Value::from(map)
    };
    let list = |values: Vec<Value>| Value::from(values);
    let references = arguments.policy_refs.iter();
    let references = references.map(|(kind, name)| map(vec![("kind", text(kind)), ("name", text(name))]));
    let mut spec = vec![("policyRefs", list(references.collect()))];
    if !arguments.condition.is_empty() {
        let conditions = arguments.condition.iter().enumerate().map(|(at, expression)| {
            let name = format!("condition-{}", at + 1);
            map(vec![("name", text(&name)), ("expression", text(expression))])
        });
        spec.push(("matchConditions", list(conditions.collect())));
    }
    for (field, values) in [("images", &arguments.image), ("allowedValues", &arguments.allowed_value)] {
        if !values.is_empty() {
            spec.push((field, list(values.iter().map(|value| text(value)).collect())));
        }
    }
    let metadata = vec![("name", text(name)), ("namespace", text(namespace))];
    to_yaml_ordered(&map(vec![
        ("apiVersion", text("policies.kyverno.io/v1")),
        ("kind", text("PolicyException")),
        ("metadata", map(metadata)),
        ("spec", map(spec)),
    ]))
}
