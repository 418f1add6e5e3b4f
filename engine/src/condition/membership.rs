//! `In`, `AnyIn`, `AllIn` and their negations: is a key, or are the keys of a list, among the values?
//! Mirrors: pkg/engine/variables/operator/{in,notin,anyin,anynotin,allin,allnotin}.go.
//!
//! A key or value that has no place here (a map, null, a text that is JSON but no list of texts) makes every
//! operator false, the negated ones too.

use crate::pattern::leaf::{Leaf, Range, split_range};
use crate::value::wildcard;
use engine_jmespath::go_format::go_format;
use engine_json::ordered::OrderedSet;
use engine_json::{Str, Value};

/// A key as the operators see it.
enum Keys {
    One(Str),
    Many(Vec<Str>),
}

/// The texts of a key; `None` for what has none.
fn keys(key: &Value) -> Option<Keys> {
    match key {
        Value::String(text) => Some(Keys::One(text.clone())),
        Value::Bool(_) | Value::Number(_) => Some(Keys::One(go_format(key).into())),
        Value::Array(list) => Some(Keys::Many(texts(list))),
        Value::Null | Value::Object(_) => None,
    }
}

fn texts(list: &[Value]) -> Vec<Str> {
    list.iter()
        .map(|item| match item {
            Value::String(text) => text.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                go_format(item).into()
            }
        })
        .collect()
}

/// The values of a text: a JSON list of texts, or the text itself where it is not JSON; `None` for other JSON.
// Kyverno: json.Valid, then json.Unmarshal into []string; null gives an empty list.
fn values_of_text(text: &str) -> Option<Vec<Str>> {
    match engine_json::parse(text) {
        Err(error) if error.is_out_of_range() => None,
        Err(_) => Some(vec![Str::new(text)]),
        Ok(value) => json_texts(&value),
    }
}

/// A list of texts; null in it is the empty text, null itself an empty list.
fn json_texts(value: &Value) -> Option<Vec<Str>> {
    match value {
        Value::Null => Some(Vec::new()),
        Value::Array(list) => list
            .iter()
            .map(|item| match item {
                Value::String(text) => Some(text.clone()),
                Value::Null => Some(Str::default()),
                Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
            })
            .collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    }
}

/// Wildcards count on both sides.
fn fits(a: &str, b: &str) -> bool {
    wildcard::matches(a, b) || wildcard::matches(b, a)
}

/// How many keys and values with wildcards are held against each other.
const MAX_PAIRS: usize = 5_000_000;
/// So few keys and values are simply held against each other.
const FEW: usize = 64;

/// Values among which keys are looked for.
struct Values<'v> {
    all: &'v [Str],
    /// Those without a wildcard, and those with one; nothing where few are simply gone through.
    sorted: Option<(OrderedSet<&'v str>, Vec<&'v str>)>,
}

impl<'v> Values<'v> {
    fn new(keys: &[Str], values: &'v [Str]) -> Result<Self, String> {
        if keys.len().saturating_mul(values.len()) <= FEW {
            return Ok(Values { all: values, sorted: None });
        }
        let (mut plain, mut wild) = (OrderedSet::new(), Vec::new());
        for value in values {
            if wildcard::contains_wildcard(value) {
                wild.push(value.as_str());
            } else {
                plain.insert(value.as_str());
            }
        }
        let wild_keys = keys.iter().filter(|key| wildcard::contains_wildcard(key)).count();
        let pairs = wild_keys.saturating_mul(values.len()) + keys.len().saturating_mul(wild.len());
        if pairs > MAX_PAIRS {
            return Err(format!("{pairs} pairs of keys and values with wildcards are more than {MAX_PAIRS}"));
        }
        Ok(Values { all: values, sorted: Some((plain, wild)) })
    }

    fn hold(&self, key: &str) -> bool {
        match &self.sorted {
            Some((plain, wild)) if !wildcard::contains_wildcard(key) => {
                plain.contains(key) || wild.iter().any(|value| wildcard::matches(value, key))
            }
            Some(_) | None => self.all.iter().any(|value| fits(key, value)),
        }
    }
}

/// How many keys have to be among the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Any,
    All,
}

