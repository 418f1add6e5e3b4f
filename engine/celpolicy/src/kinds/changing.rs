//! The kinds that change things as rows of the engine's table.

use super::{Place, VALIDATING_KINDS, VERSIONS, deleting, generating, mutating};
use crate::policy::{DELETING, GENERATING, MUTATING};
use engine::load::{OtherKind, Reading};

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

/// These and those that validate.
pub(super) const ALL_KINDS: [OtherKind; 11] = {
    let [a, b, c, d, e] = VALIDATING_KINDS;
    let [f, g, h, i, j, k] = CHANGING;
    [a, b, c, d, e, f, g, h, i, j, k]
};
