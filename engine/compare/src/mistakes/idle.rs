//! Mistakes that change nothing, whatever the request: a search that does not notice them has missed nothing.
//!
//! In: a policy, the same with a mistake, and its place. Out: whether one of a few rules proves that both decide the same. Each rule is
//! about a form of policies, with the reason; none is about a policy of a name.

use crate::constraints::is_needed;
use crate::mistakes::mutants::is_covered;
use crate::objects::defaults::is_filled_in;
use crate::objects::kinds::CONTROLLERS;
use crate::objects::schema::{Schema, Shape};
use crate::reads::classic::without_anchor;
use engine_json::{Path, Segment, Value};

/// Whether the mistake changes nothing.
pub(crate) fn is_idle(old: &Value, new: &Value, at: &Path) -> bool {
    let expression = |policy: &Value| policy.at_path(at.iter()).and_then(Value::as_str).map(str::to_owned);
    let is_expression = matches!(at.iter().last(), Some(Segment::Key(key)) if key == "expression");
    let are_alike = || match (expression(old), expression(new)) {
        (Some(old), Some(new)) => crate::mistakes::cel_mutants::are_alike(&old, &new),
        _ => false,
    };
    never_matches(old) || is_idle_in_rule(old, new, at) || (is_expression && are_alike())
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

/// A policy in CEL whose resource rules name no operation is for no request.
fn never_matches(policy: &Value) -> bool {
    let rules = list(policy.find(&["spec", "matchConstraints", "resourceRules"]));
    !rules.is_empty() && rules.iter().all(|rule| list(rule.get("operations")).is_empty())
}

fn is_idle_in_rule(before: &Value, after: &Value, at: &Path) -> bool {
    let keys: Vec<&str> = at
        .iter()
        .map(|segment| match segment {
            Segment::Key(key) => key.as_str(),
            Segment::Index(_) => "[]",
        })
        .collect();
    let Some(index) = at.iter().find_map(|segment| match segment {
        Segment::Index(index) => Some(*index),
        Segment::Key(_) => None,
    }) else {
        return false;
    };
    let rule_of = |policy: &Value| {
        policy.find(&["spec", "rules"]).and_then(|rules| rules.at(usize::try_from(index).ok()?)).cloned()
    };
    let (Some(old), Some(new)) = (rule_of(before), rule_of(after)) else { return false };
    match keys.as_slice() {
        ["spec", "rules", "[]", "preconditions", ..] => {
            let [before, after] = [&old, &new].map(|rule| rule.get("preconditions"));
            are_alike(before, after)
                || (decides_nothing_of_deletions(&old) && are_of_deletions(before, after))
        }
        [.., "operator"] if is_of_one_key(before, after, at) => true,
        ["spec", "rules", "[]", "validate", "pattern", below @ ..] => {
            let [before, after] = [&old, &new].map(|rule| rule.find(&["validate", "pattern"]));
            let (Some(before), Some(after)) = (before, after) else { return false };
            is_idle_in_pattern(&old, below, [before, after])
        }
        // Every image is a text that is not empty.
        ["spec", "rules", "[]", "validate", "podSecurity", "exclude", "[]", "images", "[]"] => {
            is_any_text(both(at, before, after))
        }
        ["spec", "rules", "[]", "validate", "foreach", "[]", "pattern", .., list, "[]", "name" | "image"]
            if CONTAINERS.contains(&without_anchor(list)) =>
        {
            is_any_text(both(at, before, after))
        }
        // `a || a && b` is `a`, whatever `b` is.
        ["spec", "rules", "[]", "match", "any", "[]", ..] => {
            let indexes: Vec<usize> = at
                .iter()
                .filter_map(|segment| match segment {
                    Segment::Index(index) => usize::try_from(*index).ok(),
                    Segment::Key(_) => None,
                })
                .collect();
            let covers = |rule: &Value| {
                let any = list(rule.find(&["match", "any"]));
                indexes.get(1).is_some_and(|index| is_covered(any, *index))
            };
            list(old.find(&["match", "any"])).len() == list(new.find(&["match", "any"])).len()
                && covers(&old)
                && covers(&new)
        }
        _ => false,
    }
}

/// Conditions of which one says `Any` where the other says `All`, of a key that is one text: Kyverno holds both to be the same.
// Kyverno: anyKeyExistsInArray and allKeyExistsInArray.
fn is_of_one_key(before: &Value, after: &Value, at: &Path) -> bool {
    let operators = both(at, before, after).map(Option::unwrap_or_default);
    let is_pair =
        |one: &str, other: &str| matches!((one, other), ("AnyIn", "AllIn") | ("AnyNotIn", "AllNotIn"));
    let [one, other] = operators;
    let mut keys: Vec<Segment> = at.iter().cloned().collect();
    keys.pop();
    keys.push(Segment::Key("key".into()));
    let path = keys.iter().fold(Path::root(), |path, key| path.join(key.clone()));
    let key = before.at_path(path.iter()).and_then(Value::as_str).unwrap_or("{{");
    let bare = key.trim().trim_start_matches('{').trim_end_matches('}').trim();
    let is_one = !key.contains("{{")
        || matches!(
            bare,
            "request.object.metadata.name" | "request.object.metadata.namespace" | "request.operation"
        );
    (is_pair(one, other) || is_pair(other, one)) && is_one
}

/// What stands at a place before and after.
fn both<'v>(at: &Path, before: &'v Value, after: &'v Value) -> [Option<&'v str>; 2] {
    [before, after].map(|policy| policy.at_path(at.iter()).and_then(Value::as_str))
}