/// Whether any of the keys, or all of them, are among the values.
#[inline(never)]
fn among(wanted: Wanted, keys: &[Str], values: &[Str]) -> Result<bool, String> {
    let values = Values::new(keys, values)?;
    // All are, where none is that is not.
    let is_all = wanted == Wanted::All;
    Ok(keys.iter().any(|key| values.hold(key) != is_all) != is_all)
}

fn is_range(text: &str) -> bool {
    matches!(split_range(text), Some(Range::In(..)))
}

fn in_range(key: &str, range: &str) -> bool {
    Leaf::new(&Value::from(range)).accepts(&Value::from(key))
}

/// Whether one key is among the values; `None` where the values are of no use.
// Kyverno: anyKeyExistsInArray and allKeyExistsInArray, which are the same.
fn one_in(key: &str, value: &Value) -> Option<bool> {
    match value {
        Value::Array(list) => Some(texts(list).iter().any(|candidate| fits(candidate, key))),
        Value::String(text) => {
            if wildcard::matches(text, key) {
                return Some(true);
            }
            if is_range(text) {
                return Some(in_range(key, text));
            }
            Some(values_of_text(text)?.iter().any(|candidate| candidate == key))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

pub(super) fn any_in(key: &Value, value: &Value) -> Result<bool, String> {
    let decided = match keys(key) {
        Some(Keys::One(key)) => one_in(&key, value),
        Some(Keys::Many(keys)) => any_of(&keys, value)?,
        None => None,
    };
    Ok(decided.unwrap_or(false))
}

// Kyverno: anySetExistsInArray.
fn any_of(keys: &[Str], value: &Value) -> Result<Option<bool>, String> {
    match value {
        Value::Bool(_) | Value::Number(_) => among(Wanted::Any, keys, &[go_format(value).into()]).map(Some),
        _ => many_of(Wanted::Any, keys, value),
    }
}

/// Whether any of the keys, or all of them, are among the values; `None` where the values are of no use, as a lone number or
/// truth value is, which is not a list here.
// Kyverno: allSetExistsInArray.
fn many_of(wanted: Wanted, keys: &[Str], value: &Value) -> Result<Option<bool>, String> {
    Ok(match value {
        Value::Array(list) => Some(among(wanted, keys, &texts(list))?),
        Value::String(text) if matches!(keys, [only] if only == text) => Some(true),
        Value::String(text) if is_range(text) => {
            let is_all = wanted == Wanted::All;
            Some(keys.iter().any(|key| in_range(key, text) != is_all) != is_all)
        }
        Value::String(text) => values_of_text(text).map(|values| among(wanted, keys, &values)).transpose()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    })
}

pub(super) fn any_not_in(key: &Value, value: &Value) -> Result<bool, String> {
    let decided = match keys(key) {
        Some(Keys::One(key)) => one_in(&key, value).map(|found| !found),
        Some(Keys::Many(keys)) => any_not_of(&keys, value)?,
        None => None,
    };
    Ok(decided.unwrap_or(false))
}

fn any_not_of(keys: &[Str], value: &Value) -> Result<Option<bool>, String> {
    let all = match value {
        Value::Bool(_) | Value::Number(_) => Some(among(Wanted::All, keys, &[go_format(value).into()])?),
        Value::String(text) if is_range(text) && !matches!(keys, [only] if only == text) => {
            // Kyverno: the first dash becomes `!-`, even where it is the sign of a number.
            let outside = text.replacen('-', "!-", 1);
            return Ok(Some(keys.iter().any(|key| in_range(key, &outside))));
        }
        _ => many_of(Wanted::All, keys, value)?,
    };
    Ok(all.map(|all| !all))
}

pub(super) fn all_in(key: &Value, value: &Value) -> Result<bool, String> {
    let decided = match keys(key) {
        Some(Keys::One(key)) => one_in(&key, value),
        Some(Keys::Many(keys)) => many_of(Wanted::All, &keys, value)?,
        None => None,
    };
    Ok(decided.unwrap_or(false))
}

pub(super) fn all_not_in(key: &Value, value: &Value) -> Result<bool, String> {
    let decided = match keys(key) {
        Some(Keys::One(key)) => one_in(&key, value),
        Some(Keys::Many(keys)) => many_of(Wanted::Any, &keys, value)?,
        None => None,
    };
    Ok(decided.is_some_and(|found| !found))
}

pub(super) fn is_in(key: &Value, value: &Value) -> Result<bool, String> {
    Ok(match strict_keys(key, "In")? {
        Some(Keys::One(key)) => strict_one_in(&key, value).unwrap_or(false),
        Some(Keys::Many(keys)) => strict_all_in(&keys, value).unwrap_or(false),
        None => false,
    })
}

// Kyverno: for a list, NotIn holds when one key is missing; a lone key equal to a lone text counts as not in.
pub(super) fn is_not_in(key: &Value, value: &Value) -> Result<bool, String> {
    Ok(match strict_keys(key, "NotIn")? {
        Some(Keys::One(key)) => strict_one_in(&key, value).is_some_and(|found| !found),
        Some(Keys::Many(keys)) => match value {
            Value::String(text) if matches!(keys.as_slice(), [only] if only == text) => true,
            _ => strict_all_in(&keys, value).is_some_and(|found| !found),
        },
        None => false,
    })
}

/// As [`keys`], but the items of a list must be texts: the original crashes on others.
fn strict_keys(key: &Value, operator: &str) -> Result<Option<Keys>, String> {
    match key {
        Value::Array(list) if list.iter().any(|item| item.as_str().is_none()) => {
            let better = if operator == "In" { "AllIn" } else { "AnyNotIn" };
            Err(format!(
                "operator {operator} takes a list of strings as key, this one holds others: use {better}"
            ))
        }
        other => Ok(keys(other)),
    }
}

// Kyverno: keyExistsInArray.
fn strict_one_in(key: &str, value: &Value) -> Option<bool> {
    match value {
        Value::Array(list) => Some(texts(list).iter().any(|candidate| fits(candidate, key))),
        Value::String(text) => {
            if wildcard::matches(text, key) {
                return Some(true);
            }
            let values = json_texts(&engine_json::parse(text).ok()?)?;
            Some(values.iter().any(|candidate| candidate == key))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

// Kyverno: setExistsInArray; compared exactly, without wildcards.
fn strict_all_in(keys: &[Str], value: &Value) -> Option<bool> {
    let values = match value {
        Value::Array(list) if list.iter().all(|item| item.as_str().is_some()) => texts(list),
        Value::String(text) if matches!(keys, [only] if only == text) => return Some(true),
        Value::String(text) => json_texts(&engine_json::parse(text).ok()?)?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) | Value::Array(_) => return None,
    };
    let mut known = OrderedSet::new();
    for value in &values {
        known.insert(value.as_str());
    }
    Some(keys.iter().all(|key| known.contains(key.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_hold_the_keys_that_fit_one_of_them() {
        let texts = |words: &[&str]| -> Vec<Str> {
            words.iter().flat_map(|word| (0..9).map(move |n| Str::new(format!("{word}{n}")))).collect()
        };
        let keys = texts(&["a", "b*", "", "c?", "*", "d"]);
        for values in
            [texts(&["a", "b", "x"]), texts(&["a*", "bb", "?"]), texts(&["e", "c1", "*d"]), texts(&["z"])]
        {
            let among = Values::new(&keys, &values).unwrap();
            assert!(among.sorted.is_some());
            for key in &keys {
                assert_eq!(among.hold(key), values.iter().any(|value| fits(key, value)), "{key} {values:?}");
            }
        }
    }

    #[test]
    fn too_many_pairs_with_wildcards_are_refused() {
        let list = |begin: &str| -> Vec<Value> {
            (0..5_000).map(|n| format!("{begin}{n}").as_str().into()).collect()
        };
        let (wild, plain) = (Value::array(list("*")), Value::array(list("a")));
        assert_eq!(any_in(&plain, &plain), Ok(true));
        assert_eq!(all_not_in(&plain, &Value::array(list("b"))), Ok(true));
        let refused = any_in(&wild, &plain).unwrap_err();
        assert_eq!(refused, "25000000 pairs of keys and values with wildcards are more than 5000000");
    }
}
