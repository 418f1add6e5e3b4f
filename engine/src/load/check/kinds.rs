//! The wildcard kind `*`.
//! Mirrors: validateKinds and validateWildcard in pkg/validation/policy/validate.go.

use super::refusal::Refusal;
use super::{
    field, given, has_generate, has_mutate, has_validate, has_verify_images, items, metadata_only, texts,
};
use crate::policy::Rule;
use engine_json::{Path, Value};

/// The kinds of `match` and `exclude`; `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize, background: bool) -> Result<(), Refusal> {
    for side in ["match", "exclude"] {
        let Some(block) = given(&rule.raw, side) else { continue };
        let path = rule.path.join(side);
        for key in ["any", "all"] {
            for (filter_at, filter) in items(block, key).iter().enumerate() {
                let path = path.join(key).join(filter_at);
                check_kinds(rule, filter, background, &path, || format!("{at}].{side}.{key}[{filter_at}]"))?;
            }
        }
        check_kinds(rule, block, background, &path, || format!("{at}].{side}"))?;
    }
    Ok(())
}

fn check_kinds(
    rule: &Rule,
    filter: &Value,
    background: bool,
    path: &Path,
    named: impl Fn() -> String,
) -> Result<(), Refusal> {
    let kinds = texts(field(filter, "resources"), "kinds");
    if !kinds.contains(&"*") {
        return Ok(());
    }
    wildcard(&rule.raw, kinds.len(), background).map_err(|reason| {
        Refusal::new(
            format!("path: spec.rules[{}.kinds: {reason}", named()),
            path.join("resources").join("kinds"),
        )
    })
}

fn wildcard(rule: &Value, kinds: usize, background: bool) -> Result<(), &'static str> {
    if background {
        return Err(
            "wildcard policy not allowed in background mode. Set spec.background=false to disable background mode for this policy rule ",
        );
    }
    if kinds > 1 {
        return Err("wildcard policy can not deal with more than one kind");
    }
    let validate = field(rule, "validate");
    if has_generate(rule) || has_verify_images(rule) || given(validate, "foreach").is_some() {
        return Err("wildcard policy does not support rule type");
    }
    let patterned = given(validate, "pattern").is_some() || given(validate, "anyPattern").is_some();
    if has_validate(rule) && patterned && !metadata_only::holds(rule) {
        return Err(metadata_only::REASON);
    }
    // Kyverno: only the old form of conditions is looked at; a key that is no text crashes it.
    let conditions = validate.find(&["deny", "conditions"]).and_then(Value::as_array).unwrap_or_default();
    if has_validate(rule) && !conditions.iter().all(|condition| key_is_allowed(field(condition, "key"))) {
        return Err(metadata_only::REASON);
    }
    if has_mutate(rule) && !metadata_only::holds(rule) {
        return Err(metadata_only::REASON);
    }
    Ok(())
}

fn key_is_allowed(key: &Value) -> bool {
    let Some(key) = key.as_str() else { return false };
    key.contains("request.object.metadata.")
        || (is_request_variable(key) && !key.contains("request.object.spec"))
}

// Go: `\{\{\s*(request\.|serviceAccountName|serviceAccountNamespace)[^{}]*\}\}`.
fn is_request_variable(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let Some(inner) = text.get(at..).and_then(|rest| rest.strip_prefix("{{")) else { return false };
        let inner = inner.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let named = ["request.", "serviceAccountName", "serviceAccountNamespace"]
            .iter()
            .any(|name| inner.starts_with(name));
        let end = inner.find(['{', '}']).unwrap_or(inner.len());
        named && inner.get(end..).is_some_and(|rest| rest.starts_with("}}"))
    })
}
