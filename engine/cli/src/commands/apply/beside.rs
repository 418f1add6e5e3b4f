//! What lies beside the policies in a folder: a `kustomization.yaml`, the description of a package, RBAC.
//!
//! In: what was loaded, and which of its texts were found in a folder. Out: the diagnostics, with warnings instead of
//! errors where such a text is of another kind. A file that an argument names is meant as a policy, and stays an error.

use engine::Bundle;
use engine::diag::{Code, Diagnostic, Severity};
use engine::json::{Path, Value};
use engine::load::place;
use engine::yaml::{Document, Span};
use std::ops::Range;

/// The groups whose policies are evaluated.
const GROUPS: &[&str] = &["kyverno.io", "policies.kyverno.io", "admissionregistration.k8s.io"];

/// Takes what is of another kind, in a text that was found, for what it is.
// Kyverno: policy/load.go, kubectlValidateLoader. Kinds that Kubernetes does not know are passed over; one that it does
// know loses the whole folder there, which is not a reason to lose policies here.
pub(in crate::commands) fn settle(bundle: &Bundle, found: &[Range<usize>], diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        let is_about_kind = matches!(diagnostic.code, Code::UnknownKind | Code::NoKind);
        let Some(span) = diagnostic.span.filter(|_| is_about_kind) else { continue };
        let is_found = found.iter().any(|range| range.contains(&(span.source.0 as usize)));
        if is_found && !object_at(bundle, span).is_some_and(|object| is_meant_as_policy(&object)) {
            diagnostic.severity = Severity::Warning;
        }
    }
}

/// The object that a diagnostic is about: a document, or an item of a list.
fn object_at(bundle: &Bundle, span: Span) -> Option<Value> {
    let holds = |document: &Document| {
        document.span.source == span.source
            && document.span.start <= span.start
            && span.end <= document.span.end
    };
    let document = bundle.documents.iter().find(|document| holds(document))?;
    if document.value.find_str(&["kind"]) != "List" {
        return Some(document.value.clone());
    }
    let spans = document.spans(&bundle.source(span.source)?.1.text);
    let items = document.value.get("items").and_then(Value::as_array).unwrap_or_default();
    let is_here = |at: usize| place(&spans, &Path::root().join("items").join(at)) == span;
    let item = items.iter().enumerate().find(|(at, _)| is_here(*at));
    item.map(|(_, item)| item.clone())
}

/// Whether the author means a policy that is not recognized as one: its version is wrong, or not there.
fn is_meant_as_policy(object: &Value) -> bool {
    let (version, kind) = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    let is_own = GROUPS.contains(&version.split('/').next().unwrap_or(""));
    match kind {
        "" => is_own,
        kind => (is_own || version.is_empty()) && kind.contains("Policy"),
    }
}
