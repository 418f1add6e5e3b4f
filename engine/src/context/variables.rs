//! Puts values in place of variables `{{ … }}`.
//!
//! In: a value with variables in its texts and keys. Out: the value without them; or Kyverno's words for why not.
//! Mirrors: pkg/engine/variables/vars.go, pkg/engine/jsonutils/traverse.go.

use super::{Asked, JsonContext};
use crate::references;
use crate::template::{self, Found};
use engine_json::{Map, Str, Value, to_json};

/// How often the variables of one text may give texts with variables again.
const MAX_ROUNDS: usize = 1_000;
/// How long a text may grow.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// The value with all references and variables resolved.
// Kyverno: SubstituteAll.
pub(crate) fn substitute(context: &mut JsonContext<'_>, document: &Value) -> Result<Value, String> {
    if !template::has_markers(document) {
        return Ok(document.clone());
    }
    let document = references::resolve(document)?;
    walk(context, &document, &mut String::new())
}

fn walk(context: &mut JsonContext<'_>, value: &Value, path: &mut String) -> Result<Value, String> {
    match value {
        Value::Object(map) => {
            let mut result = Map::new();
            // The original goes in random order; the order of the names decides which mistake is told.
            for (key, item) in map.sorted() {
                let new_key = match substitute_text(context, key, path)? {
                    Value::String(text) => text,
                    Value::Null => key.clone(),
                    Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                        return Err(format!("expected string after substituting variables in key \"{key}\""));
                    }
                };
                let length = path.len();
                path.push('/');
                path.push_str(&key.replace('/', "\\/"));
                let new_item = walk(context, item, path);
                path.truncate(length);
                result.insert(new_key, new_item?);
            }
            Ok(Value::object(result))
        }
        Value::Array(list) => {
            let mut result = Vec::with_capacity(list.len());
            for (at, item) in list.iter().enumerate() {
                let length = path.len();
                path.push('/');
                path.push_str(&at.to_string());
                let new_item = walk(context, item, path);
                path.truncate(length);
                result.push(new_item?);
            }
            Ok(Value::array(result))
        }
        Value::String(text) => substitute_text(context, text, path),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
    }
}

/// One text: a value of any type where the text is one variable, else a text.
// Kyverno: substituteVariablesIfAny.
fn substitute_text(context: &mut JsonContext<'_>, text: &Str, path: &str) -> Result<Value, String> {
    if !text.contains("{{") {
        return Ok(Value::String(text.clone()));
    }
    let mut value = text.to_string();
    for _ in 0..MAX_ROUNDS {
        let round = value.clone();
        let found = template::variables(&round);
        if found.is_empty() {
            return Ok(Value::String(value.replace("\\{{", "{{").into()));
        }
        let mut shallow = false;
        for variable in found {
            let (expression, is_shallow) = strip_braces(variable.text());
            shallow = is_shallow;
            let expression = complete(context, expression, path);
            let resolved = context
                .query(&expression)
                .map_err(|error| format!("failed to resolve {expression} at path {path}: {error}"))?;
            context.keep(|_| Asked::Variable { expression: expression.clone(), value: resolved.clone() });
            if round == variable.text() {
                return Ok(resolved);
            }
            value = put(&value, &variable, &resolved, is_shallow, &expression, path)?;
        }
        if shallow {
            return Ok(Value::String(value.replace("\\{{", "{{").into()));
        }
    }
    Err(format!(
        "failed to resolve {text} at path {path}: variables give variables more than {MAX_ROUNDS} times"
    ))
}

/// The text with the first occurrence of a variable replaced.
// Kyverno: substituteVarInPattern.
fn put(
    value: &str,
    variable: &Found<'_>,
    resolved: &Value,
    is_shallow: bool,
    expression: &str,
    path: &str,
) -> Result<String, String> {
    let failed = |why: &str| format!("failed to resolve {expression} at path {path}: {why}");
    let text = match resolved {
        Value::String(text) if is_shallow => text.replace("{{", "\\{{"),
        Value::String(text) => text.to_string(),
        // The original crashes on these.
        other if is_shallow && !other.is_null() => {
            return Err(failed("a variable that starts with `-` must give a string"));
        }
        other => to_json(other),
    };
    if value.len() + text.len() > MAX_TEXT_BYTES {
        return Err(failed(&format!("the text grows beyond {MAX_TEXT_BYTES} bytes")));
    }
    Ok(value.replacen(variable.whole, &format!("{}{text}", variable.prefix()), 1))
}

/// What stands between the braces, all braces taken out, and whether it starts with `-`.
// Kyverno: replaceBracesAndTrimSpaces.
fn strip_braces(variable: &str) -> (String, bool) {
    let inner = variable.replace("{{", "").replace("}}", "");
    let inner = inner.trim();
    match inner.strip_prefix('-') {
        Some(rest) => (rest.trim().to_owned(), true),
        None => (inner.to_owned(), false),
    }
}

/// `@` stands for the field at the same place; a deletion looks at the old object.
fn complete(context: &mut JsonContext<'_>, mut expression: String, path: &str) -> String {
    if expression == "@" {
        let target = context.query("target").is_ok();
        expression = references::here(path, if target { &["target"] } else { &["request", "object"] });
    }
    if context.operation() == "DELETE" {
        expression = expression.replace("request.object", "request.oldObject");
    }
    expression
}
