//! The names of the local evaluator's interface, in one place.
//!
//! Kyverno plans one like it (kyverno/kyverno issues 17673 to 17677) and has not released it: paths and words of its plan are taken, and every answer says
//! that this is a draft.

/// The header that says which draft, and its value.
pub(super) const HEADER: (&str, &str) = ("X-Podsieve-Contract", "v1alpha1 draft");
/// The path of verdicts; the mode stands behind it.
pub(super) const EVALUATE: &str = "/v1alpha1/evaluate/";
/// The path of what is loaded.
pub(super) const POLICIES: &str = "/v1alpha1/policies";
/// Modes of evaluation.
pub(super) const MODES: [&str; 4] = ["Kubernetes", "JSON", "HTTP", "Envoy"];
