//! Small mistakes put into a policy on purpose: what share of them a search notices says how much its silence is worth.
//!
//! In: a policy as written. Out: copies with one mistake each: an operator, a constant, a path, a quantifier, an exclusion, a list that
//! is forgotten, an anchor, a value for what is absent.

use crate::mistakes::idle::is_idle;
use crate::mistakes::{further, patches};
use crate::reads::classic::without_anchor;
use engine_json::{Map, Path, Str, Value};

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// `Equals` for `NotEquals`, `&&` for `||`.
    Operator,
    /// Another text or number.
    Constant,
    /// Another field.
    Path,
    /// `any` for `all`, `exists` for `all`.
    Quantifier,
    /// What was left out is not any more, or a condition is gone.
    Exclude,
    /// A list of containers, or an alternative, is gone.
    List,
    /// An anchor of a pattern is another one.
    Anchor,
    /// What is absent counts as something else.
    OrValue,
    /// It is asked about other operations.
    Operations,
    /// Another key of a map.
    Key,
    /// Another element of a list.
    Order,
    /// Another answer of the cluster, or another part of it.
    Context,
}

impl Class {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Class::Operator => "operator",
            Class::Constant => "constant",
            Class::Path => "path",
            Class::Quantifier => "quantifier",
            Class::Exclude => "exclude",
            Class::List => "list",
            Class::Anchor => "anchor",
            Class::OrValue => "orValue",
            Class::Operations => "operations",
            Class::Key => "key",
            Class::Order => "order",
            Class::Context => "context",
        }
    }
}

/// A policy with a mistake.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What kind of mistake.
    pub class: Class,
    /// Where and what, for people.
    pub text: String,
    /// The policy.
    pub policy: Value,
}

/// How many mutants of a policy are made at most.
pub(crate) const MAX_MUTANTS: usize = 400;

/// All mutants of a policy.
pub fn mutants(policy: &Value) -> Vec<Mutant> {
    let mut found = Vec::new();
    let spec = Path::from_keys(&["spec"]);
    if let Some(value) = policy.get("spec") {
        walk(policy, value, &spec, Part::Elsewhere, &mut found);
    }
    found.retain(|(mutant, at)| mutant.policy != *policy && !is_idle(policy, &mutant.policy, at));
    found.into_iter().map(|(mutant, _)| mutant).collect()
}

/// In which part of a policy a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Elsewhere,
    Pattern,
    Conditions,
    Match,
    Expressions,
    Context,
}

fn walk(policy: &Value, value: &Value, path: &Path, part: Part, found: &mut Vec<(Mutant, Path)>) {
    if found.len() >= MAX_MUTANTS {
        return;
    }
    let mut put = |class: Class, at: &Path, new: Option<Value>, text: String| {
        let mut changed = policy.clone();
        if changed.put(at, new) && found.len() < MAX_MUTANTS {
            found.push((Mutant { class, text: format!("{at}: {text}"), policy: changed }, at.clone()));
        }
    };
    match value {
        Value::Object(map) => {
            of_keys(map, path, part, &mut put);
            for (key, below) in map.iter() {
                walk(policy, below, &path.join(key.clone()), part_of(key, part), found);
            }
        }
        Value::Array(items) => {
            let is_droppable =
                items.len() > 1 && (part != Part::Elsewhere || further::is_of_exceptions(last_key(path)));
            // `a || a && b` is `a`.
            let is_alternative = part == Part::Match && last_key(path) == Some("any");
            let is_idle = |at: &usize| is_alternative && is_covered(items, *at);
            for at in (0..items.len()).filter(|at| is_droppable && !is_idle(at)) {
                // One that is not tried is not missed where it is taken away; creations mostly are.
                let is_operation = last_key(path) == Some("operations");
                let is_creation = items.get(at).and_then(Value::as_str) == Some("CREATE");
                let class = if is_operation && !is_creation { Class::Operations } else { Class::List };
                put(class, &path.join(at), None, "taken away".to_owned());
            }
            for (at, item) in items.iter().enumerate() {
                walk(policy, item, &path.join(at), part, found);
            }
        }
        leaf => {
            for (class, new, text) in other_leaves(leaf, path, part) {
                put(class, path, Some(new), text);
            }
        }
    }
}

