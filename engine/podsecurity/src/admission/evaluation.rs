//! A Pod under the policy of its namespace, in all three modes.
//!
//! In: a policy, what is wrong with its labels, and a Pod. Out: a response: refused under `enforce`, noted under `audit`,
//! warned about under `warn` unless it is refused already.

use super::{Config, LabelError, LevelVersion, Policy, Request, Response};
use crate::{PodView, aggregate, evaluate};

/// Whether `enforce` is asked at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Enforcement {
    /// A Pod: it may be refused.
    Asked,
    /// A workload: it never is.
    Silent,
}

/// The response to a Pod that is neither exempt by namespace nor by user.
pub(super) fn of_pod(
    request: &Request,
    config: &Config,
    (policy, errors): &(Policy, Vec<LabelError>),
    pod: &PodView<'_>,
    enforcement: Enforcement,
) -> Response {
    if config.exemptions.has_runtime_class(pod.spec) {
        return Response::exempt("runtimeClass");
    }
    let mut response = Response::allow();
    let mut notes = engine_json::ordered::OrderedMap::new();
    if !errors.is_empty() {
        notes.insert("error", format!("Failed to parse policy: {}", LabelError::all(errors)));
    }
    if enforcement == Enforcement::Asked {
        notes.insert("enforce-policy", policy.enforce.to_string());
        if let Some(detail) = violations(policy.enforce, pod) {
            let why = format!("violates PodSecurity \"{}\": {detail}", policy.enforce);
            response = Response::forbid(request, &why);
        }
    }
    let would = |mode: LevelVersion| {
        violations(mode, pod).map(|detail| format!("would violate PodSecurity \"{mode}\": {detail}"))
    };
    if let Some(text) = would(policy.audit) {
        notes.insert("audit-violations", text);
    }
    if response.allowed {
        response.warnings.extend(would(policy.warn));
    }
    response.audit_annotations = notes;
    response
}

/// What a Pod breaks of a level, if anything.
fn violations(policy: LevelVersion, pod: &PodView<'_>) -> Option<String> {
    let results = evaluate(policy.level, policy.version, pod);
    (!aggregate::is_allowed(&results)).then(|| aggregate::detail(&results))
}