/// Whether both hold of every text that is not empty.
fn is_any_text(both: [Option<&str>; 2]) -> bool {
    both.iter().all(|text| matches!(text, Some("*" | "?*")))
}

/// Conditions on the operation alone; `None` where there is another condition.
fn operations(conditions: Option<&Value>) -> Option<Vec<&Value>> {
    let Some(conditions) = conditions else { return Some(Vec::new()) };
    let found: Vec<&Value> = match conditions {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) if map.len() == 1 && map.contains_key("all") => {
            list(map.get("all")).iter().collect()
        }
        Value::Object(map) if map.len() == 1 && list(map.get("any")).len() == 1 => {
            list(map.get("any")).iter().collect()
        }
        _ => return None,
    };
    let is_of_operation = |condition: &&Value| {
        condition.get("any").is_none()
            && condition.get("all").is_none()
            && crate::mistakes::mutants::is_operation(condition.find_str(&["key"]))
    };
    found.iter().all(is_of_operation).then_some(found)
}

/// The operation is a text: it is not equal to a list, whatever is in it.
fn always_holds(condition: &Value) -> bool {
    matches!(condition.find_str(&["operator"]), "NotEquals" | "NotEqual")
        && condition.get("value").is_some_and(|value| value.as_array().is_some())
}

/// Whether all conditions before and after always hold.
fn are_alike(before: Option<&Value>, after: Option<&Value>) -> bool {
    [before, after].into_iter().all(|conditions| {
        operations(conditions).is_some_and(|all| all.iter().all(|condition| always_holds(condition)))
    })
}

/// Whether the conditions before and after let creations and updates through, so that only what is deleted can tell them apart.
fn are_of_deletions(before: Option<&Value>, after: Option<&Value>) -> bool {
    [before, after].into_iter().all(|conditions| {
        operations(conditions).is_some_and(|all| all.iter().all(|condition| lets_changes_through(condition)))
    })
}

