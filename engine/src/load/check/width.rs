//! How wide the exclusions of pod security are: in `validate.podSecurity` and in PolicyExceptions.
//!
//! In: the entries as written. Out: warnings at the very pattern, each with an image that gets through too:
//! ``the pattern `*/istio/proxyv2*` takes any registry (`evil.example/istio/proxyv2:1`)``. The verdict stays Kyverno's.

use super::{items, text, texts};
use crate::diag::{Code, Severity};
use crate::load::decode::{Problem, Problems};
use crate::value::wildcard;
use engine_json::{Path, Str, Value};
use engine_podsecurity::exclude::{Exclusion, Part, Wildcard, widths};

/// An exclusion as written.
pub(crate) fn exclusion(entry: &Value) -> Exclusion {
    let list = |key: &str| texts(entry, key).into_iter().map(Str::new).collect();
    Exclusion {
        control: Str::new(text(entry, "controlName")),
        images: list("images"),
        restricted_field: Str::new(text(entry, "restrictedField")),
        values: list("values"),
    }
}

/// The warnings about a list of exclusions at this path.
pub(in super::super) fn lint_exclusions(entries: &[Value], path: &Path, problems: &mut Problems) {
    for (at, entry) in entries.iter().enumerate() {
        let path = path.join(at);
        for width in widths(&exclusion(entry), &Wildcard(wildcard::matches)) {
            let path = match width.part {
                Part::Image(at) => path.join("images").join(at),
                Part::Field => path.join("controlName"),
                Part::Value(at) => path.join("values").join(at),
            };
            let (severity, message, hint) = (Severity::Warning, width.text, width.hint);
            problems.push(Problem { path, code: Code::WideExclusion, severity, message, hint });
        }
    }
}

/// The exclusions of a rule.
pub(in super::super) fn lint_rule(rule: &Value, path: &Path, problems: &mut Problems) {
    let pod_security = super::field(super::field(rule, "validate"), "podSecurity");
    let path = path.join("validate").join("podSecurity").join("exclude");
    lint_exclusions(items(pod_security, "exclude"), &path, problems);
}
