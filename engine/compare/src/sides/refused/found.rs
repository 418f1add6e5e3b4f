//! What is refused of a document, in the words of an API server.
//!
//! In: values with their places. Out: [`Found`].
// k8s.io/apimachinery/pkg/util/validation/field/errors.go.

use engine_json::{Path, Value, to_json};
use std::collections::BTreeSet;

/// What is refused so far.
#[derive(Default)]
pub(super) struct Found(pub(super) Vec<(Path, String)>);

impl Found {
    pub(super) fn required(&mut self, at: &At<'_>, why: &str) {
        let colon = if why.is_empty() { "" } else { ": " };
        self.0.push((at.path.clone(), format!("Required value{colon}{why}")));
    }

    pub(super) fn invalid(&mut self, at: &At<'_>, why: &str) {
        self.0.push((at.path.clone(), format!("Invalid value: {}: {why}", to_json(at.value))));
    }

    pub(super) fn duplicate(&mut self, at: &At<'_>) {
        self.0.push((at.path.clone(), format!("Duplicate value: {}", to_json(at.value))));
    }

    /// What is there has to be one of these.
    pub(super) fn one_of(&mut self, at: &At<'_>, known: &[&str]) {
        if !known.contains(&at.text()) {
            let known: Vec<String> = known.iter().map(|word| format!("\"{word}\"")).collect();
            let text =
                format!("Unsupported value: {}: supported values: {}", to_json(at.value), known.join(", "));
            self.0.push((at.path.clone(), text));
        }
    }
}

/// A value with its place.
pub(super) struct At<'v> {
    pub(super) value: &'v Value,
    pub(super) path: Path,
}

impl<'v> At<'v> {
    pub(super) fn at(&self, key: &'static str) -> At<'v> {
        static NOTHING: Value = Value::Null;
        At { value: self.value.get(key).unwrap_or(&NOTHING), path: self.path.join(key) }
    }

    pub(super) fn items(&self) -> Vec<At<'v>> {
        let items = self.value.as_array().unwrap_or_default().iter().enumerate();
        items.map(|(at, value)| At { value, path: self.path.join(at) }).collect()
    }

    pub(super) fn text(&self) -> &'v str {
        self.value.as_str().unwrap_or("")
    }

    pub(super) fn is_missing(&self) -> bool {
        self.value.is_null()
    }

    pub(super) fn has_text(&self) -> bool {
        !self.text().trim().is_empty()
    }
}

/// Values that stand there before.
pub(super) fn duplicates<'v>(all: impl Iterator<Item = At<'v>>, found: &mut Found) {
    let mut seen = BTreeSet::new();
    for one in all.filter(|one| !one.text().is_empty()) {
        if !seen.insert(one.text()) {
            found.duplicate(&one);
        }
    }
}
