//! Differences that lie between the kinds of policies, whatever the policies say, or in texts that hardly an object has.
//!
//! In: a request and both responses. Out: the gap that it falls into, if it does. Such differences are shown beside others and end no
//! search: a rewrite of nearly every ClusterPolicy has them.

use crate::request::{Operation, Request};
use crate::sides::side::Response;

/// What kinds of policies differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KindGap {
    /// Ephemeral containers are added through `pods/ephemeralcontainers`.
    EphemeralContainers,
    /// Autogen extends rules for Pods to ReplicationControllers.
    ReplicationControllers,
    /// Under Enforce a classic rule lets in updates of objects that failed before.
    ExistingViolations,
    /// An image that no container runtime can pull.
    UnreadableImages,
    /// A text of the object has `*` or `?`.
    Wildcards,
}

impl KindGap {
    /// All of them, in the order in which they are shown.
    pub const ALL: [KindGap; 5] = [
        KindGap::EphemeralContainers,
        KindGap::ReplicationControllers,
        KindGap::ExistingViolations,
        KindGap::UnreadableImages,
        KindGap::Wildcards,
    ];

    /// Whether it lies in a text that hardly an object in a cluster has.
    pub(crate) fn is_of_texts(self) -> bool {
        matches!(self, KindGap::UnreadableImages | KindGap::Wildcards)
    }

    /// A word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            KindGap::EphemeralContainers => "ephemeral-containers",
            KindGap::ReplicationControllers => "replication-controllers",
            KindGap::ExistingViolations => "existing-violations",
            KindGap::UnreadableImages => "unreadable-images",
            KindGap::Wildcards => "wildcards",
        }
    }

    /// The gap in a sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            KindGap::EphemeralContainers => {
                "the request is for pods/ephemeralcontainers, as kubectl debug sends it: ClusterPolicies for Pods are asked about it, policies in CEL must name it"
            }
            KindGap::ReplicationControllers => {
                "autogen extends ClusterPolicies for Pods to ReplicationControllers, policies in CEL it does not"
            }
            KindGap::ExistingViolations => {
                "ClusterPolicies let in updates of objects that failed before (allowExistingViolations), policies in CEL do not"
            }
            KindGap::UnreadableImages => {
                "an image of it cannot be read as a reference, so that no kubelet pulls it; with images that can be pulled no such difference was found"
            }
            KindGap::Wildcards => {
                "a text of the object has * or ?, which ClusterPolicies may read as wildcards and policies in CEL do not; without them no such difference was found"
            }
        }
    }
}

/// The gap that a difference falls into.
pub(crate) fn gap(request: &Request, old: &Response, new: &Response) -> Option<KindGap> {
    if request.subresource().is_some() {
        return Some(KindGap::EphemeralContainers);
    }
    let is_replication = request.object.find_str(&["kind"]) == "ReplicationController";
    let of_autogen = |response: &Response| response.rules.keys().any(|name| name.contains("/autogen-"));
    let is_gap = |one: &Response, other: &Response| of_autogen(one) && other.rules.is_empty();
    if is_replication && (is_gap(old, new) || is_gap(new, old)) {
        return Some(KindGap::ReplicationControllers);
    }
    let is_update = request.attributes.operation == Operation::Update;
    (is_update && (old.allows_existing || new.allows_existing)).then_some(KindGap::ExistingViolations)
}
