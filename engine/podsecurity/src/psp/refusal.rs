//! One reason for which a policy refuses a Pod.
//!
//! In: a field as Kubernetes prints it, and a text. Out: `spec.securityContext.hostPID: Invalid value: true: Host PID is
//! not allowed to be used`, with the path at which the field really stands.

use super::pod::Container;
use engine_json::{Path, quote};

/// A reason of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The way to the field, from the root of the Pod.
    pub path: Path,
    /// The whole error, with the field as Kubernetes prints it, which is not always where it stands.
    pub text: String,
}

/// Collects the reasons of a policy.
#[derive(Default)]
pub(super) struct Refusals(pub(super) Vec<Refusal>);

impl Refusals {
    /// A value that prints as it is: a number, a truth value, a list of ids.
    pub(super) fn invalid(&mut self, at: &At<'_>, value: &str, detail: &str) {
        let end = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let text = format!("{}: Invalid value: {value}{end}", at.field);
        self.push(at, text);
    }

    /// A text, in quotes.
    pub(super) fn invalid_text(&mut self, at: &At<'_>, value: &str, detail: &str) {
        self.invalid(at, &quote(value), detail);
    }

    /// A field that may not be as it is, without its value.
    pub(super) fn forbidden(&mut self, at: &At<'_>, detail: &str) {
        let text = format!("{}: Forbidden: {detail}", at.field);
        self.push(at, text);
    }

    /// A field that must be set.
    pub(super) fn required(&mut self, at: &At<'_>) {
        let text = format!("{}: Required value", at.field);
        self.push(at, text);
    }

    fn push(&mut self, at: &At<'_>, text: String) {
        self.0.push(Refusal { path: at.path.clone(), text });
    }
}

/// Where something is said of: the field as it is printed, and the way to it.
pub(super) struct At<'a> {
    field: std::borrow::Cow<'a, str>,
    path: Path,
}

impl<'a> At<'a> {
    /// A field that stands where it is printed to stand.
    pub(super) fn field(field: &'a str) -> At<'a> {
        At { field: field.into(), path: path_of(field) }
    }

    /// The same of a text that nobody else holds.
    pub(super) fn owned(field: String) -> At<'a> {
        At { path: path_of(&field), field: field.into() }
    }

    /// A field that stands elsewhere.
    pub(super) fn printed(field: &'a str, path: &str) -> At<'a> {
        At { field: field.into(), path: path_of(path) }
    }

    /// A field below a container.
    pub(super) fn below(container: &Container, rest: &str) -> At<'a> {
        let field = format!("{}.{rest}", container.field);
        At { path: path_of(&field), field: field.into() }
    }

    /// A field below a container that stands elsewhere below it.
    pub(super) fn below_printed(container: &Container, rest: &str, path: &str) -> At<'a> {
        let path = path_of(&format!("{}.{path}", container.field));
        At { field: format!("{}.{rest}", container.field).into(), path }
    }

    /// An annotation of the Pod.
    // Go: the strategies begin these paths with `pod`.
    pub(super) fn annotation(key: &str) -> At<'a> {
        let path = Path::from(vec!["metadata".into(), "annotations".into(), key.into()]);
        At { field: format!("pod.metadata.annotations[{key}]").into(), path }
    }
}

/// The way to the field that an error begins with: `spec.fsGroup.rule: Unsupported value: …`.
pub fn path_of_error(error: &str) -> Path {
    let field = error.split(": ").next().unwrap_or("");
    match field.strip_prefix("metadata.annotations[").and_then(|key| key.strip_suffix(']')) {
        Some(key) => Path::from(vec!["metadata".into(), "annotations".into(), key.into()]),
        None => path_of(field),
    }
}

/// The path of a field without annotations: `spec.volumes[0].hostPath`.
fn path_of(field: &str) -> Path {
    let keys = field.split(['.', '[']).map(|key| key.trim_end_matches(']'));
    Path::from_keys(&keys.collect::<Vec<_>>())
}
