//! Kinds and modes that decide no request of Kubernetes, for a host that has nothing else: read as far as their name, so that the host
//! can say of each why it does not take it.
//!
//! In: documents. Out: policies of the engine's bundle that have an answer to nothing.

use super::{DocumentPath, annotations, validating};
use crate::apply::NoSteps;
use crate::policy::{Evaluation, decode};
use engine::apply::{Phase, RuleResult};
use engine::body::{Asked, PolicyBody};
use engine::diag::Diagnostic;
use engine::load::{Bundle, Unusable};
use engine::policy::{Action, Policy, PolicyKind};
use engine::resource::Protocol;
use engine_json::{Str, Value};
use std::sync::Arc;

type Read = Result<(Policy, Vec<Diagnostic>), Box<Unusable>>;

/// Reads a ValidatingPolicy; one that answers HTTP or Envoy is named.
pub(super) fn validating(
    bundle: &Bundle,
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
) -> Read {
    if decode(value).evaluation != Evaluation::Requests {
        return validating::read::<NoSteps>(bundle, place, value, kind);
    }
    let mode = value.find_str(&["spec", "evaluation", "mode"]);
    let protocol = if mode == "HTTP" { Protocol::Http } else { Protocol::Envoy };
    Ok(named(place, value, kind, Elsewhere { phase: Phase::Validate, protocol: Some(protocol) }))
}

/// Names a policy of another kind.
#[expect(clippy::unnecessary_wraps, reason = "all readers of the table have one form")]
pub(super) fn other(_: &Bundle, place: &DocumentPath<'_>, value: &Value, kind: &'static str) -> Read {
    let phase = match kind {
        "DeletingPolicy" | "NamespacedDeletingPolicy" => Phase::Cleanup,
        "GeneratingPolicy" | "NamespacedGeneratingPolicy" => Phase::Generate,
        _ => Phase::VerifyImages,
    };
    Ok(named(place, value, kind, Elsewhere { phase, protocol: None }))
}

fn named(
    place: &DocumentPath<'_>,
    value: &Value,
    kind: &'static str,
    body: Elsewhere,
) -> (Policy, Vec<Diagnostic>) {
    let text = |path: &[&str]| Str::from(value.find_str(path));
    let policy = Policy {
        api_version: text(&["apiVersion"]),
        namespace: text(&["metadata", "namespace"]),
        name: text(&["metadata", "name"]),
        annotations: annotations(value),
        raw: value.clone(),
        body: Some(Arc::new(body)),
        ..Policy::without_rules(PolicyKind::Extension(kind), place.document, Action::Enforce)
    };
    (policy, Vec::new())
}

/// What answers nothing.
#[derive(Debug)]
struct Elsewhere {
    phase: Phase,
    protocol: Option<Protocol>,
}

impl PolicyBody for Elsewhere {
    fn evaluate(&self, _: &Asked<'_>) -> Option<Vec<RuleResult>> {
        None
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    fn source(&self) -> &'static str {
        ""
    }
}
