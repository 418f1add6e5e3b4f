//! Why a policy of a kind is not for a resource.
//!
//! In: a question, what the policy is for, and how its kind sees resources. Out: steps that did not hold; none where constraints do
//! not say it.

use super::Seen;
use super::binding::Binding;
use super::home::is_elsewhere;
use super::in_cluster::is_never_asked;
use crate::apply::{Explainers, Subject};
use engine::body::Asked;
use engine::load::Host;
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

/// The steps of a policy of Kubernetes: both it and one of its bindings must select the resource.
// Kyverno: the CLI asks the bindings alone, where there are any.
pub(super) fn of_kubernetes(
    asked: &Asked<'_>,
    why: Option<&'static Explainers>,
    target: &Target<'_>,
    bindings: &[Binding],
) -> Vec<Step> {
    let Some(explainers) = why.filter(|_| !asked.resource.is_payload) else { return Vec::new() };
    let is_cluster = asked.host == Host::Cluster;
    if is_cluster && Seen::with(asked, Seen::of_kubernetes, is_never_asked) {
        let words = "an API server asks no policy about objects of this kind";
        return vec![Step::new(Kind::Match, false, words)];
    }
    if bindings.is_empty() || is_cluster {
        let of_policy = unmatched(asked, why, Seen::of_kubernetes, target);
        if !of_policy.is_empty() || bindings.is_empty() {
            return of_policy;
        }
    }
    let own = bindings.iter().filter_map(|binding| Some((&binding.name, binding.constraints.as_ref()?)));
    let own: Vec<_> = own.collect();
    Seen::with(asked, Seen::of_kubernetes, |subject| (explainers.unbound)(&own, subject))
}
