//! Overrides of the failure action that contradict one another.
//! Mirrors: validateNamespaces in pkg/validation/policy/validate.go.

use super::refusal::{FieldPath, Refusal};
use super::{Subject, field, has_validate, items, text, texts};
use crate::policy::Action;
use crate::value::wildcard;
use engine_json::Value;
use engine_json::ordered::OrderedSet;

/// Overrides of the rules, then those of the spec.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Refusal> {
    if subject.namespaced() {
        return Ok(());
    }
    let place = FieldPath::new("spec", subject.at(&["spec"]));
    for (at, rule) in items(subject.spec(), "rules").iter().enumerate() {
        if has_validate(rule) {
            let validate = place.child("rules").index(at).child("validate");
            // Kyverno: the words name the field of the spec, not the one of the rule.
            let named =
                validate.named("validationFailureActionOverrides").really(&["failureActionOverrides".into()]);
            check_list(items(field(rule, "validate"), "failureActionOverrides"), &named)?;
        }
    }
    let named = place.child("validationFailureActionOverrides");
    check_list(items(subject.spec(), "validationFailureActionOverrides"), &named)
}

#[derive(Default)]
struct Namespaces<'a> {
    names: OrderedSet<&'a str>,
    patterns: OrderedSet<&'a str>,
}

fn check_list(overrides: &[Value], place: &FieldPath) -> Result<(), Refusal> {
    let (mut audit, mut enforce) = (Namespaces::default(), Namespaces::default());
    for (at, entry) in overrides.iter().enumerate() {
        let action = text(entry, "action");
        let refuse = |reason: String, key: &str| Err(Refusal::new(reason, place.index(at).path().join(key)));
        if !matches!(action, "audit" | "enforce" | "Audit" | "Enforce") {
            return refuse("invalid action".to_owned(), "action");
        }
        let (patterns, names): (Vec<&str>, Vec<&str>) =
            texts(entry, "namespaces").into_iter().partition(|text| wildcard::contains_wildcard(text));
        let (own, other) = match Action::from_text(action) {
            Action::Audit => (&mut audit, &enforce),
            Action::Enforce => (&mut enforce, &audit),
        };
        let both: OrderedSet<&str> =
            engine_json::arrange::set(names.iter().copied().filter(|name| other.names.contains(name)));
        let named = format!("{}[{at}].namespaces", place.text());
        if !both.is_empty() {
            let both = both.into_iter().collect::<Vec<_>>().join(", ");
            return refuse(format!("conflicting namespaces found in path: {named}: {both}"), "namespaces");
        }
        own.patterns.extend(patterns);
        own.names.extend(names);
        if let Some(reason) = conflict(&audit, &enforce) {
            return refuse(format!("path: {named}: {reason}"), "namespaces");
        }
    }
    Ok(())
}

// Kyverno: validateWildcardsWithNamespaces.
fn conflict(audit: &Namespaces<'_>, enforce: &Namespaces<'_>) -> Option<String> {
    let matching = |patterns: &OrderedSet<&str>, names: &OrderedSet<&str>| {
        let first = |name: &&str| patterns.iter().find(|pattern| wildcard::matches(pattern, name)).copied();
        names.iter().find_map(|name| first(name).map(|pattern| (pattern.to_owned(), (*name).to_owned())))
    };
    let named = |found: Option<(String, String)>| {
        found.map(|(pattern, name)| format!("wildcard pattern '{pattern}' matches with namespace '{name}'"))
    };
    let both = |found: Option<(String, String)>| {
        found.map(|(one, other)| format!("wildcard pattern '{one}' conflicts with the pattern '{other}'"))
    };
    named(matching(&audit.patterns, &enforce.names))
        .or_else(|| named(matching(&enforce.patterns, &audit.names)))
        .or_else(|| both(matching(&audit.patterns, &enforce.patterns)))
        .or_else(|| both(matching(&enforce.patterns, &audit.patterns)))
}
