//! Mistakes that change nothing, whatever the request: a search that does not notice them has missed nothing.
//!
//! In: a policy, the same with a mistake, and its place. Out: whether one of a few rules proves that both decide the same. Each rule is
//! about a form of policies, with the reason; none is about a policy of a name.

use crate::mistakes::cel_mutants::are_alike as are_alike_in_cel;
use crate::mistakes::conditions;
use crate::mistakes::elements::scopes;
use crate::mistakes::mutants::is_covered;
use crate::mistakes::never_there;
use crate::mistakes::patterns::{self, CONTAINERS, InPattern};
use crate::mistakes::reached;
use crate::objects::kinds::EPHEMERAL_LIST;
use crate::objects::valid::NOT_EPHEMERAL;
use crate::reads::cel::parsed;
use crate::reads::classic::without_anchor;
use crate::reads::field_path::keys_of;
use engine_json::{Path, Segment, Value};

/// Whether the mistake changes nothing.
pub(crate) fn is_idle(old: &Value, new: &Value, at: &Path) -> bool {
    let expression = |policy: &Value| policy.at_path(at.iter()).and_then(Value::as_str).map(str::to_owned);
    let is_expression = matches!(at.iter().last(), Some(Segment::Key(key)) if key == "expression");
    let are_alike = || match (expression(old), expression(new)) {
        (Some(before), Some(after)) => {
            are_alike_in_cel(&before, &after)
                || reached::is_idle(old, &before, &after)
                || never_there::are_alike(old, rule_at(old, at), &before, &after)
        }
        _ => false,
    };
    never_matches(old)
        || reached::admits_all(old, at)
        || never_there::is_refused_before(old, at)
        || never_there::is_read_by_none(old, at)
        || is_idle_in_rule(old, new, at)
        || is_of_no_use(both(at, old, new))
        || (is_expression && are_alike())
}

/// The rule of a ClusterPolicy in which a place is.
fn rule_at<'p>(policy: &'p Value, at: &Path) -> Option<&'p Value> {
    let index = number(at, 0).filter(|_| policy.find(&["spec", "rules"]).is_some())?;
    list(policy.find(&["spec", "rules"])).get(index)
}

/// Whether a list of containers is forgotten of which nothing is read that its elements can have: ephemeral containers have no ports.
fn is_of_no_use(both: [Option<&str>; 2]) -> bool {
    let [Some(before), Some(after)] = both else { return false };
    let rests = |text: &str| -> Vec<String> {
        let parts = text.split(EPHEMERAL_LIST).skip(1);
        parts.map(|rest| rest.split_once(']').map_or("", |(_, rest)| rest).to_owned()).collect()
    };
    let forgotten = |text: &str| {
        text.replace(&format!("{EPHEMERAL_LIST}, "), "").replace(&format!(", {EPHEMERAL_LIST}"), "")
    };
    let is_hollow = |rest: &String| {
        let field = rest.strip_prefix("[].").unwrap_or("");
        let name = field.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        name != "resources" && NOT_EPHEMERAL.contains(&name)
    };
    forgotten(before) == after && !rests(before).is_empty() && rests(before).iter().all(is_hollow)
}

pub(super) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).unwrap_or_default()
}

/// A policy in CEL whose resource rules name no operation is for no request.
fn never_matches(policy: &Value) -> bool {
    let rules = list(policy.find(&["spec", "matchConstraints", "resourceRules"]));
    !rules.is_empty() && rules.iter().all(|rule| list(rule.get("operations")).is_empty())
}

/// Whether an expression of a rule cannot be read: Kyverno takes such a rule, which fails for each object that it matches.
fn fails_always(rule: &Value) -> bool {
    let expressions = list(rule.find(&["validate", "cel", "expressions"]));
    expressions.iter().any(|one| parsed(one.find_str(&["expression"])).is_none())
}

fn is_idle_in_rule(before: &Value, after: &Value, at: &Path) -> bool {
    let keys = keys_of(at);
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
        [.., "operator"] if conditions::is_of_one_key(before, after, at, &old) => true,
        ["spec", "rules", "[]", "preconditions", ..] => {
            let [before, after] = [&old, &new].map(|rule| rule.get("preconditions"));
            are_alike(before, after)
                || conditions::asks_for_elements(&old, before, after)
                || conditions::is_at_bound(&old, before, after)
                || (decides_nothing_of_deletions(&old) && are_of_deletions(before, after))
        }
        ["spec", "rules", "[]", "validate", "pattern", below @ ..] => {
            let both = [&old, &new].map(|rule| rule.find(&["validate", "pattern"]));
            in_pattern(before, &old, below, both, (&[], "request.object"))
        }
        ["spec", "rules", "[]", "validate", "anyPattern", "[]", below @ ..] => {
            let pattern = |rule: &Value| rule.find(&["validate", "anyPattern"])?.at(number(at, 1)?).cloned();
            let both = [pattern(&old), pattern(&new)];
            in_pattern(before, &old, below, both.each_ref().map(Option::as_ref), (&[], "request.object"))
        }
        ["spec", "rules", "[]", "validate", "cel", ..] => [&old, &new].iter().all(|rule| fails_always(rule)),
        ["spec", "rules", "[]", "match", .., "resources", "operations"]
        | ["spec", "rules", "[]", "match", .., "resources", "operations", "[]"] => {
            conditions::are_operations_alike(before, after, at, &old)
        }
        ["spec", "rules", "[]", "validate", "foreach", "[]", "pattern", below @ ..] => {
            in_loop(before, [&old, &new], below, at)
        }
        [.., "conditions", "any"] | [.., "conditions", "any", "[]"]
            if conditions::is_covered(before, after, at) =>
        {
            true
        }
        ["spec", "rules", "[]", "match", "any", "[]", "resources", "kinds", ..]
            if reached::are_kinds_alike(before, after, at) =>
        {
            true
        }
        // Every image is a text that is not empty.
        ["spec", "rules", "[]", "validate", "podSecurity", "exclude", "[]", "images", "[]"] => {
            is_any_text(both(at, before, after))
        }
        // `a || a && b` is `a`, whatever `b` is.
        ["spec", "rules", "[]", "match", "any", "[]", ..] => is_covered_in_match([&old, &new], at),
        _ => false,
    }
}

