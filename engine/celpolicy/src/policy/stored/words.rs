//! Words of an API server that other releases have otherwise.
//!
//! In: what was found, a value. Out: the words of the release that is asked.

use super::Said;
use crate::functions::names;
use engine::load::Kubernetes;
use engine_json::{Value, quote, to_json};

/// The words up to Kubernetes 1.33, and those since.
pub(super) fn by_release(said: &Said<'_>, before: &'static str, since: &'static str) -> &'static str {
    if said.release < Kubernetes::minor(34) { before } else { since }
}

/// What is wrong with the key of a label, or with what is to be one.
pub(super) fn label_key_of(said: &Said<'_>, key: &str) -> Vec<String> {
    let mut wrong = names::label_key(key);
    if said.release < Kubernetes::minor(35) {
        for words in &mut wrong {
            *words = words.replace("a valid label key", "a qualified name");
        }
    }
    wrong
}

/// A value as the server shows it: until 1.33 a list as Go writes it.
// apimachinery: field.Error.ErrorBody.
pub(super) fn shown(field: &str, value: &Value, release: Kubernetes) -> String {
    if let Some(text) = value.as_str() {
        return quote(text);
    }
    let Some(items) = value.as_array().filter(|_| release < Kubernetes::minor(34)) else {
        return to_json(value);
    };
    let of = match field.rsplit('.').next() {
        Some("operations") => "admissionregistration.OperationType",
        Some("validationActions") => "admissionregistration.ValidationAction",
        _ => "string",
    };
    let items: Vec<String> = items.iter().map(|item| quote(item.as_str().unwrap_or(""))).collect();
    format!("[]{of}{{{}}}", items.join(", "))
}

/// What is wrong with an expression: until 1.31 without the type that it has and should not have, since 1.38 without the container of names.
// Kubernetes: apiserver/pkg/admission/plugin/cel/compile.go; cel-go 0.33: checker/errors.go.
pub(super) fn of_expression(words: String, release: Kubernetes) -> String {
    match words.split_once(" but got ") {
        Some((begin, _)) if begin.starts_with("must evaluate to ") && release < Kubernetes::minor(32) => {
            begin.to_owned()
        }
        _ if release >= Kubernetes::minor(38) => words.replace(" (in container '')", ""),
        _ => words,
    }
}
