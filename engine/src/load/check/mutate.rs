//! `mutate`.
//! Mirrors: pkg/policy/mutate/validate.go.

use super::refusal::{FieldError, FieldPath, Refusal};
use super::{field, given, has_mutate, items, text};
use crate::policy::Rule;
use engine_json::{Path, Segment, Value};

/// Targets of a namespaced policy lie in its namespace; `None` for a ClusterPolicy.
pub(super) fn check_target_namespaces(
    rule: &Value,
    place: &FieldPath,
    own: Option<&str>,
    errors: &mut Vec<FieldError>,
) {
    let Some(own) = own else { return };
    for (at, target) in items(field(rule, "mutate"), "targets").iter().enumerate() {
        let namespace = text(target, "namespace");
        if !namespace.is_empty() && namespace != own {
            let detail = "This field can be ignored or should have value of the namespace where the policy is being created";
            let real = [Segment::from("mutate"), "targets".into(), at.into(), "namespace".into()];
            let named = FieldPath::new(
                format!("{}.targets[{at}].namespace", place.text()),
                place.really(&real).path().clone(),
            );
            errors.push(named.invalid_text(namespace, detail));
        }
    }
}

/// `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize) -> Result<(), Refusal> {
    if !has_mutate(&rule.raw) {
        return Ok(());
    }
    let mutate = field(&rule.raw, "mutate");
    let path = rule.path.join("mutate");
    let refuse = |part: &str, words: &str, path: Path| {
        Err(Refusal::new(format!("path: spec.rules[{at}].mutate.{part}.: {words}"), path))
    };
    let (merges, patches) =
        (given(mutate, "patchStrategicMerge").is_some(), !text(mutate, "patchesJson6902").is_empty());
    let loops = items(mutate, "foreach");
    if !loops.is_empty() {
        if merges || patches {
            let words = "only one of `foreach`, `patchStrategicMerge`, or `patchesJson6902` is allowed";
            return refuse("foreach", words, path);
        }
        return check_loops(loops, String::new(), &path.join("foreach"))
            .or_else(|(part, words, path)| refuse(&part, words, path));
    }
    if merges && patches {
        return refuse("foreach", ONE_PATCH, path);
    }
    if given(&rule.raw, "celPreconditions").is_some() {
        let path = rule.path.join("celPreconditions");
        return refuse("", "celPrecondition can only be used with validate.cel", path);
    }
    Ok(())
}

const ONE_PATCH: &str = "only one of `patchStrategicMerge` or `patchesJson6902` is allowed";

/// Loops within loops; the first one that holds a loop ends the check of its level.
// Kyverno: validateForEach; the names of earlier loops pile up in the words.
fn check_loops(loops: &[Value], mut tag: String, path: &Path) -> Result<(), (String, &'static str, Path)> {
    for (at, each) in loops.iter().enumerate() {
        tag = format!("{tag}foreach[{at}]");
        let path = path.join(at);
        let has = |key: &str| given(each, key).is_some();
        let (merges, patches) = (has("patchStrategicMerge"), !text(each, "patchesJson6902").is_empty());
        let nested = items(each, "foreach");
        if !nested.is_empty() {
            if has("context") || has("preconditions") || patches || merges {
                return Err((tag, "a nested foreach cannot contain other declarations", path));
            }
            return check_loops(nested, tag, &path.join("foreach"));
        }
        if merges == patches {
            return Err((tag, ONE_PATCH, path));
        }
    }
    Ok(())
}
