//! Messages.
//!
//! In: the message of a rule. Out: the same, or an expression where variables stand in it.

use crate::expressions::scope::Scope;
use crate::expressions::template::{Part, parts, whole};
use engine_json::{Path, Value};

/// How many bytes a message of a policy in CEL may have.
const MAX_BYTES: usize = 5_000;

/// A message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) text: Option<String>,
    pub(crate) expression: Option<String>,
    /// What was lost.
    pub(crate) note: Option<String>,
}

/// A message of a rule.
pub(crate) fn message(text: &str, scope: &Scope<'_>) -> Message {
    // An expression of a message is evaluated outside of loops.
    let text = text.trim();
    if text.is_empty() {
        return Message::default();
    }
    let all = parts(text);
    if !all.iter().any(|part| matches!(part, Part::Variable(_))) {
        return Message { text: Some(cut(text)), ..Message::default() };
    }
    let made = whole(&Value::from(text), scope, &Path::root()).and_then(|expr| expr.as_text(&Path::root()));
    let plain: String = all
        .iter()
        .map(|part| match part {
            Part::Text(text) => text.as_str(),
            Part::Variable(_) => "…",
        })
        .collect();
    match made {
        Ok(expression) => Message { text: Some(cut(&plain)), expression: Some(expression), note: None },
        Err(refusal) => Message {
            text: Some(cut(&plain)),
            expression: None,
            note: Some(format!("the message is written without its variables: {}", refusal.text)),
        },
    }
}

fn cut(text: &str) -> String {
    text.chars()
        .scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= MAX_BYTES).then_some(c)
        })
        .collect()
}
