//! Mistakes in conditions that change nothing.
//!
//! In: a rule, its conditions before and after, and the place of the mistake. Out: whether one of a few rules proves that both decide the same.

use crate::mistakes::elements::of_list;
use crate::mistakes::idle::{both, list};
use crate::mistakes::patterns::{Held, holds, kinds};
use engine_json::{Path, Segment, Value};

/// The expression of a text that is a variable and nothing else.
fn variable(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    (!inner.contains("{{")).then_some(inner)
}

/// Whether a text is a way of plain names.
fn is_way(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
}

/// Conditions of which one says `Any` where the other says `All`, of a key that is one text or number: Kyverno holds both to be the same.
// Kyverno: anyKeyExistsInArray and allKeyExistsInArray.
pub(super) fn is_of_one_key(before: &Value, after: &Value, at: &Path, rule: &Value) -> bool {
    let operators = both(at, before, after).map(Option::unwrap_or_default);
    let is_pair =
        |one: &str, other: &str| matches!((one, other), ("AnyIn", "AllIn") | ("AnyNotIn", "AllNotIn"));
    let [one, other] = operators;
    if !is_pair(one, other) && !is_pair(other, one) {
        return false;
    }
    let mut keys: Vec<Segment> = at.iter().cloned().collect();
    keys.pop();
    keys.push(Segment::Key("key".into()));
    let key = before.at_path(keys.iter()).and_then(Value::as_str).unwrap_or("{{");
    !key.contains("{{") || variable(key).is_some_and(|bare| is_one(bare, &keys, before, rule))
}

/// Whether an expression has one text or number as its value.
fn is_one(bare: &str, keys: &[Segment], policy: &Value, rule: &Value) -> bool {
    let fixed = ["request.object.metadata.name", "request.object.metadata.namespace", "request.operation"];
    if fixed.contains(&bare) {
        return true;
    }
    if let Some(field) = bare.strip_prefix("element.") {
        return is_plain_field(field, keys, policy, rule);
    }
    // A variable of the rule that is a label or an annotation, or another text where there is none.
    let mut entries = list(rule.get("context")).iter().filter(|entry| entry.find_str(&["name"]) == bare);
    let (Some(entry), None) = (entries.next(), entries.next()) else { return false };
    let variable = entry.get("variable");
    let way = variable.map_or("", |variable| variable.find_str(&["jmesPath"]));
    let default = variable.and_then(|variable| variable.get("default"));
    let is_text = |rest: &str| {
        let name = rest.strip_prefix('.').unwrap_or("");
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        quoted.map_or_else(|| is_way(name) && !name.contains('.'), |name| !name.contains('"'))
            && !name.is_empty()
    };
    let of_metadata = ["request.object.metadata.annotations", "request.object.metadata.labels"];
    of_metadata.iter().any(|start| way.strip_prefix(start).is_some_and(is_text))
        && variable.is_some_and(|variable| variable.get("value").is_none())
        && default.is_none_or(|default| default.as_str().is_some_and(|text| !text.contains("{{")))
}

/// Whether a field of an element is one text, number or truth, by the types of Kubernetes.
fn is_plain_field(field: &str, keys: &[Segment], policy: &Value, rule: &Value) -> bool {
    // The loops around the condition, the outer one first.
    let loops =
        keys.iter().enumerate().filter(|(_, key)| matches!(key, Segment::Key(key) if key == "foreach"));
    let lists: Vec<&str> = loops
        .filter_map(|(at, _)| Some(policy.at_path(keys.get(..at + 2)?.iter())?.find_str(&["list"])))
        .collect();
    let ways = match lists.as_slice() {
        [one] => of_list(one),
        [outer, inner] => inner.strip_prefix("element.").filter(|inner| is_way(inner)).and_then(|inner| {
            let inner: Vec<String> = inner.split('.').chain(["[]"]).map(str::to_owned).collect();
            Some(of_list(outer)?.into_iter().map(|way| [way, inner.clone()].concat()).collect())
        }),
        _ => None,
    };
    let is_plain = |way: &Vec<String>| {
        let way: Vec<&str> = way.iter().map(String::as_str).collect();
        kinds(rule).iter().all(|kind| holds(kind, &way, field, Held::Plain))
    };
    is_way(field)
        && !field.contains('.')
        && !kinds(rule).is_empty()
        && ways.is_some_and(|ways| !ways.is_empty() && ways.iter().all(is_plain))
}

