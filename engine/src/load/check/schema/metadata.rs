//! What Kubernetes demands of names, labels and annotations.
//!
//! In: the metadata of a policy, or a label. Out: problems, or Kubernetes' words for what is wrong with it.
//! Mirrors: k8s.io/apimachinery/pkg/util/validation, pkg/api/validation.

use crate::diag::{Code, Severity};
use crate::load::decode::{Node, Problems};
use engine_json::Value;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_PART: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/// The longest name of an object.
const MAX_NAME: usize = 253;
/// The longest label, and the longest name part of its key.
const MAX_LABEL: usize = 63;
/// How long all annotations may be together.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// Notes what is wrong with the metadata of a policy.
pub(super) fn validate(node: &Node<'_>, problems: &mut Problems) {
    let name = node.field("name");
    match name.value.as_str().unwrap_or("") {
        "" => node.problem(Code::MissingField, Severity::Error, "`metadata.name` is required", problems),
        text => {
            for words in subdomain(text) {
                name.problem(Code::WrongType, Severity::Error, format!("`{text}`: {words}"), problems);
            }
        }
    }
    let mut note = |field: &str, key: &str, words: Vec<String>| {
        for words in words {
            let inner = node.field(field);
            inner.field(key).problem(Code::WrongType, Severity::Error, words, problems);
        }
    };
    for (key, value) in node.field("labels").value.as_object().into_iter().flat_map(engine_json::Map::iter) {
        note("labels", key, label_key(key));
        note("labels", key, label_value(value.as_str().unwrap_or("")));
    }
    let annotations = node.field("annotations");
    let mut bytes = 0;
    for (key, value) in annotations.value.as_object().into_iter().flat_map(engine_json::Map::iter) {
        note("annotations", key, label_key(&key.to_lowercase()));
        bytes += key.len() + value.as_str().map_or(0, str::len);
    }
    if bytes > MAX_ANNOTATIONS && matches!(annotations.value, Value::Object(_)) {
        let message = format!("must have at most {MAX_ANNOTATIONS} bytes");
        annotations.problem(Code::WrongType, Severity::Error, message, problems);
    }
}

/// What is wrong with a DNS subdomain.
// Go: validation.IsDNS1123Subdomain.
fn subdomain(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    if text.len() > MAX_NAME {
        words.push(format!("must be no more than {MAX_NAME} bytes"));
    }
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let label = |part: &str| {
        part.bytes().all(inner) && !part.is_empty() && !part.starts_with('-') && !part.ends_with('-')
    };
    if !text.split('.').all(label) {
        words.push(SUBDOMAIN.to_owned());
    }
    words
}

/// Whether the text is a label's value that is not empty, or the name part of its key.
fn is_name_part(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.bytes().all(inner) && edge(text.bytes().next()) && edge(text.bytes().last())
}

/// What is wrong with the key of a label or an annotation.
// Go: content.IsLabelKey.
pub fn label_key(key: &str) -> Vec<String> {
    let mut words = Vec::new();
    let name = match key.split_once('/') {
        None => key,
        Some((prefix, name)) if !name.contains('/') => {
            if prefix.is_empty() {
                words.push("prefix part must be non-empty".to_owned());
            } else {
                words.extend(subdomain(prefix).into_iter().map(|words| format!("prefix part {words}")));
            }
            name
        }
        Some(_) => {
            words.push(format!(
                "a valid label key {NAME_PART} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ));
            return words;
        }
    };
    if name.is_empty() {
        words.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_LABEL {
        words.push(format!("name part must be no more than {MAX_LABEL} bytes"));
    }
    if !is_name_part(name) {
        words.push(format!("name part {NAME_PART}"));
    }
    words
}

/// What is wrong with the value of a label.
// Go: validation.IsValidLabelValue.
pub fn label_value(value: &str) -> Vec<String> {
    let mut words = Vec::new();
    if value.len() > MAX_LABEL {
        words.push(format!("must be no more than {MAX_LABEL} bytes"));
    }
    if !value.is_empty() && !is_name_part(value) {
        words.push(LABEL_VALUE.to_owned());
    }
    words
}