/// Whether a condition on the operation holds of creations and of updates.
fn lets_changes_through(condition: &Value) -> bool {
    let Some(value) = condition.get("value") else { return false };
    let texts: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    // What is put together of other things, or matches several operations, is not looked into.
    if texts.is_empty() || texts.iter().any(|text| text.contains(['*', '?', '{', '|', '!', '<', '>', '&'])) {
        return false;
    }
    let both = ["CREATE", "UPDATE"];
    match condition.find_str(&["operator"]) {
        "NotEquals" | "NotEqual" => value.as_array().is_some() || !both.contains(&texts.join("").as_str()),
        "NotIn" | "AnyNotIn" | "AllNotIn" => !both.iter().any(|operation| texts.contains(operation)),
        "In" | "AnyIn" | "AllIn" => {
            value.as_array().is_some() && both.iter().all(|operation| texts.contains(operation))
        }
        _ => false,
    }
}

/// Kyverno does not hold patterns against what is deleted, and then `request.object` has no lists whose elements could be looked at.
fn decides_nothing_of_deletions(rule: &Value) -> bool {
    let Some(validate) = rule.get("validate").and_then(Value::as_object) else { return false };
    // A variable that has no value is an error before the pattern is looked at.
    if validate.contains_key("pattern") || validate.contains_key("anyPattern") {
        return rule.get("context").is_none()
            && !engine_json::to_json(&Value::object(validate.clone())).contains("{{");
    }
    let each = list(validate.get("foreach"));
    let is_of_object = |each: &Value| {
        let list = each.find_str(&["list"]);
        // A projection of what is not there is not there; a function or an alternative may be.
        list.starts_with("request.object.") && !list.contains(['(', '|', '&', '`', '{', '!'])
    };
    rule.get("context").is_none() && !each.is_empty() && each.iter().all(is_of_object)
}

/// The lists of containers, each with a name and an image.
const CONTAINERS: [&str; 3] = crate::objects::kinds::CONTAINER_LISTS;

/// A mistake below this place of a pattern; `below` ends with the place of a value, or with the map whose key is another one.
fn is_idle_in_pattern(rule: &Value, below: &[&str], [before, after]: [&Value; 2]) -> bool {
    let bare: Vec<&str> = below.iter().map(|key| without_anchor(key)).collect();
    // Names and images of containers are there and not empty: `*` and `?*` hold of the same.
    if let [.., list, "[]", "name" | "image"] = bare.as_slice()
        && CONTAINERS.contains(list)
    {
        let leaf = |pattern: &Value| follow(pattern, below).and_then(Value::as_str).map(str::to_owned);
        let both = [leaf(before), leaf(after)];
        return both.iter().all(|leaf| matches!(leaf.as_deref(), Some("*" | "?*")));
    }
    // So are quantities.
    if let [before_last @ .., last] = bare.as_slice()
        && kinds(rule).iter().all(|kind| holds(kind, before_last, last, Held::Quantity))
        && !kinds(rule).is_empty()
    {
        let leaf = |pattern: &Value| follow(pattern, below).and_then(Value::as_str).map(str::to_owned);
        if [leaf(before), leaf(after)].iter().all(|leaf| matches!(leaf.as_deref(), Some("*" | "?*"))) {
            return true;
        }
    }
    let Some((from, to)) = other_key(follow(before, below), follow(after, below)) else { return false };
    let key = without_anchor(&from);
    let is_equality = |text: &str| text == key || text == format!("=({key})");
    if is_equality(&from) && is_equality(&to) {
        let is_selected = bare == ["metadata"] && key == "labels" && selects_by_label(rule);
        let is_there = || {
            !kinds(rule).is_empty() && kinds(rule).iter().all(|kind| holds(kind, &bare, key, Held::Needed))
        };
        return is_selected || (is_of_pods(rule) && is_filled_in(&bare, key)) || is_there();
    }
    // `X(list): null` and `list: null` both hold where the list is not there, and of no list, no object and no quantity, which is stored as
    // a text with a number in it.
    let is_null =
        |map: Option<&Value>, key: &str| map.and_then(|map| map.get(key)).is_some_and(Value::is_null);
    let is_negation = |text: &str| text == format!("X({key})");
    (is_negation(&from) || is_negation(&to))
        && (from == key || to == key)
        && is_null(follow(before, below), &from)
        && is_null(follow(after, below), &to)
        && kinds(rule).iter().all(|kind| holds(kind, &bare, key, Held::NothingEmpty))
}