/// Whether the condition that is taken away asks whether a list contains `*`, beside one that asks for `AnyIn` over the same list: that takes
/// what the list has for a wildcard.
// Kyverno: pkg/engine/variables/operator/anyin.go, `wildcard.Match` both ways round.
pub(super) fn is_covered(before: &Value, after: &Value, at: &Path) -> bool {
    let mut keys: Vec<Segment> = at.iter().cloned().collect();
    let Some(Segment::Index(index)) = keys.pop() else { return false };
    let (Some(old), Some(new)) = (before.at_path(keys.iter()), after.at_path(keys.iter())) else {
        return false;
    };
    let (old, new) = (list(Some(old)), list(Some(new)));
    let Some(gone) = usize::try_from(index).ok().and_then(|index| old.get(index)) else { return false };
    let asked = variable(gone.find_str(&["key"])).and_then(|key| {
        let inner = key.strip_prefix("contains(")?.strip_suffix(')')?;
        inner.trim_end().strip_suffix("'*'")?.trim_end().strip_suffix(',').map(str::trim)
    });
    let is_true = gone.get("value").and_then(Value::as_bool) == Some(true)
        && matches!(gone.find_str(&["operator"]), "Equals" | "Equal");
    let covers = |other: &Value| {
        let texts = list(other.get("key"));
        other.find_str(&["operator"]) == "AnyIn"
            && !texts.is_empty()
            && texts.iter().all(|text| text.as_str().is_some_and(|text| !text.contains("{{")))
            && variable(other.find_str(&["value"])) == asked
    };
    asked.is_some() && is_true && new.len() + 1 == old.len() && new.iter().any(covers)
}

/// Whether an expression is the operation, which may have a default for background scans.
fn is_operation(expression: &str) -> bool {
    let Some(rest) = expression.strip_prefix("request.operation") else { return false };
    let default = rest.trim().strip_prefix("||").map(str::trim);
    let literal = default.and_then(|text| text.strip_prefix('\'')?.strip_suffix('\''));
    rest.is_empty() || literal.is_some_and(|text| !text.contains('\''))
}

/// Whether the operations of a match differ in such alone as the rule says nothing about: it asks for one of others.
pub(super) fn are_operations_alike(before: &Value, after: &Value, at: &Path, rule: &Value) -> bool {
    let mut keys: Vec<Segment> = at.iter().cloned().collect();
    if matches!(keys.last(), Some(Segment::Index(_))) {
        keys.pop();
    }
    let named = |policy: &Value| -> Option<Vec<String>> {
        let items = policy.at_path(keys.iter())?.as_array()?;
        Some(items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    };
    let is_in = |policy: &Value, operation: &str| {
        named(policy).is_none_or(|named| named.iter().any(|name| name == "*" || name == operation))
    };
    let asked = |condition: &Value| {
        let value = condition.find_str(&["value"]);
        let is_one = matches!(condition.find_str(&["operator"]), "Equals" | "Equal");
        let is_it = is_one && variable(condition.find_str(&["key"])).is_some_and(is_operation);
        (is_it && !value.is_empty()).then(|| value.to_owned())
    };
    // A rule that refuses where all hold, and one that is skipped where one does not, decide nothing about other operations.
    let blocks = [rule.find(&["validate", "deny", "conditions"]), rule.get("preconditions")];
    let operation = blocks.into_iter().find_map(|block| all(block)?.iter().find_map(asked));
    operation.is_some_and(|operation| is_in(before, &operation) == is_in(after, &operation))
}

/// The conditions that all must hold; nothing where they are put together otherwise.
pub(super) fn all(conditions: Option<&Value>) -> Option<&[Value]> {
    match conditions? {
        Value::Object(map) if map.len() == 1 => Some(list(map.get("all"))).filter(|all| !all.is_empty()),
        Value::Array(items) => Some(items),
        _ => None,
    }
}

/// The one condition that differs.
fn changed<'v>(before: Option<&'v Value>, after: Option<&'v Value>) -> Option<[&'v Value; 2]> {
    let (before, after) = (all(before)?, all(after)?);
    let mut pairs = before.iter().zip(after).filter(|(one, other)| one != other);
    let first = pairs.next().filter(|_| before.len() == after.len())?;
    pairs.next().is_none().then_some([first.0, first.1])
}

