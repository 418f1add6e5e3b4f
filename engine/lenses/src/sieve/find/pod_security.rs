//! Entries of `validate.podSecurity.exclude`, and of a PolicyException's `podSecurity`.

use super::{Exemption, ExemptionSelector, Kind, On, listed, texts};
use crate::sieve::edit::Edit;
use engine::resource::DocumentId;
use engine_json::{Path, Value};
use std::fmt::Write;

pub(super) fn find(rule: &Value, document: DocumentId, path: &Path, found: &mut Vec<Exemption>) {
    let entries = rule.find(&["validate", "podSecurity", "exclude"]).and_then(Value::as_array);
    let path = path.join("validate").join("podSecurity").join("exclude");
    for (at, entry) in entries.unwrap_or_default().iter().enumerate() {
        let path = path.join(at);
        let mut exemption = Exemption::new(Kind::PodSecurity, document, path.clone());
        exemption.text = text(entry);
        exemption.removal = vec![Edit::Remove(path.clone())];
        exemption.selectors = selectors(entry, &path);
        exemption.controls = vec![control(entry)];
        found.push(exemption);
    }
}

/// The patterns of an entry.
pub(super) fn selectors(entry: &Value, path: &Path) -> Vec<ExemptionSelector> {
    let images = entry.get("images").unwrap_or(&Value::Null);
    let listed = texts(images, &path.join("images"));
    listed.into_iter().map(|(path, text)| ExemptionSelector::new(On::Image, path, text)).collect()
}

/// The control of an entry, and the values that it names.
pub(super) fn control(entry: &Value) -> (String, Vec<String>) {
    let values = entry.get("values").unwrap_or(&Value::Null);
    let values = texts(values, &Path::root()).into_iter().map(|(_, text)| text.to_owned());
    (entry.find_str(&["controlName"]).to_owned(), values.collect())
}

/// An entry in a line.
pub(super) fn text(entry: &Value) -> String {
    let root = Path::root();
    let list = |key: &str| {
        let value = entry.get(key).unwrap_or(&Value::Null);
        listed(texts(value, &root).into_iter().map(|(_, text)| text))
    };
    let mut line = format!("control `{}`", entry.find_str(&["controlName"]));
    let (images, field, values) = (list("images"), entry.find_str(&["restrictedField"]), list("values"));
    if !images.is_empty() {
        let _ = write!(line, " for images {images}");
    }
    if !field.is_empty() {
        let _ = write!(line, ", field `{field}`");
    }
    if !values.is_empty() {
        let _ = write!(line, ", values {values}");
    }
    line
}