/// Takes a mistake: its class, a place, what stands there instead, and the words for it.
type Put<'p> = dyn FnMut(Class, &Path, Option<Value>, String) + 'p;

/// Mistakes in the keys of a map, and in the operator of a condition.
fn of_keys(map: &Map, path: &Path, part: Part, put: &mut Put<'_>) {
    let replace = |key: &str, new: Option<&str>, value: &Value| {
        let entries = map.iter().filter_map(|(known, old)| match (known == key, new) {
            (false, _) => Some((known.clone(), old.clone())),
            (true, Some(new)) => Some((Str::new(new), value.clone())),
            (true, None) => None,
        });
        Some(Value::object(entries.collect()))
    };
    if part == Part::Match {
        for (class, new, text) in further::operations(last_key(path).unwrap_or_default(), map) {
            put(class, &path.join("operations"), new, text);
        }
    }
    for (key, below) in map.iter() {
        let has_one = below.as_array().is_some_and(|items| items.len() == 1) && map.len() == 1;
        let of = last_key(path).unwrap_or_default();
        let is_keyed =
            part == Part::Pattern || (part == Part::Match && matches!(of, "matchLabels" | "annotations"));
        let others = if is_keyed { further::keys(key, below, of) } else { Vec::new() };
        for (class, new, text) in other_keys(key, below, part).into_iter().chain(others) {
            // One alternative is the same as one demand.
            if class == Class::Quantifier && has_one {
                continue;
            }
            put(class, path, replace(key, new.as_deref(), below), text);
        }
        let is_of_exception = key == "conditions" && map.contains_key("exceptions");
        if is_of_exception
            || matches!(
                key.as_str(),
                "exclude" | "preconditions" | "matchConditions" | "excludeResourceRules" | "celPreconditions"
            )
        {
            put(Class::Exclude, &path.join(key.clone()), None, "taken away".to_owned());
        }
        if key == "operator"
            && let Some(operator) = below.as_str()
        {
            // Any of one value is all of it; the operation is one.
            let is_one = match map.get("key") {
                Some(Value::String(key)) => !key.is_empty() && (!key.contains("{{") || is_operation(key)),
                Some(Value::Array(keys)) => {
                    matches!(keys.as_slice(), [Value::Bool(_) | Value::Number(_)])
                }
                _ => false,
            };
            let is_alike = |other: &str| {
                is_one
                    && (operator.starts_with("Any") || operator.starts_with("All"))
                    && operator.get(3..) == other.get(3..)
            };
            for other in other_operators(operator).iter().filter(|other| !is_alike(other)) {
                put(
                    Class::Operator,
                    &path.join(key.clone()),
                    Some(Value::from(*other)),
                    format!("{operator} is {other}"),
                );
            }
        }
    }
}

/// Whether a key is the operation, or what stands for one that is not there.
pub(crate) fn is_operation(key: &str) -> bool {
    let inner = key.trim().trim_start_matches("{{").trim_end_matches("}}").trim();
    let default =
        inner.strip_prefix("request.operation").map(|rest| rest.trim().trim_start_matches("||").trim());
    default.is_some_and(|default| default.is_empty() || (default.starts_with('\'') && !default.contains(' ')))
}

/// Whether an alternative demands all that another one does, and more: it lets nothing in that the other does not.
pub(crate) fn is_covered(items: &[Value], at: usize) -> bool {
    let Some(one) = items.get(at).and_then(Value::as_object) else { return false };
    let covers = |other: &Value| {
        let Some(other) = other.as_object() else { return false };
        other.len() < one.len() && other.iter().all(|(key, value)| one.get(key) == Some(value))
    };
    items.iter().any(covers)
}

