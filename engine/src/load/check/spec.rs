//! What stands in the spec beside and above the rules.

use super::refusal::{FieldError, FieldPath, Refusal, aggregate};
use super::schema::{RULE, go_json};
use super::{Subject, field, given, has_generate, has_mutate, has_verify_images, items, rule, text};
use crate::autogen;
use crate::policy::PolicyKind;
use engine_json::{Value, to_json};

/// The longest name of a policy: it becomes the value of a label.
const MAX_NAME: usize = 63;

/// A ClusterPolicy has no namespace.
pub(super) fn check_namespace(subject: &Subject<'_>) -> Result<(), Refusal> {
    let namespace = subject.policy.raw.find_str(&["metadata", "namespace"]);
    if subject.policy.kind == PolicyKind::ClusterPolicy && !namespace.is_empty() {
        let path = subject.at(&["metadata", "namespace"]);
        return Err(Refusal::new("A clusterpolicy should not have the namespace defined", path));
    }
    Ok(())
}

/// Match conditions of the webhook need a cluster to be checked; the original crashes here.
pub(super) fn check_match_conditions(subject: &Subject<'_>) -> Result<(), Refusal> {
    let webhook = field(subject.spec(), "webhookConfiguration");
    if items(webhook, "matchConditions").is_empty() {
        return Ok(());
    }
    let reason = "webhookConfiguration.matchConditions cannot be checked without a cluster: the Kyverno CLI crashes on such a policy";
    Err(Refusal::new(reason, subject.at(&["spec", "webhookConfiguration", "matchConditions"])))
}

/// Name, annotations, deprecated fields, timeouts, rules.
// Kyverno: ClusterPolicy.Validate and Policy.Validate, Spec.Validate.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Refusal> {
    let mut errors = Vec::new();
    let policy = subject.policy;
    if policy.annotations.get(autogen::ANNOTATION).and_then(Value::as_str) == Some("all") {
        let path = subject.at(&["metadata", "annotations", autogen::ANNOTATION]);
        let detail = "Autogen annotation does not support 'all' anymore, remove the annotation or set it to a valid value";
        errors.push(FieldPath::new("metadata.annotations", path).forbidden(detail));
    }
    if policy.name.len() > MAX_NAME {
        errors.push(FieldPath::new("name", subject.at(&["metadata", "name"])).too_long(MAX_NAME));
    }
    let place = FieldPath::new("spec", subject.at(&["spec"]));
    check_deprecated(subject.spec(), &place, &mut errors);
    check_targets(subject.spec(), &place, &mut errors);
    check_timeouts(subject.spec(), &place, &mut errors);
    check_rules(subject, &place.child("rules"), &mut errors);
    if subject.namespaced() && !items(subject.spec(), "validationFailureActionOverrides").is_empty() {
        let detail = "Use of validationFailureActionOverrides is supported only with ClusterPolicy";
        errors.push(place.child("validationFailureActionOverrides").forbidden(detail));
    }
    aggregate(errors)
}

fn check_deprecated(spec: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let webhook = field(spec, "webhookConfiguration");
    if given(spec, "webhookTimeoutSeconds").is_some() && given(webhook, "timeoutSeconds").is_some() {
        let detail = "remove the deprecated field and use spec.webhookConfiguration.timeoutSeconds instead";
        errors.push(place.child("webhookTimeoutSeconds").forbidden(detail));
    }
    if given(spec, "failurePolicy").is_some() && given(webhook, "failurePolicy").is_some() {
        let detail = "remove the deprecated field and use spec.webhookConfiguration.failurePolicy instead";
        errors.push(place.child("failurePolicy").forbidden(detail));
    }
    if given(spec, "generateExistingOnPolicyUpdate").is_some() {
        let detail = "remove the deprecated field and use spec.generate[*].generateExisting instead";
        errors.push(place.child("generateExistingOnPolicyUpdate").forbidden(detail));
    }
}

// Kyverno: Spec.validateMutateTargets.
fn check_targets(spec: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let everywhere = field(spec, "mutateExistingOnPolicyUpdate").as_bool() == Some(true);
    for (at, rule) in items(spec, "rules").iter().enumerate() {
        let mutate = field(rule, "mutate");
        let here = field(mutate, "mutateExistingOnPolicyUpdate").as_bool() == Some(true);
        if has_mutate(rule) && (everywhere || here) && items(mutate, "targets").is_empty() {
            let detail = format!(
                "rules[{at}].mutate.targets has to be specified when mutateExistingOnPolicyUpdate is set"
            );
            errors.push(place.child("mutateExistingOnPolicyUpdate").forbidden(detail));
        }
    }
}

fn check_timeouts(spec: &Value, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let mut check = |seconds: &Value, place: FieldPath| {
        if seconds.as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
            errors
                .push(place.invalid(&to_json(seconds), "the timeout value must be between 1 and 30 seconds"));
        }
    };
    check(field(spec, "webhookTimeoutSeconds"), place.child("webhookTimeoutSeconds"));
    let webhook = field(spec, "webhookConfiguration");
    check(field(webhook, "timeoutSeconds"), place.child("webhookConfiguration").child("timeoutSeconds"));
}

// Kyverno: Spec.ValidateRules; these are the rules as written.
fn check_rules(subject: &Subject<'_>, place: &FieldPath, errors: &mut Vec<FieldError>) {
    let rules = items(subject.spec(), "rules");
    let mut names: Vec<&str> = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let name = text(rule, "name");
        if names.contains(&name) {
            let detail = format!("Duplicate rule name: '{name}'");
            errors.push(place.index(at).child("name").invalid(&go_json(rule, &RULE), detail));
        }
        names.push(name);
    }
    let policy_namespace = subject.policy.raw.find_str(&["metadata", "namespace"]);
    for (at, rule) in rules.iter().enumerate() {
        rule::check_fields(rule, &place.index(at), subject.namespaced(), policy_namespace, errors);
    }
}

/// Admission and background processing must not both be off.
pub(super) fn check_processing(subject: &Subject<'_>) -> Result<(), Refusal> {
    if subject.policy.admission {
        return Ok(());
    }
    let path = subject.at(&["spec", "admission"]);
    if !subject.policy.background {
        return Err(Refusal::new("disabling both admission and background processing is not allowed", path));
    }
    let rules = items(subject.spec(), "rules");
    if rules.iter().any(|rule| has_mutate(rule) || has_generate(rule) || has_verify_images(rule)) {
        return Err(Refusal::new(
            "disabling admission processing is only allowed with validation policies",
            path,
        ));
    }
    Ok(())
}
