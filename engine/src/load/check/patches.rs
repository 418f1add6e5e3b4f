//! JSON patches: their operations, and paths that begin with a slash.
//! Mirrors: validateJSONPatch… in pkg/validation/policy/validate.go, evanphx/json-patch v5 (DecodePatch).

use super::refusal::Refusal;
use super::text;
use crate::policy::Rule;
use crate::template;
use engine_json::{Path, Value, parse, to_json};

/// What stands for a variable while a patch is read.
const PLACEHOLDER: &str = "kyvernojsonpatchvariable";

/// The operations of a patch.
pub(super) struct Patch<'a> {
    operations: &'a [Value],
}

impl<'a> Patch<'a> {
    /// The operations of a document, or the words of the original's reader.
    pub(super) fn decode(document: &'a Value) -> Result<Self, String> {
        let operations = match document {
            Value::Null => &[],
            Value::Array(list) => list.as_slice(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
                return Err(format!(
                    "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
                    json_kind(other)
                ));
            }
        };
        if let Some(bad) =
            operations.iter().find(|operation| !matches!(operation, Value::Object(_) | Value::Null))
        {
            return Err(format!(
                "json: cannot unmarshal {} into Go value of type jsonpatch.Operation",
                json_kind(bad)
            ));
        }
        for operation in operations {
            check_operation(operation)
                .map_err(|words| format!("invalid operation {}: {words}", to_json(operation)))?;
        }
        Ok(Patch { operations })
    }

    /// The paths of the operations.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().map(|operation| text(operation, "path"))
    }
}

fn check_operation(operation: &Value) -> Result<(), String> {
    match text(operation, "op") {
        "add" | "replace" => {
            if operation.get("value").is_none() {
                return Err(
                    "failed to decode 'value': operation, missing value field: missing value".to_owned()
                );
            }
        }
        "move" | "copy" => {
            check_text(operation, "from", "operation, missing from field: missing value")
                .map_err(|words| format!("failed to decode 'from': {words}"))?;
        }
        "remove" | "test" => {}
        _ => return Err("unsupported operation".to_owned()),
    }
    check_text(operation, "path", "operation missing path field: missing value")
        .map_err(|words| format!("failed to decode 'path': {words}"))
}

fn check_text(operation: &Value, key: &str, missing: &str) -> Result<(), String> {
    match operation.get(key) {
        None | Some(Value::Null) => Err(missing.to_owned()),
        Some(Value::String(_)) => Ok(()),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            Err(format!("json: cannot unmarshal {} into Go value of type string", json_kind(other)))
        }
    }
}

fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The document of a patch, which may be YAML or JSON.
fn read(patch: &str) -> Result<Value, String> {
    // Kyverno: yaml.ToJSON takes a text that begins with a brace for JSON.
    if patch.trim_start().starts_with('{') {
        return parse(patch).map_err(|_| "invalid state detected".to_owned());
    }
    engine_yaml::parse_one(patch).map_err(|error| error.original)
}

/// The patches of a `mutate`; `at` is the place of the rule among written and generated ones.
pub(super) fn check(rule: &Rule, at: usize) -> Result<(), Refusal> {
    let (patch, path) = patch_of(rule);
    if patch.is_empty() {
        return Ok(());
    }
    let refuse = |words: &str| {
        Refusal::new(format!("path must begin with a forward slash: spec.rules[{at}]: {words}"), path.clone())
    };
    let document = read(&template::replace_variables(patch, PLACEHOLDER)).map_err(|words| refuse(&words))?;
    let decoded = Patch::decode(&document).map_err(|words| refuse(&words))?;
    if let Some(bad) = decoded.paths().find(|path| !path.starts_with('/')) {
        return Err(refuse(bad));
    }
    // Kyverno: validateJSONPatch looks at operation and value once more; DecodePatch has refused all it could
    // find but a `test` without a value.
    let lacks_value = |operation: &Value| text(operation, "op") == "test" && operation.get("value").is_none();
    if decoded.operations.iter().any(lacks_value) {
        let reason =
            format!("invalid value: spec.rules[{at}]: operation, missing value field: missing value");
        return Err(Refusal::new(reason, path));
    }
    Ok(())
}

/// Whether a variable stands in the path of an operation.
// Kyverno: jsonPatchPathHasVariables; a patch that cannot be read counts as one without.
pub(super) fn has_variable_path(rule: &Rule) -> bool {
    let (patch, _) = patch_of(rule);
    if !patch.contains("{{") {
        return false;
    }
    let Ok(document) = read(patch) else { return false };
    Patch::decode(&document)
        .is_ok_and(|patch| patch.paths().any(|path| !template::variables(path).is_empty()))
}

/// The text of the patches of a rule, and where it stands.
pub(super) fn patch_of(rule: &Rule) -> (&str, Path) {
    let patch = rule.raw.find_str(&["mutate", "patchesJson6902"]);
    (patch, rule.path.join("mutate").join("patchesJson6902"))
}
