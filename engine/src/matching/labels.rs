//! Label selectors, with Kyverno's wildcards in `matchLabels`.
//!
//! In: a selector and labels. Out: matched, or why not, in words where a trace is asked for.
//! Mirrors: pkg/utils/match/labels.go, pkg/engine/wildcards, apimachinery's labels.Requirement.

use crate::policy::{LabelSelector, Requirement};
use crate::trace::Trace;
use crate::value::wildcard;
use engine_json::Str;

/// Whether the labels satisfy the selector; they do not where it is not valid.
pub(crate) fn selector_matches(selector: &LabelSelector, labels: &[(Str, Str)]) -> bool {
    against_selector(selector, labels, &Trace::default()).is_ok()
}

/// The same, with the reason if they do not.
pub(super) fn against_selector(
    selector: &LabelSelector,
    labels: &[(Str, Str)],
    trace: &Trace,
) -> Result<(), String> {
    let expanded: Vec<(Str, Str)> =
        selector.match_labels.iter().map(|(key, value)| expand(key, value, labels)).collect();
    for (key, value) in &expanded {
        check_key(key, trace)?;
        check_value(value, trace)?;
    }
    for requirement in &selector.match_expressions {
        check_requirement(requirement, trace)?;
    }
    let get = |key: &str| labels.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str());
    for ((key, value), (written_key, written_value)) in expanded.iter().zip(&selector.match_labels) {
        match get(key) {
            Some(found) if found == value => {}
            Some(found) => {
                let text = || format!("`{written_key}` is `{found}`, wanted is `{written_value}`");
                return Err(trace.say(text));
            }
            None => return Err(trace.say(|| format!("there is no `{written_key}: {written_value}`"))),
        }
    }
    for Requirement { key, operator, values } in &selector.match_expressions {
        let found = get(key);
        let holds = match operator.as_str() {
            "In" => found.is_some_and(|found| values.iter().any(|value| value == found)),
            "NotIn" => found.is_none_or(|found| !values.iter().any(|value| value == found)),
            "Exists" => found.is_some(),
            _ => found.is_none(),
        };
        if !holds {
            return Err(trace.say(|| {
                let found = found.map_or_else(|| "absent".to_owned(), |found| format!("`{found}`"));
                format!("`{key}` is {found}, wanted is {operator} {}", values.join(", "))
            }));
        }
    }
    Ok(())
}

/// The pair with its wildcards replaced by the first label that fits; `*` and `?` become `0` where none does.
// Kyverno: wildcards.expandWildcards; the original takes any that fits, here it is the first by name.
fn expand(key: &Str, value: &Str, labels: &[(Str, Str)]) -> (Str, Str) {
    if !wildcard::contains_wildcard(key) && !wildcard::contains_wildcard(value) {
        return (key.clone(), value.clone());
    }
    let fits = |(k, v): &&(Str, Str)| wildcard::matches(key, k) && wildcard::matches(value, v);
    if let Some((k, v)) = labels.iter().filter(fits).min() {
        return (k.clone(), v.clone());
    }
    let plain = |text: &str| Str::from(text.replace(['*', '?'], "0"));
    (plain(key), plain(value))
}

fn check_requirement(requirement: &Requirement, trace: &Trace) -> Result<(), String> {
    check_key(&requirement.key, trace)?;
    match requirement.operator.as_str() {
        "In" | "NotIn" if requirement.values.is_empty() => {
            Err(trace.say(|| "for 'in', 'notin' operators, values set can't be empty".to_owned()))
        }
        "In" | "NotIn" => requirement.values.iter().try_for_each(|value| check_value(value, trace)),
        "Exists" | "DoesNotExist" if !requirement.values.is_empty() => {
            Err(trace.say(|| "values set must be empty for exists and does not exist".to_owned()))
        }
        "Exists" | "DoesNotExist" => Ok(()),
        other => Err(trace.say(|| format!("\"{other}\" is not a valid label selector operator"))),
    }
}

/// Whether a text can be the key of a label.
// Go: apimachinery validation.IsQualifiedName.
fn check_key(key: &str, trace: &Trace) -> Result<(), String> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    let label = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-')
    };
    let prefix_fits = prefix.is_none_or(|prefix| prefix.len() <= 253 && prefix.split('.').all(label));
    if prefix_fits && !name.is_empty() && is_label_text(name) {
        Ok(())
    } else {
        Err(trace.say(|| format!("`{key}` cannot be the key of a label")))
    }
}

fn check_value(value: &str, trace: &Trace) -> Result<(), String> {
    if value.is_empty() || is_label_text(value) {
        Ok(())
    } else {
        Err(trace.say(|| format!("`{value}` cannot be the value of a label")))
    }
}

/// Letters and digits at both ends, dashes, underscores and dots between, 63 characters at most.
fn is_label_text(text: &str) -> bool {
    let end = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.len() <= 63
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && end(text.chars().next())
        && end(text.chars().next_back())
}
