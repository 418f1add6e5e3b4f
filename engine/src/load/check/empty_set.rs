//! A rule that excludes everything it matches.
//! Mirrors: Rule.ValidateMatchExcludeConflict in api/kyverno/v1/rule_types.go.

use super::schema::{FILTER, MATCH, is_equal, is_zero};
use super::{field, given, items, text, texts};
use crate::value::wildcard;
use engine_json::{Value, to_json};

/// Whether `exclude` takes away all that `match` gives, as far as Kyverno sees it.
pub(super) fn matches_nothing(rule: &Value) -> bool {
    let matches = field(rule, "match");
    let Some(exclude) = given(rule, "exclude") else { return false };
    if !items(exclude, "all").is_empty() || !items(matches, "all").is_empty() {
        return false;
    }
    let (match_any, exclude_any) = (items(matches, "any"), items(exclude, "any"));
    if !match_any.is_empty() && !exclude_any.is_empty() {
        // Kyverno: one pair of equal filters is enough, even where other filters match more.
        return match_any
            .iter()
            .any(|filter| exclude_any.iter().any(|taken| is_equal(filter, taken, &FILTER)));
    }
    if is_zero(exclude, &MATCH) {
        return false;
    }
    user_info_covered(matches, exclude)
        && resources_covered(field(matches, "resources"), field(exclude, "resources"))
}

/// Whether `match` stands in the old form and `exclude` under `any`, which Kyverno then takes for an empty set.
pub(super) fn mixes_forms(rule: &Value) -> bool {
    items(field(rule, "match"), "any").is_empty() && !items(field(rule, "exclude"), "any").is_empty()
}

fn user_info_covered(matches: &Value, exclude: &Value) -> bool {
    let covered = |key: &str| {
        let (given, taken) = (items(matches, key), items(exclude, key));
        taken.is_empty() || (!given.is_empty() && given.iter().all(|item| taken.contains(item)))
    };
    covered("roles") && covered("clusterRoles") && covered("subjects")
}

fn resources_covered(matches: &Value, exclude: &Value) -> bool {
    let name = text(exclude, "name");
    if !name.is_empty() && !wildcard::matches(name, text(matches, "name")) {
        return false;
    }
    let (names, excluded) = (texts(matches, "names"), texts(exclude, "names"));
    if !excluded.is_empty() {
        // Kyverno: names alone decide where both have some; what follows is not looked at.
        return names.iter().any(|name| excluded.iter().any(|pattern| wildcard::matches(pattern, name)));
    }
    let covered = |key: &str| {
        let (given, taken) = (texts(matches, key), texts(exclude, key));
        taken.is_empty() || (!given.is_empty() && given.iter().all(|item| taken.contains(item)))
    };
    covered("namespaces")
        && covered("kinds")
        && selector_covered(matches, exclude, "selector")
        && selector_covered(matches, exclude, "namespaceSelector")
        && both_or_none(matches, exclude, "selector")
        && both_or_none(matches, exclude, "namespaceSelector")
        && both_or_none(matches, exclude, "annotations")
        && field(matches, "annotations") == field(exclude, "annotations")
}

fn both_or_none(matches: &Value, exclude: &Value, key: &str) -> bool {
    given(matches, key).is_some() == given(exclude, key).is_some()
}

fn selector_covered(matches: &Value, exclude: &Value, key: &str) -> bool {
    let (Some(matches), Some(exclude)) = (given(matches, key), given(exclude, key)) else { return true };
    let taken: Vec<String> = items(exclude, "matchExpressions").iter().map(to_json).collect();
    let given_expressions = items(matches, "matchExpressions");
    if !taken.is_empty()
        && (given_expressions.is_empty()
            || !given_expressions.iter().all(|item| taken.contains(&to_json(item))))
    {
        return false;
    }
    let labels = |selector: &Value| field(selector, "matchLabels").as_object().cloned().unwrap_or_default();
    let (given_labels, taken) = (labels(matches), labels(exclude));
    // Kyverno: a label that exclude does not name counts as excluded with an empty value.
    let same = |key: &str, value: &Value| {
        taken.get(key).and_then(Value::as_str).unwrap_or("") == value.as_str().unwrap_or("")
    };
    taken.is_empty() || (!given_labels.is_empty() && given_labels.iter().all(|(key, value)| same(key, value)))
}
