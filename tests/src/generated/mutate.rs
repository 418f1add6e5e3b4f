//! What `mutate` rules do: strategic merges made of what a resource holds, JSON patches, loops.

use super::condition::conditions;
use super::expression::{Expressions, Place, Scope};
use super::pattern::pattern;
use super::{object, odd};
use crate::random::Choices;
use engine::json::Value;

/// The body of a `mutate`.
pub(super) fn mutate(
    choices: &mut Choices,
    expressions: &Expressions,
    scope: Scope,
    sample: &Value,
) -> Value {
    if choices.below(4) < 3 {
        return patch(choices, expressions, sample, scope);
    }
    let mut entries = vec![("list", Value::from("request.object.spec.containers"))];
    if choices.once_in(3) {
        entries.push(("order", Value::from(choices.pick(&["Ascending", "Descending"]))));
    }
    if choices.once_in(3) {
        entries.push(("preconditions", conditions(choices, expressions, scope.within_loop())));
    }
    let mut each = object(entries);
    if let (Some(each), Value::Object(patch)) =
        (each.object_mut(), patch(choices, expressions, sample, scope.within_loop()))
    {
        patch.iter().for_each(|(key, value)| drop(each.insert(key.clone(), value.clone())));
    }
    object([("foreach", Value::array(vec![each]))])
}

fn patch(choices: &mut Choices, expressions: &Expressions, sample: &Value, scope: Scope) -> Value {
    if choices.once_in(2) {
        let operations: String =
            (0..=choices.below(2)).map(|_| operation(choices, expressions, scope)).collect();
        return object([("patchesJson6902", Value::from(operations))]);
    }
    let merge = if scope.place == Place::Loop {
        let text = Value::from(expressions.text(choices, scope));
        let container = object([("(name)", Value::from("{{ element.name }}")), ("imagePullPolicy", text)]);
        object([("spec", object([("containers", Value::array(vec![container]))]))])
    } else {
        pattern(choices, sample, 4)
    };
    object([("patchStrategicMerge", odd(choices, merge))])
}

fn operation(choices: &mut Choices, expressions: &Expressions, scope: Scope) -> String {
    let common = [
        "/metadata/labels/app",
        "/metadata/labels/new",
        "/metadata/annotations/a~1b",
        "/metadata/annotations",
        "/spec/containers/0/image",
        "/spec/containers/-",
        "/spec/a",
    ];
    let rare = [
        "/spec/nothing/at/all",
        "",
        "/",
        "/spec/containers/{{elementIndex}}/name",
        "a",
        "/spec/containers/7",
    ];
    let paths = if choices.once_in(12) { &rare[..] } else { &common[..] };
    let operation = choices.pick(&["add", "add", "replace", "replace", "remove", "copy", "move", "test"]);
    let path = choices.pick(paths);
    let value = match choices.below(4) {
        0 => "{a: 1}".to_owned(),
        1 => "[1]".to_owned(),
        2 => "\"x\"".to_owned(),
        _ => format!("{:?}", expressions.text(choices, scope)),
    };
    format!("- op: {operation}\n  path: \"{path}\"\n  from: \"{}\"\n  value: {value}\n", choices.pick(paths))
}
