//! What conditions of classic rules ask, if they are inside the fragment.
//!
//! In: the preconditions of a rule, or the conditions of `deny`. Out: the tests on each place that they read. A key is inside where it is one
//! variable that leads to a field, perhaps through all elements of lists and perhaps with a text for what is not there; a value where it is a
//! constant.

use crate::exact::asked::{Asked, MAX_STEPS, Outside, Test};
use crate::exact::language::TextTest;
use crate::reads::field_path::{FieldPath, Step};
use engine::policy::{Condition, Conditions};
use engine::value::wildcard::contains_wildcard;
use engine::value::{Duration, Quantity};
use engine_json::{Str, Value};

/// Notes what conditions ask.
pub(crate) fn read(conditions: &Conditions, asked: &mut Asked) -> Result<(), Outside> {
    let (any, all) = match conditions {
        Conditions::List(all) => (&[][..], all.as_slice()),
        Conditions::AnyAll { any, all } => (any.as_deref().unwrap_or_default(), all.as_slice()),
    };
    any.iter().chain(all).try_for_each(|condition| read_one(condition, asked))
}

/// What a key leads to.
#[derive(Debug, PartialEq)]
enum Key {
    /// The operation, each of which is tried.
    Operation,
    /// A field of the object.
    Field {
        /// Where it is.
        path: FieldPath,
        /// Whether something else stands for what is not there, or is empty.
        has_default: bool,
    },
}

fn read_one(condition: &Condition, asked: &mut Asked) -> Result<(), Outside> {
    let Condition { key, operator, value, message, path: _ } = condition;
    let Some(key) = key.as_str().and_then(key_of) else { return Err("conditions on what is computed") };
    if has_variables(value) || has_variable(message) {
        return Err("conditions that hold two variables against each other");
    }
    let Key::Field { path, has_default } = key else { return Ok(()) };
    asked.at(&path);
    let formula = format!("{operator} {} {has_default} {path:?}", engine_json::to_json(value));
    asked.quantify(&path, &formula);
    if has_default {
        asked.quantify(&path, &format!("{formula} is not empty"));
        asked.test(&path, Test::Falsy);
    }
    let is_list = path.contains(&Step::Each);
    match operator.as_str() {
        "Equals" | "Equal" | "NotEquals" | "NotEqual" if !is_list => equality(value, &path, asked),
        // Kyverno: the others take the value of the object for a wildcard too.
        _ => Err("operators of conditions other than Equals and NotEquals"),
    }
}

fn equality(value: &Value, path: &[Step], asked: &mut Asked) -> Result<(), Outside> {
    match value {
        // Kyverno: amounts are compared as such, and others as wildcards.
        Value::String(text) if !contains_wildcard(text) && !is_amount(text) => {
            asked.test(path, Test::Text(TextTest::is(text)));
        }
        Value::Bool(_) => asked.test(path, Test::Equals(value.clone())),
        Value::String(_) | Value::Number(_) | Value::Null | Value::Array(_) | Value::Object(_) => {
            return Err("conditions on amounts, or on values as a whole");
        }
    }
    Ok(())
}

fn is_amount(text: &str) -> bool {
    Duration::parse(text).is_ok() || Quantity::parse(text).is_ok()
}

/// What the only variable of a text leads to; nothing where it is computed in another way.
fn key_of(text: &str) -> Option<Key> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let (path, default) = match inner.split_once("||") {
        None => (inner, None),
        Some((path, default)) => (path.trim(), Some(default.trim())),
    };
    if default.is_some_and(|default| !is_constant(default)) {
        return None;
    }
    if path == "request.operation" {
        return Some(Key::Operation);
    }
    let path = steps(path.strip_prefix("request.object.")?)?;
    Some(Key::Field { path, has_default: default.is_some() })
}

/// `'text'`, or an empty list.
fn is_constant(text: &str) -> bool {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    text == "`[]`" || inner.is_some_and(|inner| !inner.contains(['\'', '\\', '{', '}']))
}

/// The steps of `a.b[]."c.d"`.
fn steps(text: &str) -> Option<FieldPath> {
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        let (key, after) = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.split_once('"').filter(|(key, _)| !key.contains('\\'))?
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            rest.split_at_checked(end)?
        };
        let is_plain =
            rest.starts_with('"') || key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if key.is_empty() || !is_plain || path.len() + 2 >= MAX_STEPS {
            return None;
        }
        path.push(Step::Key(Str::new(key)));
        rest = after;
        if let Some(after) = rest.strip_prefix("[]") {
            path.push(Step::Each);
            rest = after;
        }
        if rest.is_empty() {
            return Some(path);
        }
        rest = rest.strip_prefix('.')?;
    }
}

/// Whether a variable stands in a text.
pub(crate) fn has_variable(text: &str) -> bool {
    text.contains("{{") || text.contains("$(")
}

/// Whether a variable stands in a value.
pub(crate) fn has_variables(value: &Value) -> bool {
    match value {
        Value::String(text) => has_variable(text),
        Value::Array(items) => items.iter().any(has_variables),
        Value::Object(map) => map.iter().any(|(key, item)| has_variable(key) || has_variables(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::field_path::field_path;

    #[test]
    fn keys_that_lead_to_a_field_are_read_and_others_are_not() {
        let field = |keys: &[&str], has_default| Some(Key::Field { path: field_path(keys), has_default });
        assert_eq!(key_of("{{ request.operation || 'BACKGROUND' }}"), Some(Key::Operation));
        assert_eq!(key_of("{{request.object.spec.type}}"), field(&["spec", "type"], false));
        let label = "{{ request.object.metadata.labels.\"a.b/c\" || '' }}";
        assert_eq!(key_of(label), field(&["metadata", "labels", "a.b/c"], true));
        let images = "{{ request.object.spec.containers[].image }}";
        assert_eq!(key_of(images), field(&["spec", "containers", "[]", "image"], false));
        for other in [
            "{{ request.object.spec.containers[0].image }}",
            "{{ request.object.spec.[containers, initContainers][] }}",
            "{{ length(request.object.spec.containers) }}",
            "{{ request.object.metadata.labels.a || request.object.metadata.name }}",
            "{{ request.object.metadata.labels.a }}{{ request.object.metadata.name }}",
            "a{{ request.object.metadata.labels.a }}",
            "{{ request.object.metadata.labels | keys(@) }}",
            "{{ request.oldObject.metadata.name }}",
            "{{ request.object.metadata.labels.a-b }}",
            "{{ request.object.metadata.* }}",
        ] {
            assert_eq!(key_of(other), None, "{other}");
        }
    }
}
