//! The kinds as a table: a new kind is one row here, and a file beside it that reads and evaluates it.

use super::{admission, deleting, generating, images, mutating, mutating_admission, requests, validating};
use crate::policy::{
    ADMISSION, BINDING, DELETING, EXCEPTION, GENERATING, IMAGES, MUTATING, MUTATING_ADMISSION, VALIDATING,
    refusal,
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

/// The rows; `WITH_STEPS` says whether the steps to a verdict can be asked for.
pub(super) const fn rows<const WITH_STEPS: bool>() -> &'static [ExtensionKind] {
    const {
        &[
            policy("ValidatingPolicy", OWN, &VALIDATING, requests::read::<WITH_STEPS>),
            policy("NamespacedValidatingPolicy", NAMESPACED, &VALIDATING, validating::read::<WITH_STEPS>),
            row("PolicyException", OWN, &EXCEPTION, Reading::Exception(refusal)),
            policy("ValidatingAdmissionPolicy", ADMITTING, &ADMISSION, admission::read::<WITH_STEPS>),
            row("ValidatingAdmissionPolicyBinding", ADMITTING, &BINDING, Reading::Binding),
            policy(
                "MutatingAdmissionPolicy",
                CHANGING,
                &MUTATING_ADMISSION,
                mutating_admission::read::<WITH_STEPS>,
            ),
            row("MutatingAdmissionPolicyBinding", CHANGING, &BINDING, Reading::Binding),
            policy("DeletingPolicy", OWN, &DELETING, deleting::read::<WITH_STEPS>),
            policy("NamespacedDeletingPolicy", NAMESPACED, &DELETING, deleting::read::<WITH_STEPS>),
            policy("MutatingPolicy", OWN, &MUTATING, mutating::read::<WITH_STEPS>),
            policy("NamespacedMutatingPolicy", NAMESPACED, &MUTATING, mutating::read::<WITH_STEPS>),
            policy("GeneratingPolicy", OWN, &GENERATING, generating::read::<WITH_STEPS>),
            policy("NamespacedGeneratingPolicy", NAMESPACED, &GENERATING, generating::read::<WITH_STEPS>),
            policy("ImageValidatingPolicy", OWN, &IMAGES, images::read::<WITH_STEPS>),
            policy("NamespacedImageValidatingPolicy", NAMESPACED, &IMAGES, images::read::<WITH_STEPS>),
        ]
    }
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
    ExtensionKind { kind, api_versions: versions.cli, more_versions: versions.more, schema, reading }
}
