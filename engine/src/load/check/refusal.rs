//! A refusal, and the errors about fields that Kubernetes' validation collects.
//!
//! In: a place and what is wrong there. Out: words such as `spec.rules[0].name: Required value`, with the path
//! in the document beside them, for the words do not always name the real place.
//! Mirrors: k8s.io/apimachinery/pkg/util/validation/field.

use crate::value::go_text;
use engine_json::{Path, Segment};
use std::borrow::Cow;

/// Why a policy is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Refusal {
    /// Kyverno's words.
    pub(in super::super) reason: String,
    /// The field that is refused.
    pub(in super::super) path: Path,
    /// What to do, where the words do not say it; empty for nothing.
    pub(in super::super) hint: Cow<'static, str>,
    /// What else is worth knowing about it; empty for nothing.
    pub(in super::super) note: &'static str,
}

impl Refusal {
    /// These words about this field.
    pub(super) fn new(reason: impl Into<String>, path: Path) -> Self {
        Refusal { reason: reason.into(), path, hint: Cow::Borrowed(""), note: "" }
    }

    /// The same with a hint.
    pub(super) fn hinted(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Refusal { hint: hint.into(), ..self }
    }

    /// The same under other words.
    pub(super) fn reworded(self, words: impl FnOnce(&str) -> String) -> Self {
        Refusal { reason: words(&self.reason), ..self }
    }
}

/// A field as Kyverno names it, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct FieldPath {
    text: String,
    path: Path,
}

impl FieldPath {
    /// A place by both names.
    pub(super) fn new(text: impl Into<String>, path: Path) -> Self {
        FieldPath { text: text.into(), path }
    }

    /// A field of it.
    pub(super) fn child(&self, key: &str) -> FieldPath {
        self.named(key).really(&[Segment::from(key)])
    }

    /// An item of it.
    pub(super) fn index(&self, at: usize) -> FieldPath {
        let text = format!("{}[{at}]", self.text);
        FieldPath { text, path: self.path.join(at) }
    }

    /// A field as the words have it; the place stays.
    pub(super) fn named(&self, key: &str) -> FieldPath {
        FieldPath { text: format!("{}.{key}", self.text), path: self.path.clone() }
    }

    /// The same place by other words.
    pub(super) fn reworded(&self, text: &str) -> FieldPath {
        FieldPath { text: text.to_owned(), path: self.path.clone() }
    }

    /// Further down in the document; the words stay.
    pub(super) fn really(&self, segments: &[Segment]) -> FieldPath {
        FieldPath { text: self.text.clone(), path: self.path.concat(segments) }
    }

    /// As the words have it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where it stands.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// `Invalid value`, with the value as JSON.
    pub(super) fn invalid(&self, json: &str, detail: impl AsRef<str>) -> FieldError {
        self.error(&format!("Invalid value: {json}"), detail.as_ref())
    }

    /// `Invalid value`, with the value in quotes.
    pub(super) fn invalid_text(&self, value: &str, detail: impl AsRef<str>) -> FieldError {
        self.invalid(&go_text::quote(value), detail)
    }

    /// `Forbidden`.
    pub(super) fn forbidden(&self, detail: impl AsRef<str>) -> FieldError {
        self.error("Forbidden", detail.as_ref())
    }

    /// `Required value`.
    pub(super) fn required(&self, detail: &str) -> FieldError {
        self.error("Required value", detail)
    }

    /// `Too long`.
    pub(super) fn too_long(&self, most: usize) -> FieldError {
        self.error("Too long", &format!("may not be more than {most} bytes"))
    }

    fn error(&self, kind: &str, detail: &str) -> FieldError {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        FieldError {
            text: format!("{}: {kind}{detail}", self.text),
            path: self.path.clone(),
            hint: "",
            note: "",
        }
    }
}

/// What is wrong with a field.
#[derive(Clone, Debug)]
pub(super) struct FieldError {
    text: String,
    path: Path,
    hint: &'static str,
    note: &'static str,
}

impl FieldError {
    /// The same with what to do about it.
    pub(super) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = hint;
        self
    }

    /// The same with what else is worth knowing.
    pub(super) fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }
}

/// All errors as one refusal; each is said once.
// Go: ErrorList.ToAggregate.
pub(super) fn aggregate(errors: Vec<FieldError>) -> Result<(), Refusal> {
    let mut texts: Vec<String> = Vec::new();
    let mut first = None;
    for error in errors {
        first.get_or_insert((error.path, error.hint, error.note));
        if !texts.contains(&error.text) {
            texts.push(error.text);
        }
    }
    let Some((path, hint, note)) = first else { return Ok(()) };
    let reason = match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    Err(Refusal { reason, path, hint: Cow::Borrowed(hint), note })
}
