//! The sentences of steps.
//!
//! In: what a step compared or met. Out: a sentence, such as ``"CREATE" NotEquals "DELETE", from key `{{
//! request.operation }}` ``. It is made when somebody reads it: most steps of most evaluations are never read.

use super::{Compared, Detail, Variable};
use crate::template;
use engine_json::{Value, to_json};
use std::borrow::Cow;
use std::sync::Arc;

/// What a step says.
#[derive(Clone, Debug)]
pub enum Words {
    /// Always the same.
    Fixed(&'static str),
    /// Of the policy alone, and made once for all resources.
    Shared(Arc<str>),
    /// Of this evaluation.
    Said(String),
    /// Made of the step's detail.
    OfDetail,
}

impl From<&'static str> for Words {
    fn from(text: &'static str) -> Self {
        Words::Fixed(text)
    }
}

impl From<Arc<str>> for Words {
    fn from(text: Arc<str>) -> Self {
        Words::Shared(text)
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Words::Said(text)
    }
}

/// The sentence about what a step compared or met; empty for what has a sentence of its own.
pub(super) fn of(detail: &Detail) -> Cow<'static, str> {
    match detail {
        Detail::Condition(compared) => condition(compared).into(),
        Detail::Variable(variable) => resolved(variable).into(),
        Detail::List { list, count } => format!("`{list}` gives {count} element(s)").into(),
        Detail::Element { index, element } => format!("element {index}: {}", short(element)).into(),
        Detail::Rule(_)
        | Detail::Pattern(_)
        | Detail::Walk(_)
        | Detail::Expression(_)
        | Detail::Branches(_)
        | Detail::PodSecurity { .. } => "".into(),
    }
}

/// A value takes so many characters at most.
const MOST: usize = 120;

/// A value in a few words; texts without their quotes.
pub(crate) fn short(value: &Value) -> Cow<'_, str> {
    let text = value.as_str().map_or_else(|| Cow::Owned(to_json(value)), Cow::Borrowed);
    // No text has more characters than bytes.
    if text.len() <= MOST {
        return text;
    }
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")).into(),
        None => text,
    }
}

/// The same with the quotes of texts.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(_) => to_json(&Value::from(&*short(value))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            short(value).into_owned()
        }
    }
}

/// What a condition compared, with what was written where variables stood in it.
fn condition(compared: &Compared) -> String {
    let (key, value) = &compared.resolved;
    let mut text = format!("{} {} {}", quoted(key), compared.operator, quoted(value));
    let sides = [("key", &compared.written.0), ("value", &compared.written.1)];
    let written = sides.into_iter().filter(|(_, written)| template::has_markers(written));
    for (at, (side, written)) in written.enumerate() {
        text.push_str(if at == 0 { ", from " } else { " and " });
        text.extend([side, " `", &short(written), "`"]);
    }
    text
}

/// What a variable gave.
fn resolved(variable: &Variable) -> String {
    let Variable { expression, value, origin } = variable;
    // Longer than that, it is cut as a text and quoted as one.
    let json = to_json(value);
    let json = if json.len() > MOST { to_json(&Value::from(&*short(value))) } else { json };
    format!("`{expression}` is {json}{origin}")
}