/// What stands at a place of a pattern; `[]` is the only element.
fn follow<'v>(pattern: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(pattern, |value, key| match *key {
        "[]" => value.at(0).filter(|_| list(Some(value)).len() == 1),
        key => value.get(key),
    })
}

/// The key that is another one.
fn other_key(before: Option<&Value>, after: Option<&Value>) -> Option<(String, String)> {
    let (before, after) = (before?.as_object()?, after?.as_object()?);
    let missing = |map: &engine_json::Map, other: &engine_json::Map| {
        let mut keys = map.keys().filter(|key| !other.contains_key(key));
        let first = keys.next()?.to_string();
        keys.next().is_none().then_some(first)
    };
    Some((missing(before, after)?, missing(after, before)?))
}

/// The kinds that a rule is for; none where it does not name them plainly.
fn kinds(rule: &Value) -> Vec<&str> {
    let Some(block) = rule.get("match") else { return Vec::new() };
    let filters = list(block.get("any")).iter().chain(list(block.get("all"))).chain([block]);
    let kinds = filters.flat_map(|filter| list(filter.find(&["resources", "kinds"])));
    kinds.filter_map(Value::as_str).collect()
}

/// Whether a rule is for Pods alone, or for what makes them.
fn is_of_pods(rule: &Value) -> bool {
    let kinds = kinds(rule);
    let is_known = |kind: &&str| {
        let name = kind.rsplit('/').next().unwrap_or(kind);
        name == "Pod" || CONTROLLERS.iter().any(|(_, known)| *known == name)
    };
    !kinds.is_empty() && kinds.iter().all(is_known)
}

/// Whether every object that a rule is for has a label.
fn selects_by_label(rule: &Value) -> bool {
    let needs_label = |filter: &Value| {
        let labels = filter.find(&["resources", "selector", "matchLabels"]);
        labels.and_then(Value::as_object).is_some_and(|labels| !labels.is_empty())
    };
    let Some(block) = rule.get("match") else { return false };
    let (any, all) = (list(block.get("any")), list(block.get("all")));
    needs_label(block) || all.iter().any(needs_label) || (!any.is_empty() && any.iter().all(needs_label))
}

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A list, an object or a quantity, which is never an empty text, a zero or false.
    NothingEmpty,
    /// A quantity.
    Quantity,
    /// What its type takes none without.
    Needed,
}

/// Whether a field of one of Kubernetes' own kinds holds this, in each version of the kind.
fn holds(kind: &str, keys: &[&str], last: &str, held: Held) -> bool {
    let schema = Schema::new();
    let kind = kind.rsplit('/').next().unwrap_or(kind);
    let versions: Vec<(&str, &str)> = schema.kinds().filter(|(_, known)| *known == kind).collect();
    let is_held = |holder: &Shape| {
        let is_quantity = match holder {
            // A map of quantities is a field that holds them.
            Shape::Map(inner) => **inner == Shape::Either,
            holder => {
                schema.holds_quantities(holder, last) && schema.field(holder, last) == Some(Shape::Either)
            }
        };
        let is_whole =
            matches!(schema.field(holder, last), Some(Shape::List(_) | Shape::Object(_) | Shape::Map(_)));
        match (held, holder) {
            (Held::NothingEmpty, _) => is_whole || is_quantity,
            (Held::Quantity, _) => is_quantity,
            (Held::Needed, Shape::Object(of)) => is_needed(of, last),
            (Held::Needed, _) => false,
        }
    };
    let in_version = |(version, kind): &(&str, &str)| {
        let holder = keys.iter().try_fold(schema.kind(version, kind)?, |shape, key| match *key {
            "[]" => Schema::element(&shape),
            key => schema.field(&shape, key),
        })?;
        Some(is_held(&holder))
    };
    !versions.is_empty() && versions.iter().all(|version| in_version(version) == Some(true))
}