/// Whether a precondition asks for one element at least, or for none, of a list that the rule then denies by elements of: with none it
/// denies nothing.
pub(super) fn asks_for_elements(rule: &Value, before: Option<&Value>, after: Option<&Value>) -> bool {
    let Some(both) = changed(before, after) else { return false };
    let way = |condition: &Value| {
        let key = variable(condition.find_str(&["key"]))?.strip_prefix("length(")?.strip_suffix(')')?;
        let way = key.trim().strip_suffix("|| `[]`").map_or(key, str::trim).trim();
        let bound = condition.get("value").and_then(Value::as_i64)?;
        // A projection over containers is a list, be it empty.
        let is_list = way.starts_with("request.object.spec.containers[]") && way.ends_with("[]");
        let lets_some_in = match condition.find_str(&["operator"]) {
            "GreaterThan" => bound <= 0,
            "GreaterThanOrEquals" => bound <= 1,
            _ => false,
        };
        (is_list && lets_some_in).then(|| way.to_owned())
    };
    let (Some(one), Some(other)) = (way(both[0]), way(both[1])) else { return false };
    let of_elements = |condition: &Value| {
        let value = variable(condition.find_str(&["value"])).unwrap_or("");
        condition.find_str(&["operator"]) == "AnyIn"
            && value
                .strip_prefix(one.as_str())
                .is_some_and(|rest| rest.starts_with('.') && !rest.contains('|'))
    };
    let denied = list(rule.find(&["validate", "deny", "conditions", "any"]));
    let is_alone = rule.find(&["validate", "deny", "conditions", "all"]).is_none();
    one == other && is_alone && !denied.is_empty() && denied.iter().all(of_elements)
}

/// Whether a precondition differs at its bound alone, and the rule then writes the bound, which is there already.
pub(super) fn is_at_bound(rule: &Value, before: Option<&Value>, after: Option<&Value>) -> bool {
    let Some([one, other]) = changed(before, after) else { return false };
    let is_near = |one: &Value, other: &Value| {
        matches!(
            (one.find_str(&["operator"]), other.find_str(&["operator"])),
            ("GreaterThan", "GreaterThanOrEquals") | ("LessThan", "LessThanOrEquals")
        )
    };
    let bound = one.get("value").filter(|bound| bound.as_i64().is_some_and(|bound| bound != 0));
    let is_alike = one.get("key") == other.get("key") && one.get("value") == other.get("value");
    if bound.is_none() || !is_alike || !(is_near(one, other) || is_near(other, one)) {
        return false;
    }
    let key = variable(one.find_str(&["key"])).unwrap_or("");
    // What is not there is zero, which is not the bound.
    let way =
        key.split_once("||").map_or(key, |(way, default)| if default.trim() == "`0`" { way } else { "" });
    let Some(way) = way.trim().strip_prefix("request.object.").filter(|way| is_way(way)) else {
        return false;
    };
    let mut written = rule.find(&["mutate", "patchStrategicMerge"]);
    for step in way.split('.') {
        // Nothing else is written.
        let only = written.and_then(Value::as_object).filter(|map| map.len() == 1);
        written = only.and_then(|map| map.get(step));
    }
    let is_alone = rule.get("mutate").and_then(Value::as_object).is_some_and(|mutate| mutate.len() == 1);
    is_alone && written == bound
}
