//! Why a policy of a kind is not for a resource.
//!
//! In: a question, what the policy is for, and how its kind sees resources. Out: steps that did not hold; none where constraints do
//! not say it.

use super::Seen;
use super::home::is_elsewhere;
use crate::apply::{Explainers, Subject};
use engine::body::Asked;
use engine::trace::{Kind, Step};
use engine_json::{Path, Value};

/// For what a policy is.
pub(super) struct Target<'t> {
    /// Its own namespace; empty for one of the cluster.
    pub(super) namespace: &'t str,
    /// Its `matchConstraints`.
    pub(super) constraints: Option<&'t Value>,
    /// Where it stands in its document.
    pub(super) root: &'t Path,
}

/// The steps.
pub(super) fn unmatched(
    asked: &Asked<'_>,
    why: Option<&'static Explainers>,
    of: for<'s> fn(&'s Seen, &Asked<'_>) -> &'s Subject,
    target: &Target<'_>,
) -> Vec<Step> {
    let Some(explainers) = why.filter(|_| !asked.resource.is_payload) else { return Vec::new() };
    if is_elsewhere(asked, target.namespace) {
        let words = format!(
            "the namespace is `{}`, the policy is for `{}` alone",
            asked.resource.namespace(),
            target.namespace
        );
        let metadata = target.root.join("metadata").join("namespace");
        return vec![Step::new(Kind::Match, false, words).in_policy(&metadata)];
    }
    Seen::with(asked, of, |subject| (explainers.unmatched)(target.constraints, subject, target.root))
}
