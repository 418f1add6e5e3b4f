//! `element` has a meaning inside loops alone.
//! Mirrors: validateElementInForEach in pkg/validation/policy/validate.go and pkg/engine/variables/vars.go.

use super::mock;
use super::refusal::Refusal;
use super::variables::document_path;
use crate::policy::Rule;
use crate::template;
use engine_json::Value;

/// The first variable `element…` outside of a loop.
pub(super) fn check_element(rule: &Rule) -> Result<(), Refusal> {
    if !template::has_markers(&rule.raw) {
        return Ok(());
    }
    walk(rule, &rule.raw, &mut String::new())
}

fn walk(rule: &Rule, value: &Value, path: &mut String) -> Result<(), Refusal> {
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter() {
                check_text(rule, key, path)?;
                mock::descend(path, &key.replace('/', "\\/"), |path| walk(rule, item, path))?;
            }
            Ok(())
        }
        Value::Array(list) => {
            for (at, item) in list.iter().enumerate() {
                mock::descend(path, &at.to_string(), |path| walk(rule, item, path))?;
            }
            Ok(())
        }
        Value::String(text) => check_text(rule, text, path),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_text(rule: &Rule, text: &str, path: &str) -> Result<(), Refusal> {
    if path.contains("/foreach/") {
        return Ok(());
    }
    for found in template::variables(text) {
        let variable = mock::expression(found.text());
        if variable.starts_with("element") {
            let reason = format!("variable '{variable}' present outside of foreach at path {path}");
            return Err(Refusal::new(reason, document_path(rule, path)));
        }
    }
    Ok(())
}
