//! Rewrites of classic policies: rules split, blocks of one as the other kind of block, patterns in another order.
//!
//! In: a policy. Out: the same in other words.

use super::mapped;
use engine::json::{Map, Value};

/// A rule with several alternatives of `match.any` becomes a rule for each.
pub(super) fn rules_split(policy: &Value) -> Value {
    let is_checked = |rule: &Value| {
        rule.get("validate").is_some() && rule.get("mutate").is_none() && rule.get("generate").is_none()
    };
    let split = |rule: &Value| -> Vec<Value> {
        let all = rule.find(&["match", "any"]).and_then(Value::as_array).unwrap_or_default();
        if all.len() < 2 || !is_checked(rule) || names_pods(all) {
            return vec![rule.clone()];
        }
        let one = |(at, filter): (usize, &Value)| {
            let mut rule = rule.clone();
            let name = format!("{}-{at}", rule.find_str(&["name"]));
            let any = [("any", Value::array(vec![filter.clone()]))].into_iter().collect::<Map>();
            if let Some(map) = rule.object_mut() {
                map.insert("name", Value::from(name));
                map.insert("match", Value::object(any));
            }
            rule
        };
        all.iter().enumerate().map(one).collect()
    };
    let change = |key: &str, value: Value| match value.as_array() {
        Some(rules) if key == "rules" => Value::array(rules.iter().flat_map(split).collect()),
        _ => value,
    };
    mapped(policy, &change, "")
}

/// Autogen looks at all kinds of a rule together: a rule for Pods and others gets no rules for controllers, a part of it would.
fn names_pods(filters: &[Value]) -> bool {
    let kinds =
        |filter: &Value| filter.find(&["resources", "kinds"]).map(engine::json::to_json).unwrap_or_default();
    filters.iter().any(|filter| kinds(filter).contains("Pod"))
}

/// `any` of one is `all` of it.
pub(super) fn blocks_of_one(policy: &Value) -> Value {
    let change = |key: &str, value: Value| {
        if !matches!(key, "match" | "exclude" | "conditions" | "preconditions") {
            return value;
        }
        let Some(map) = value.as_object() else { return value };
        let [(block, items)] = map.iter().collect::<Vec<_>>()[..] else { return value };
        let other = match block.as_str() {
            "any" => "all",
            "all" => "any",
            _ => return value,
        };
        if items.as_array().is_none_or(|items| items.len() != 1) {
            return value.clone();
        }
        Value::object([(other, items.clone())].into_iter().collect::<Map>())
    };
    mapped(policy, &change, "")
}

/// The patterns of `anyPattern` the other way round.
pub(super) fn patterns_turned(policy: &Value) -> Value {
    let change = |key: &str, value: Value| if key == "anyPattern" { super::turned(value) } else { value };
    mapped(policy, &change, "")
}
