//! One rule: its fields as written, then everything about it and what autogen makes of it.

use super::refusal::{FieldError, FieldPath, Refusal};
use super::schema::{RULE, go_json};
use super::{
    Subject, conditions, context, empty_set, field, foreach, generate, given, has_generate, has_mutate,
    has_validate, has_verify_images, images, items, labels, metadata_only, mutate, patches, selectors, text,
    texts, validate, variables,
};
use crate::policy::Rule;
use engine_json::Value;

const MIXED_FORMS: &str = "Kyverno compares the old form of `match` with nothing but the old form of `exclude`: \
    write both under `any`";

// Kyverno: doMatchAndExcludeConflict came with `any` in v1.4.2 and stands in v1.19.1 as ValidateMatchExcludeConflict; in all
// of them MatchesResourceDescription itself would have excluded.
const MIXED_SINCE: &str = "every release since 1.4.2, the first with `any`, refuses this form; no \
    release matches differently for it, but a cluster keeps the policy that it had before, so that such an `exclude` seems \
    to do nothing";

/// The checks that collect errors about fields.
// Kyverno: Rule.Validate in api/kyverno/v1/rule_types.go.
pub(super) fn check_fields(
    rule: &Value,
    place: &FieldPath,
    namespaced: bool,
    policy_namespace: &str,
    errors: &mut Vec<FieldError>,
) {
    check_type(rule, place, errors);
    if empty_set::matches_nothing(rule) {
        let error = place.child("exclude").reworded(place.text());
        let error = error.invalid(&go_json(rule, &RULE), "Rule is matching an empty set");
        let is_mixed = empty_set::mixes_forms(rule);
        errors.push(if is_mixed { error.hint(MIXED_FORMS).note(MIXED_SINCE) } else { error });
    }
    selectors::check_match(field(rule, "match"), &place.child("match"), namespaced, errors);
    if let Some(exclude) = given(rule, "exclude") {
        selectors::check_match(exclude, &place.child("exclude"), namespaced, errors);
    }
    mutate::check_target_namespaces(rule, place, namespaced.then_some(policy_namespace), errors);
    validate::check_pod_security(rule, place, errors);
    if has_generate(rule) {
        generate::check_fields(
            field(rule, "generate"),
            place,
            namespaced.then_some(policy_namespace),
            errors,
        );
    }
}

// Kyverno: Rule.ValidateRuleType.
fn check_type(rule: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let name = text(rule, "name");
    let bodies = [has_mutate(rule), has_validate(rule), has_generate(rule), has_verify_images(rule)];
    match bodies.iter().filter(|has| **has).count() {
        0 => errors.push(place.invalid(
            &go_json(rule, &RULE),
            format!("No operation defined in the rule '{name}'.(supported operations: mutate,validate,generate,verifyImages)"),
        )),
        1 => {}
        _ => errors.push(place.invalid(
            &go_json(rule, &RULE),
            format!("Multiple operations defined in the rule '{name}', only one operation (mutate,validate,generate,verifyImages) is allowed per rule"),
        )),
    }
    if given(rule, "imageExtractors").is_some() && !has_verify_images(rule) {
        errors.push(place.child("imageExtractors").invalid(
            &go_json(rule, &RULE),
            format!("Invalid rule spec for rule '{name}', imageExtractors can only be defined for verifyImages rule"),
        ));
    }
}

/// The checks of one rule, written or made by autogen; `at` is its place among all of them.
// Kyverno: the second loop over the rules in Validate; `spec.rules[i]` counts the rules that autogen makes.
pub(super) fn check(subject: &Subject<'_>, rule: &Rule, at: usize) -> Result<(), Refusal> {
    let raw = &rule.raw;
    if given(raw, "mutate").is_some() {
        patches::check(rule, at)?;
    }
    conditions::check(rule, at)?;
    foreach::check_element(rule)?;
    context::check(subject, rule, at)?;
    images::check_extractors(rule, at)?;
    check_kinds(rule)?;
    mutate::check(rule, at)?;
    validate::check(rule, at)?;
    generate::check(rule, at)?;
    images::check(subject, rule, at)?;
    labels::check(rule)?;
    check_policy_update(subject, rule)
}

/// A rule for no kind at all is refused, whatever it says.
fn check_kinds(rule: &Rule) -> Result<(), Refusal> {
    let matches = field(&rule.raw, "match");
    let path = rule.path.join("match");
    let (any, all) = (items(matches, "any"), items(matches, "all"));
    let has_kinds = |block: &Value| !texts(field(block, "resources"), "kinds").is_empty();
    let (filters, key) = if any.is_empty() { (all, "all") } else { (any, "any") };
    let bare = match filters.iter().position(|filter| !has_kinds(filter)) {
        Some(filter) => Some(path.join(key).join(filter).join("resources")),
        None if filters.is_empty() && !has_kinds(matches) => Some(path.join("resources")),
        None => None,
    };
    let Some(path) = bare else { return Ok(()) };
    if !metadata_only::holds(&rule.raw) {
        return Err(Refusal::new(metadata_only::REASON, path));
    }
    let reason = "at least one element must be specified in a kind block, the kind attribute is mandatory when working with the resources element";
    Err(Refusal::new(reason, path))
}

// Kyverno: the calls of ValidateOnPolicyUpdate.
fn check_policy_update(subject: &Subject<'_>, rule: &Rule) -> Result<(), Refusal> {
    if !has_mutate(&rule.raw) {
        return Ok(());
    }
    let own = field(field(&rule.raw, "mutate"), "mutateExistingOnPolicyUpdate").as_bool();
    let everywhere = field(subject.spec(), "mutateExistingOnPolicyUpdate").as_bool() == Some(true);
    if own.unwrap_or(everywhere) { variables::check_on_update(subject) } else { Ok(()) }
}