/// Whether the alternative of a match that differs is one that another covers, before and after.
fn is_covered_in_match([old, new]: [&Value; 2], at: &Path) -> bool {
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
        && covers(old)
        && covers(new)
}

/// A mistake in the pattern of a loop.
fn in_loop(policy: &Value, rules: [&Value; 2], below: &[&str], at: &Path) -> bool {
    let each = |rule: &Value| Some(rule.find(&["validate", "foreach"])?.at(number(at, 1)?)?.clone());
    let (Some(one), Some(other)) = (each(rules[0]), each(rules[1])) else { return false };
    let both = [&one, &other].map(|each| each.get("pattern"));
    let is_whole = one.get("elementScope").and_then(Value::as_bool) == Some(false);
    let name = if is_whole { "request.object" } else { "element" };
    let ways = scopes(&one).unwrap_or_else(|| vec![vec!["?".to_owned()]]);
    !ways.is_empty() && ways.iter().all(|way| in_pattern(policy, rules[0], below, both, (way, name)))
}

/// The index of this number, counted from 0, on the way to a mistake.
fn number(at: &Path, count: usize) -> Option<usize> {
    let mut indexes = at.iter().filter_map(|segment| match segment {
        Segment::Index(index) => usize::try_from(*index).ok(),
        Segment::Key(_) => None,
    });
    indexes.nth(count)
}

fn in_pattern(
    policy: &Value,
    rule: &Value,
    below: &[&str],
    both: [Option<&Value>; 2],
    (scope, name): (&[String], &str),
) -> bool {
    let [Some(before), Some(after)] = both else { return false };
    if let [.., of, "[]", "name" | "image"] = below
        && CONTAINERS.contains(&without_anchor(of))
        && scope.first().is_some_and(|key| key == "?")
    {
        let leaf =
            |pattern: &Value| patterns::follow(pattern, below).and_then(Value::as_str).map(str::to_owned);
        let both = [leaf(before), leaf(after)];
        return is_any_text([both[0].as_deref(), both[1].as_deref()]);
    }
    patterns::is_idle(&InPattern { policy, rule, scope, name, below, both: [before, after] })
}

/// What stands at a place before and after.
pub(super) fn both<'v>(at: &Path, before: &'v Value, after: &'v Value) -> [Option<&'v str>; 2] {
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

/// Whether the conditions before and after let creations and updates through, as far as they differ, so that only what is deleted can tell them
/// apart.
fn are_of_deletions(before: Option<&Value>, after: Option<&Value>) -> bool {
    let let_through = |conditions: Option<&Value>| {
        operations(conditions).is_some_and(|all| all.iter().all(|condition| lets_changes_through(condition)))
    };
    if let_through(before) && let_through(after) {
        return true;
    }
    let (Some(before), Some(after)) = (conditions::all(before), conditions::all(after)) else { return false };
    let differs = |others: &[Value]| {
        let others = others.to_vec();
        move |condition: &&Value| !others.contains(condition)
    };
    let differing = before.iter().filter(differs(after)).chain(after.iter().filter(differs(before)));
    let is_of_operation = |condition: &Value| {
        crate::mistakes::mutants::is_operation(condition.find_str(&["key"]))
            && lets_changes_through(condition)
    };
    let mut differing = differing.peekable();
    differing.peek().is_some() && differing.all(is_of_operation)
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
    let of = |field: &str| rule.get(field).and_then(Value::as_object);
    if let Some(validate) = of("validate")
        && (validate.contains_key("pattern") || validate.contains_key("anyPattern"))
    {
        // A variable that has no value is an error before the pattern is looked at.
        let text = engine_json::to_json(&Value::object(validate.clone()));
        // What is deleted has a name.
        let names = ["{{request.object.metadata.name}}", "{{ request.object.metadata.name }}"];
        let text = names.iter().fold(text, |text, name| text.replace(name, ""));
        return rule.get("context").is_none() && !text.contains("{{");
    }
    let Some(body) = of("validate").or_else(|| of("mutate")) else { return false };
    let each = list(body.get("foreach"));
    let is_of_object = |each: &Value| {
        let list = each.find_str(&["list"]);
        // A projection of what is not there is not there; a function or an alternative may be. What the rule has in its context is loaded where
        // it is read, which is in elements alone.
        list.starts_with("request.object.") && !list.contains(['(', '|', '&', '`', '{', '!'])
    };
    body.get("targets").is_none() && !each.is_empty() && each.iter().all(is_of_object)
}