fn part_of(key: &str, part: Part) -> Part {
    match key {
        "pattern" | "anyPattern" => Part::Pattern,
        "conditions" | "preconditions" => Part::Conditions,
        "context" if part == Part::Elsewhere => Part::Context,
        "match" | "exclude" | "matchConstraints" | "excludeResourceRules" => Part::Match,
        "validations" | "variables" | "matchConditions" | "expressions" | "celPreconditions" => {
            Part::Expressions
        }
        "message" | "messageExpression" | "name" | "auditAnnotations"
            if part != Part::Pattern && part != Part::Match =>
        {
            Part::Elsewhere
        }
        _ => part,
    }
}

const LISTS: [&str; 3] = crate::objects::kinds::CONTAINER_LISTS;

fn other_keys(key: &str, value: &Value, part: Part) -> Vec<(Class, Option<String>, String)> {
    let mut all = Vec::new();
    if part == Part::Pattern {
        let bare = without_anchor(key);
        if LISTS.contains(&bare) {
            all.push((Class::List, None, format!("`{key}` is forgotten")));
        }
        // What every object has is there with an anchor and without.
        if matches!(
            bare,
            "spec" | "metadata" | "name" | "kind" | "apiVersion" | "image" | "containers" | "template"
        ) {
            return all;
        }
        // `!x` holds of what is absent, with the anchor and without.
        let is_negation = value
            .as_str()
            .is_some_and(|text| text.starts_with('!') && !text.contains(['|', '&', '{', '*', '?']));
        if is_negation && (bare == key || key.starts_with("=(")) {
            return all;
        }
        if bare == key {
            all.push((Class::Anchor, Some(format!("=({key})")), format!("`{key}` is `=({key})`")));
        } else {
            all.push((Class::Anchor, Some(bare.to_owned()), format!("`{key}` is `{bare}`")));
            if key.starts_with('(') {
                all.push((Class::Anchor, Some(format!("=({bare})")), format!("`{key}` is `=({bare})`")));
            }
        }
    }
    if matches!(part, Part::Conditions | Part::Match) && matches!(key, "any" | "all") {
        let other = if key == "any" { "all" } else { "any" };
        all.push((Class::Quantifier, Some(other.to_owned()), format!("`{key}` is `{other}`")));
    }
    all
}

fn other_operators(operator: &str) -> &'static [&'static str] {
    match operator {
        "Equals" | "Equal" => &["NotEquals"],
        "NotEquals" | "NotEqual" => &["Equals"],
        "In" => &["NotIn"],
        "NotIn" => &["In"],
        "AnyIn" => &["AllIn", "AnyNotIn"],
        "AllIn" => &["AnyIn", "AllNotIn"],
        "AnyNotIn" => &["AllNotIn", "AnyIn"],
        "AllNotIn" => &["AnyNotIn", "AllIn"],
        "GreaterThan" => &["GreaterThanOrEquals", "LessThan"],
        "GreaterThanOrEquals" => &["GreaterThan", "LessThanOrEquals"],
        "LessThan" => &["LessThanOrEquals", "GreaterThan"],
        "LessThanOrEquals" => &["LessThan", "GreaterThanOrEquals"],
        "Exists" => &["DoesNotExist"],
        "DoesNotExist" => &["Exists"],
        _ => &[],
    }
}

