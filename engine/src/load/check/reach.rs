//! Rules that never decide, where Kyverno is silent.
//!
//! In: a policy that Kyverno takes. Out: warnings with their places; only what is certain is said. Example: a pattern for
//! DELETE alone, of which patterns say nothing.

use super::{field, given, items, text, texts};
use crate::diag::{Code, Severity};
use crate::load::decode::{Problem, Problems};
use crate::policy::{Policy, Rule};
use engine_json::{Path, Value};

/// So many rules that decide on all they match are held against those behind them.
const MAX_DECIDING: usize = 32;

/// The warnings about a policy.
pub(super) fn lint(policy: &Policy, problems: &mut Problems) {
    let mut deciding: Vec<&Rule> = Vec::new();
    for rule in &policy.rules {
        swallowed(rule, problems);
        pattern_of_deletions(rule, problems);
        if let Some(earlier) = deciding.iter().find(|earlier| covers(earlier, rule)) {
            let message = format!(
                "with `applyRules: One` this rule is never reached: rule `{}` decides on all that it matches",
                earlier.name
            );
            warn(problems, rule.path.clone(), &message, "");
        }
        if policy.apply_one && deciding.len() < MAX_DECIDING && always_decides(rule) {
            deciding.push(rule);
        }
    }
}

fn warn(problems: &mut Problems, path: Path, message: &str, hint: &str) {
    let (message, hint) = (message.to_owned(), hint.to_owned());
    problems.push(Problem { path, code: Code::Suspicious, severity: Severity::Warning, message, hint });
}

/// The kinds of a filter that says nothing but kinds.
fn kinds_alone(filter: &Value) -> Option<Vec<&str>> {
    let only = |value: &Value, known: &str| {
        value.as_object().is_some_and(|map| map.iter().all(|(key, item)| key == known || item.is_null()))
    };
    (only(filter, "resources") && only(field(filter, "resources"), "kinds"))
        .then(|| texts(field(filter, "resources"), "kinds"))
}

/// All kinds that a rule can match; `None` where a filter names none.
fn matched_kinds(rule: &Rule) -> Option<Vec<&str>> {
    let matches = field(&rule.raw, "match");
    let listed = [items(matches, "any"), items(matches, "all")].concat();
    if listed.is_empty() {
        let kinds = texts(field(matches, "resources"), "kinds");
        return (!kinds.is_empty()).then_some(kinds);
    }
    let mut all = Vec::new();
    let from = if items(matches, "any").is_empty() { items(matches, "all") } else { items(matches, "any") };
    for filter in from {
        let kinds = texts(field(filter, "resources"), "kinds");
        if kinds.is_empty() {
            return None;
        }
        all.extend(kinds);
    }
    Some(all)
}

/// An exclude that takes out everything the rule matches.
fn swallowed(rule: &Rule, problems: &mut Problems) {
    let Some(exclude) = given(&rule.raw, "exclude") else { return };
    let Some(matched) = matched_kinds(rule) else { return };
    let takes_all = |filter: &Value| {
        let everybody = |subject: &Value| text(subject, "kind") == "User" && text(subject, "name") == "*";
        let users_alone = filter
            .as_object()
            .is_some_and(|map| map.iter().all(|(key, item)| key == "subjects" || item.is_null()));
        (users_alone && items(filter, "subjects").iter().any(everybody))
            || kinds_alone(filter).is_some_and(|kinds| {
                kinds.contains(&"*") || (!kinds.is_empty() && matched.iter().all(|kind| kinds.contains(kind)))
            })
    };
    let path = rule.path.join("exclude");
    let (any, all) = (items(exclude, "any"), items(exclude, "all"));
    let place = if !any.is_empty() {
        any.iter().position(takes_all).map(|at| path.join("any").join(at))
    } else if !all.is_empty() {
        all.iter().all(takes_all).then(|| path.join("all"))
    } else {
        takes_all(exclude).then_some(path)
    };
    if let Some(place) = place {
        warn(problems, place, "this takes out everything that the rule matches: it never decides", "");
    }
}

/// A pattern for deletions alone.
// Kyverno: validateResource answers nothing where the request deletes and the rule has a pattern.
fn pattern_of_deletions(rule: &Rule, problems: &mut Problems) {
    let validate = field(&rule.raw, "validate");
    let Some(key) = ["pattern", "anyPattern"].into_iter().find(|key| given(validate, key).is_some()) else {
        return;
    };
    let matches = field(&rule.raw, "match");
    let filters = [items(matches, "any"), items(matches, "all")].concat();
    let filters = if filters.is_empty() { vec![matches.clone()] } else { filters };
    let deletes = |filter: &Value| texts(field(filter, "resources"), "operations") == ["DELETE"];
    if filters.iter().all(deletes) {
        let message = "the rule matches deletions alone, of which a pattern says nothing: it never decides";
        warn(problems, rule.path.join("validate").join(key), message, "write `deny` with conditions");
    }
}

/// Whether a rule passes or fails whatever it matches: a `deny`, with nothing that could skip it or leave something out.
fn always_decides(rule: &Rule) -> bool {
    let given_here = |key: &str| given(&rule.raw, key).is_some();
    let deny = field(field(&rule.raw, "validate"), "deny");
    // Conditions could err, which lets the next rule decide; without any, the rule always fails.
    given(deny, "conditions").is_none()
        && deny.as_object().is_some()
        && !["preconditions", "exclude", "context"].into_iter().any(given_here)
}

/// Whether the first rule matches all that the second does.
fn covers(first: &Rule, second: &Rule) -> bool {
    let matches = field(&first.raw, "match");
    let alone = |filter: &Value| {
        kinds_alone(filter).unwrap_or_default().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let any = items(matches, "any");
    let kinds: Vec<String> =
        if any.is_empty() { alone(matches) } else { any.iter().flat_map(alone).collect() };
    let is_covered = |kind: &&str| kinds.iter().any(|known| known == kind || known == "*");
    matched_kinds(second).is_some_and(|second| second.iter().all(is_covered))
}
