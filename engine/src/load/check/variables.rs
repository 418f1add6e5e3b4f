//! Variables: the names they may begin with, and where they must not stand.
//!
//! In: a policy. Out: its first variable that has no meaning, found by putting null in place of each, references
//! first. Mirrors: ValidateVariables in pkg/validation/policy/validate.go, pkg/engine/context/mock_context.go,
//! pkg/engine/variables/vars.go.

use super::mock::{Allowed, Mock};
use super::refusal::Refusal;
use super::schema::{RULE, go_json};
use super::{Subject, background, field, given, items, patches, text};
use crate::policy::Rule;
use crate::references;
use crate::template;
use engine_json::{Map, Path, Segment, Value, parse, to_json};

/// The checks before admission.
pub(super) fn check(subject: &Subject<'_>) -> Result<(), Refusal> {
    if subject.policy.background {
        background::check(subject).map_err(|refusal| {
            refusal.reworded(|words| {
                format!("only select variables are allowed in background mode. Set spec.background=false to disable background mode for this policy rule: {words} ")
            })
        })?;
    }
    check_rules(subject, subject.policy.background)
        .map_err(|refusal| refusal.reworded(|words| format!("policy contains invalid variables: {words}")))
}

/// The same once more for rules that run when the policy changes.
// Kyverno: ValidateOnPolicyUpdate.
pub(super) fn check_on_update(subject: &Subject<'_>) -> Result<(), Refusal> {
    if !background::has_variables(subject) {
        return Ok(());
    }
    check_rules(subject, true).map_err(|refusal| {
        refusal.reworded(|words| format!("update event, policy contains invalid variables: {words}"))
    })?;
    background::check(subject).map_err(|refusal| {
        refusal.reworded(|words| {
            format!("only select variables are allowed in on policy update. Set spec.mutateExistingOnPolicyUpdate=false to disable update policy mode for this policy rule: {words} ")
        })
    })
}

// Kyverno: hasInvalidVariables.
fn check_rules(subject: &Subject<'_>, background: bool) -> Result<(), Refusal> {
    for rule in &subject.rules {
        if !template::has_markers(&rule.raw) {
            continue;
        }
        check_forbidden(rule)?;
        let has_targets = given(field(&rule.raw, "mutate"), "targets").is_some();
        if has_targets {
            check_targets(rule, background)?;
        }
        // References lead through the rule as Go writes it, without what is empty.
        let document = without_attestation_conditions(&written(&rule.raw));
        let mock = Mock::new(&rule.raw, Allowed::of(background, has_targets));
        mock.check(&document).map_err(|fault| {
            let reason = format!("variable substitution failed for rule {}: {}", rule.name, fault.words);
            Refusal::new(reason, document_path(rule, &fault.path))
        })?;
    }
    Ok(())
}

/// Parts of a rule in which no variable may stand.
// Kyverno: ruleForbiddenSectionsHaveVariables.
fn check_forbidden(rule: &Rule) -> Result<(), Refusal> {
    let name = &rule.name;
    if patches::has_variable_path(rule) {
        let reason = format!("rule \"{name}\" should not have variables in patchesJSON6902 path section");
        return Err(Refusal::new(reason, patches::patch_of(rule).1));
    }
    for side in ["exclude", "match"] {
        if has_plain_variable(&to_json(field(&rule.raw, side))) {
            let reason = format!("rule \"{name}\" should not have variables in {side} section");
            return Err(Refusal::new(reason, rule.path.join(side)));
        }
    }
    for (at, image) in items(&rule.raw, "verifyImages").iter().enumerate() {
        let references = items(image, "imageReferences").iter().filter_map(Value::as_str);
        let mut all = references.chain([text(image, "image")]);
        if all.any(|reference| !template::variables(reference).is_empty()) {
            let reason = format!("rule \"{name}\" should not have variables in image reference section");
            return Err(Refusal::new(reason, rule.path.join("verifyImages").join(at)));
        }
    }
    Ok(())
}

// Go: `\{\{[^{}]*\}\}`, a backslash before it does not count.
fn has_plain_variable(text: &str) -> bool {
    // Three braces in a row hold two beginnings.
    text.match_indices('{').any(|(at, _)| {
        let Some(inner) = text.get(at..).and_then(|rest| rest.strip_prefix("{{")) else { return false };
        let end = inner.find(['{', '}']).unwrap_or(inner.len());
        inner.get(end..).is_some_and(|rest| rest.starts_with("}}"))
    })
}

/// Each target alone, with context and preconditions of the rule, in which `target` is not known yet.
fn check_targets(rule: &Rule, background: bool) -> Result<(), Refusal> {
    let keys = ["apiVersion", "kind", "namespace", "name", "uid"];
    for (at, target) in items(field(&rule.raw, "mutate"), "targets").iter().enumerate() {
        let filled = |key: &str| given(target, key).filter(|value| value.as_str() != Some(""));
        let kept = keys.iter().filter_map(|key| Some((*key, filled(key)?.clone())));
        let mut targets = vec![Value::object(Map::new()); at];
        targets.push(Value::object(kept.collect()));
        let mutate: Map = [("targets", Value::array(targets))].into_iter().collect();
        let outer = ["context", "preconditions"];
        let mut document: Map =
            outer.iter().filter_map(|key| Some((*key, given(&rule.raw, key)?.clone()))).collect();
        document.insert("mutate", Value::object(mutate));
        let document = Value::object(document);
        let mock = Mock::new(&document, Allowed::of(background, false));
        mock.check(&document).map_err(|fault| {
            let reason = format!("invalid variables defined at mutate.targets[{at}]: {}", fault.words);
            Refusal::new(reason, document_path(rule, &fault.path))
        })?;
    }
    Ok(())
}

fn written(rule: &Value) -> Value {
    parse(&go_json(rule, &RULE)).unwrap_or_else(|_| rule.clone())
}

/// Variables in conditions of attestations are those of the attestation.
fn without_attestation_conditions(rule: &Value) -> Value {
    let mut rule = rule.clone();
    let images = rule.object_mut().and_then(|map| map.get_mut("verifyImages")).and_then(Value::array_mut);
    for image in images.into_iter().flatten() {
        let attestations =
            image.object_mut().and_then(|map| map.get_mut("attestations")).and_then(Value::array_mut);
        for map in attestations.into_iter().flatten().filter_map(Value::object_mut) {
            map.remove("conditions");
        }
    }
    rule
}

/// The place in the document of a place in a rule, as far as the rule as written has it.
pub(super) fn document_path(rule: &Rule, path: &str) -> Path {
    let mut value = &rule.raw;
    let mut steps = rule.path.to_vec();
    for part in references::split_path(path) {
        let (step, inner) = match (value, part.parse::<usize>()) {
            (Value::Array(list), Ok(at)) => (Segment::from(at), list.get(at)),
            _ => (Segment::from(part.as_str()), value.get(&part)),
        };
        let Some(inner) = inner else { break };
        value = inner;
        steps.push(step);
    }
    steps.into()
}
