//! Rules for any kind may look at metadata alone.
//! Mirrors: ruleOnlyDealsWithResourceMetaData in pkg/validation/policy/validate.go.

use super::patches::Patch;
use super::{field, given, text};
use engine_json::{Value, parse};

/// What is said of a rule that looks further.
pub(super) const REASON: &str =
    "policy can only deal with the metadata field of the resource if the rule does not match any kind";

/// Whether patches and patterns of the rule touch nothing but metadata.
pub(super) fn holds(rule: &Value) -> bool {
    let only =
        |pattern: &Value| pattern.as_object().is_none_or(|map| map.keys().all(|key| key == "metadata"));
    if let Some(mutate) = given(rule, "mutate") {
        if !only(field(mutate, "patchStrategicMerge")) {
            return false;
        }
        // Kyverno: the text is read as JSON here, so patches in YAML are not looked at.
        let document = parse(text(mutate, "patchesJson6902")).unwrap_or_default();
        if Patch::decode(&document)
            .is_ok_and(|patch| !patch.paths().all(|path| path.starts_with("/metadata")))
        {
            return false;
        }
    }
    let Some(validate) = given(rule, "validate") else { return true };
    if !only(field(validate, "pattern")) {
        return false;
    }
    match field(validate, "anyPattern") {
        Value::Null => true,
        Value::Array(patterns) => patterns.iter().all(only),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => false,
    }
}