fn other_leaves(leaf: &Value, path: &Path, part: Part) -> Vec<(Class, Value, String)> {
    let mut all = Vec::new();
    match (leaf, part) {
        (Value::String(text), _) if ends_with(path, "patchesJson6902") => {
            all.extend(patches::of_text(text).into_iter().map(of_text));
        }
        (Value::String(text), _) if ends_with(path, "expression") && has_key(path, "jsonPatch") => {
            all.extend(patches::of_expression(text).into_iter().map(of_text));
        }
        (_, Part::Elsewhere) => {}
        // `X(…)` asks that nothing is there, whatever stands behind it.
        (_, Part::Pattern) if last_key(path).is_some_and(|key| key.starts_with("X(")) => {}
        (Value::Bool(truth), _) => {
            all.push((Class::Constant, Value::Bool(!truth), format!("{truth} is {}", !truth)));
        }
        (Value::Number(number), _) => {
            if let Some(number) = number.as_i64() {
                let next = number.saturating_add(1);
                all.push((Class::Constant, Value::from(next), format!("{number} is {next}")));
            }
        }
        (Value::String(text), Part::Expressions) if ends_with(path, "expression") => {
            let mutated = crate::mistakes::cel_mutants::mutants(text);
            all.extend(mutated.into_iter().map(|(class, new, text)| (class, Value::from(new), text)));
        }
        (Value::String(_), Part::Expressions) => {}
        (Value::String(text), _) if text.contains("{{") => {
            for list in LISTS {
                let forgotten = text
                    .replace(&format!("{list}, "), "")
                    .replace(&format!(", {list}"), "")
                    .replace(&format!("{list},"), "");
                if forgotten != **text {
                    all.push((Class::List, Value::from(forgotten), format!("`{list}` is forgotten")));
                }
            }
            if let Some(changed) = other_field(text) {
                all.push((Class::Path, Value::from(changed.clone()), format!("`{text}` is `{changed}`")));
            }
            all.extend(further::jmespath(text).into_iter().map(of_text));
        }
        (Value::String(text), Part::Context) => match last_key(path) {
            Some("jmesPath") => {
                let changed = other_field(text).map(|new| (Class::Path, new, "another field".to_owned()));
                all.extend(changed.into_iter().chain(further::jmespath(text)).map(of_text));
            }
            Some("default" | "value") => {
                let changed = other_text(text);
                all.push((Class::Constant, Value::from(changed.clone()), format!("`{text}` is `{changed}`")));
            }
            Some("name" | "namespace") if has_key(path, "configMap") => {
                let changed = format!("{text}z");
                all.push((Class::Context, Value::from(changed.clone()), format!("`{text}` is `{changed}`")));
            }
            _ => {}
        },
        (Value::String(text), Part::Match)
            if ends_with(path, "kinds") || ends_with(path, "operator") || ends_with(path, "kind") =>
        {
            let _ = text;
        }
        (Value::String(text), _) if !ends_with(path, "operator") && !ends_with(path, "key") => {
            let changed = other_text(text);
            all.push((Class::Constant, Value::from(changed.clone()), format!("`{text}` is `{changed}`")));
        }
        _ => {}
    }
    all
}

/// A mistake in a text.
fn of_text((class, new, words): further::Mistake<String>) -> (Class, Value, String) {
    (class, Value::from(new), words)
}

/// Whether a key is on the way.
fn has_key(path: &Path, key: &str) -> bool {
    path.iter().any(|segment| matches!(segment, engine_json::Segment::Key(known) if known == key))
}

/// Whether the last key of a path is this one.
fn ends_with(path: &Path, key: &str) -> bool {
    last_key(path) == Some(key)
}

/// The last key of a path.
fn last_key(path: &Path) -> Option<&str> {
    path.iter().rev().find_map(|segment| match segment {
        engine_json::Segment::Key(known) => Some(known.as_str()),
        engine_json::Segment::Index(_) => None,
    })
}

/// Another constant: a number one higher, another letter at the end.
fn other_text(text: &str) -> String {
    if let Some(at) = text.find(|c: char| c.is_ascii_digit())
        && let (Some(before), Some(rest)) = (text.get(..at), text.get(at..))
    {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let (Some(number), Some(after)) =
            (rest.get(..end).and_then(|digits| digits.parse::<u64>().ok()), rest.get(end..))
        {
            return format!("{before}{}{after}", number.saturating_add(1));
        }
    }
    match text {
        "?*" => "*".to_owned(),
        "*" => "?*".to_owned(),
        "true" => "false".to_owned(),
        "false" => "true".to_owned(),
        "null" | "" => "z".to_owned(),
        _ => match text.strip_prefix('!') {
            Some(rest) => rest.to_owned(),
            None if text.ends_with('*') => format!("{}z*", text.trim_end_matches('*')),
            None => format!("{text}z"),
        },
    }
}

/// The same variable with its first field below the object renamed.
fn other_field(text: &str) -> Option<String> {
    let start =
        ["request.object.", "element."].iter().find_map(|start| Some(text.find(start)? + start.len()))?;
    let (before, rest) = text.split_at_checked(start)?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (field, after) = rest.split_at_checked(end)?;
    (!field.is_empty()).then(|| format!("{before}{field}z{after}"))
}
