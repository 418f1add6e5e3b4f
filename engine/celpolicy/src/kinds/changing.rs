//! The kinds that change things as rows of the engine's table.

use super::{Place, VERSIONS, deleting, generating, mutating, requests, validating};
use crate::policy::{DELETING, GENERATING, MUTATING, VALIDATING};
use engine::body::Asked;
use engine::load::{Host, OtherKind, Reading};

const CHANGING: [OtherKind; 6] = [
    OtherKind {
        kind: "DeletingPolicy",
        api_versions: VERSIONS,
        schema: &DELETING,
        reading: Reading::Policy(|bundle, document, value, path| {
            deleting::read(bundle, &Place { document, path }, value, "DeletingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedDeletingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        schema: &DELETING,
        reading: Reading::Policy(|bundle, document, value, path| {
            deleting::read(bundle, &Place { document, path }, value, "NamespacedDeletingPolicy")
        }),
    },
    OtherKind {
        kind: "MutatingPolicy",
        api_versions: VERSIONS,
        schema: &MUTATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            mutating::read(bundle, &Place { document, path }, value, "MutatingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedMutatingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        schema: &MUTATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            mutating::read(bundle, &Place { document, path }, value, "NamespacedMutatingPolicy")
        }),
    },
    OtherKind {
        kind: "GeneratingPolicy",
        api_versions: VERSIONS,
        schema: &GENERATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            generating::read(bundle, &Place { document, path }, value, "GeneratingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedGeneratingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        schema: &GENERATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            generating::read(bundle, &Place { document, path }, value, "NamespacedGeneratingPolicy")
        }),
    },
];

/// The kind that also answers requests of HTTP and of Envoy, where there is room for that.
const ANSWERING: OtherKind = OtherKind {
    kind: "ValidatingPolicy",
    api_versions: VERSIONS,
    schema: &VALIDATING,
    reading: Reading::Policy(|bundle, document, value, path| {
        requests::read(bundle, &Place { document, path }, value, "ValidatingPolicy")
    }),
};

/// These and those that validate.
pub(super) const ALL_KINDS: [OtherKind; 11] = {
    let [_, b, c, d, e] = validating::<true>();
    let [f, g, h, i, j, k] = CHANGING;
    [ANSWERING, b, c, d, e, f, g, h, i, j, k]
};

/// Whether a policy of a namespace is for another one than that of the resource, where a host looks at that: the CLI does not.
pub(super) fn is_elsewhere(asked: &Asked<'_>, namespace: &str) -> bool {
    let resource = asked.resource;
    let is_namespace = resource.gvk.group.is_empty() && resource.kind() == "Namespace";
    let theirs = match asked.host {
        Host::Cli => return false,
        // Kubernetes: a request for a Namespace is one in that Namespace.
        Host::Cluster if is_namespace => resource.name(),
        Host::Cluster | Host::Playground => resource.namespace(),
    };
    !namespace.is_empty() && theirs != namespace
}
