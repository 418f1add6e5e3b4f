//! Texts with variables.
//!
//! In: `{{ element.name }}` or `a-{{ element.name }}`. Out: what they give in CEL.

use crate::expressions::expr::Expr;
use crate::expressions::formula::quoted;
use crate::expressions::jmes::value;
use crate::expressions::scope::Scope;
use crate::refusal::{Class, Converted, refuse};
use engine_json::{Path, Value};

/// How many variables one text may have.
const MAX_VARIABLES: usize = 50;

/// A value in which variables may stand.
pub(crate) fn whole(written: &Value, scope: &Scope<'_>, path: &Path) -> Converted<Expr> {
    if let Value::Array(list) = written
        && list.iter().all(|one| one.as_str().is_some())
        && engine_json::to_json(written).contains("{{")
    {
        let items = list.iter().map(|one| whole(one, scope, path)).collect::<Converted<_>>()?;
        return Ok(Expr::Items(items));
    }
    if let Value::Object(map) = written
        && engine_json::to_json(written).contains("{{")
        && !map.keys().any(|key| key.contains("{{"))
    {
        let fields = map.iter().map(|(key, value)| Ok((key.to_string(), whole(value, scope, path)?)));
        return Ok(Expr::Fields(fields.collect::<Converted<_>>()?));
    }
    let Value::String(text) = written else {
        return match Expr::literal(written) {
            _ if engine_json::to_json(written).contains("{{") => {
                refuse(Class::Expression, path, "variables within a list or a map")
            }
            expr => Ok(expr),
        };
    };
    if is_of_helm(text) {
        let why =
            "a template of Helm, which has to be rendered first: convert what `helm template CHART` writes";
        return refuse(Class::Expression, path, why);
    }
    let parts = parts(text);
    match parts.as_slice() {
        [] | [Part::Text(_)] => Ok(Expr::literal(written)),
        [Part::Variable(expression)] => value(expression, scope, path),
        several => {
            let texts = several.iter().map(|part| match part {
                Part::Text(text) => Ok(quoted(text)),
                Part::Variable(expression) => value(expression, scope, path)?.as_text(path),
            });
            Ok(Expr::text(texts.collect::<Converted<Vec<_>>>()?.join(" + ")))
        }
    }
}

/// How actions of Helm begin that no JMESPath is: escapes of two braces, and what Helm knows.
const OF_HELM: [&str; 9] =
    ["`{{", "\"{{", "`}}", "\"}}", ".Values", ".Release", ".Chart", "include \"", "$."];

/// Whether a text has actions of Helm.
pub(crate) fn is_of_helm(text: &str) -> bool {
    let actions = text.match_indices("{{").filter_map(|(at, braces)| text.get(at + braces.len()..));
    actions
        .map(|action| action.trim_start_matches('-').trim_start())
        .any(|action| OF_HELM.iter().any(|begin| action.starts_with(begin)))
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text(String),
    Variable(String),
}

/// The pieces of a text.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let mut rest = text;
    let mut parts = Vec::new();
    for _ in 0..MAX_VARIABLES {
        let Some((before, after)) = rest.split_once("{{") else { break };
        // A hash in an expression ends with a bracket of its own.
        let Some(end) = end_of(after) else { break };
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        let inner = after.get(..end).unwrap_or("");
        parts.push(Part::Variable(inner.trim_start_matches('-').trim().to_owned()));
        rest = after.get(end + 2..).unwrap_or("");
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    parts
}

/// Where the braces end that stand open.
pub(crate) fn end_of(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 0 => depth -= 1,
            b'}' if bytes.get(at + 1) == Some(&b'}') => return Some(at),
            _ => {}
        }
    }
    None
}
