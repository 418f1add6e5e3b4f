//! The kinds as a table: a new kind is one row here, and a file beside it that reads and evaluates it.

use super::{
    admission, deleting, elsewhere, generating, images, mutating, mutating_admission, requests, validating,
};
use crate::apply::{NoSteps, Why};
use crate::policy::{
    ADMISSION, BINDING, DELETING, EXCEPTION, GENERATING, IMAGES, MUTATING, MUTATING_ADMISSION, VALIDATING,
    refusal, refusal_to_store,
};
use engine::load::{DecodeExtensionKind, ExtensionKind, Reading, Struct};

/// The API versions in which a kind is read, the oldest first.
#[derive(Clone, Copy)]
struct Versions {
    /// By the CLI.
    cli: &'static [&'static str],
    /// By a cluster beside it.
    more: &'static [&'static str],
}

/// Those of a kind of Kyverno.
const OWN: Versions = Versions {
    cli: &["policies.kyverno.io/v1alpha1", "policies.kyverno.io/v1beta1", "policies.kyverno.io/v1"],
    more: &[],
};

/// Those of its namespaced twin, which is younger.
const NAMESPACED: Versions = Versions { cli: OWN.cli.split_at(1).1, more: &[] };

/// Those of Kubernetes' policies that validate.
const ADMITTING: Versions = Versions { cli: &["admissionregistration.k8s.io/v1"], more: &[] };

/// Those of the ones that mutate: the schemas in the CLI are those of Kubernetes 1.32.
const CHANGING: Versions = Versions {
    cli: &["admissionregistration.k8s.io/v1alpha1"],
    more: &["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1"],
};

/// The rows; `W` says which steps to a verdict can be asked for.
pub(super) const fn rows<W: Why>() -> &'static [ExtensionKind] {
    const {
        &table(&Readers {
            validating: requests::read::<W>,
            validating_in_namespace: validating::read::<W>,
            admission: admission::read::<W>,
            mutating_admission: mutating_admission::read::<W>,
            deleting: deleting::read::<W>,
            mutating: mutating::read::<W>,
            generating: generating::read::<W>,
            images: images::read::<W>,
        })
    }
}

/// The rows for a host that has requests of Kubernetes and nothing else.
pub(super) const fn of_requests() -> &'static [ExtensionKind] {
    const {
        &table(&Readers {
            validating: elsewhere::validating,
            validating_in_namespace: validating::read::<NoSteps>,
            admission: admission::read::<NoSteps>,
            mutating_admission: mutating_admission::read::<NoSteps>,
            deleting: elsewhere::other,
            mutating: mutating::read::<NoSteps>,
            generating: elsewhere::other,
            images: elsewhere::other,
        })
    }
}

/// What reads each kind of policy.
struct Readers {
    validating: DecodeExtensionKind,
    validating_in_namespace: DecodeExtensionKind,
    admission: DecodeExtensionKind,
    mutating_admission: DecodeExtensionKind,
    deleting: DecodeExtensionKind,
    mutating: DecodeExtensionKind,
    generating: DecodeExtensionKind,
    images: DecodeExtensionKind,
}

const fn table(read: &Readers) -> [ExtensionKind; 15] {
    [
        policy("ValidatingPolicy", OWN, &VALIDATING, read.validating),
        policy("NamespacedValidatingPolicy", NAMESPACED, &VALIDATING, read.validating_in_namespace),
        row("PolicyException", OWN, &EXCEPTION, Reading::Exception(refusal)),
        ExtensionKind {
            not_stored: Some(refusal_to_store),
            ..policy("ValidatingAdmissionPolicy", ADMITTING, &ADMISSION, read.admission)
        },
        ExtensionKind {
            not_stored: Some(refusal_to_store),
            ..row("ValidatingAdmissionPolicyBinding", ADMITTING, &BINDING, Reading::Binding)
        },
        ExtensionKind {
            not_stored: Some(refusal_to_store),
            ..policy("MutatingAdmissionPolicy", CHANGING, &MUTATING_ADMISSION, read.mutating_admission)
        },
        ExtensionKind {
            not_stored: Some(refusal_to_store),
            ..row("MutatingAdmissionPolicyBinding", CHANGING, &BINDING, Reading::Binding)
        },
        policy("DeletingPolicy", OWN, &DELETING, read.deleting),
        policy("NamespacedDeletingPolicy", NAMESPACED, &DELETING, read.deleting),
        policy("MutatingPolicy", OWN, &MUTATING, read.mutating),
        policy("NamespacedMutatingPolicy", NAMESPACED, &MUTATING, read.mutating),
        policy("GeneratingPolicy", OWN, &GENERATING, read.generating),
        policy("NamespacedGeneratingPolicy", NAMESPACED, &GENERATING, read.generating),
        policy("ImageValidatingPolicy", OWN, &IMAGES, read.images),
        policy("NamespacedImageValidatingPolicy", NAMESPACED, &IMAGES, read.images),
    ]
}

const fn policy(
    kind: &'static str,
    versions: Versions,
    schema: &'static Struct,
    read: DecodeExtensionKind,
) -> ExtensionKind {
    row(kind, versions, schema, Reading::Policy(read))
}

const fn row(
    kind: &'static str,
    versions: Versions,
    schema: &'static Struct,
    reading: Reading,
) -> ExtensionKind {
    let (api_versions, more_versions) = (versions.cli, versions.more);
    ExtensionKind { kind, api_versions, more_versions, schema, reading, not_stored: None }
}
