//! The kinds that change things as rows of the engine's table.

use super::{
    Place, VERSIONS, deleting, generating, images, mutating, mutating_admission, requests, validating,
};
use crate::apply::explainers;
use crate::policy::{BINDING, DELETING, GENERATING, IMAGES, MUTATING, MUTATING_ADMISSION, VALIDATING};
use engine::body::Asked;
use engine::load::{Host, OtherKind, Reading};

/// The API version of Kubernetes' policies that mutate in which the CLI reads them: the schemas in it are those of Kubernetes 1.32.
const MUTATING_ADMISSION_VERSIONS: &[&str] = &["admissionregistration.k8s.io/v1alpha1"];

/// The API versions that a cluster has beside it.
const LATER_VERSIONS: &[&str] = &["admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1"];

const CHANGING: [OtherKind; 8] = [
    OtherKind {
        kind: mutating_admission::KIND,
        api_versions: MUTATING_ADMISSION_VERSIONS,
        more_versions: LATER_VERSIONS,
        schema: &MUTATING_ADMISSION,
        reading: Reading::Policy(|bundle, document, value, path| {
            mutating_admission::read(bundle, &Place { document, path }, value)
        }),
    },
    OtherKind {
        kind: "MutatingAdmissionPolicyBinding",
        api_versions: MUTATING_ADMISSION_VERSIONS,
        more_versions: LATER_VERSIONS,
        schema: &BINDING,
        reading: Reading::Binding,
    },
    OtherKind {
        kind: "DeletingPolicy",
        api_versions: VERSIONS,
        more_versions: &[],
        schema: &DELETING,
        reading: Reading::Policy(|bundle, document, value, path| {
            deleting::read(bundle, &Place { document, path }, value, "DeletingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedDeletingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        more_versions: &[],
        schema: &DELETING,
        reading: Reading::Policy(|bundle, document, value, path| {
            deleting::read(bundle, &Place { document, path }, value, "NamespacedDeletingPolicy")
        }),
    },
    OtherKind {
        kind: "MutatingPolicy",
        api_versions: VERSIONS,
        more_versions: &[],
        schema: &MUTATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            mutating::read(bundle, &Place { document, path }, value, "MutatingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedMutatingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        more_versions: &[],
        schema: &MUTATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            mutating::read(bundle, &Place { document, path }, value, "NamespacedMutatingPolicy")
        }),
    },
    OtherKind {
        kind: "GeneratingPolicy",
        api_versions: VERSIONS,
        more_versions: &[],
        schema: &GENERATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            generating::read(bundle, &Place { document, path }, value, "GeneratingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedGeneratingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        more_versions: &[],
        schema: &GENERATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            generating::read(bundle, &Place { document, path }, value, "NamespacedGeneratingPolicy")
        }),
    },
];

/// The kinds that look at images.
const OF_IMAGES: [OtherKind; 2] = [
    OtherKind {
        kind: "ImageValidatingPolicy",
        api_versions: VERSIONS,
        more_versions: &[],
        schema: &IMAGES,
        reading: Reading::Policy(|bundle, document, value, path| {
            images::read(bundle, &Place { document, path }, value, "ImageValidatingPolicy")
        }),
    },
    OtherKind {
        kind: "NamespacedImageValidatingPolicy",
        api_versions: VERSIONS.split_at(1).1,
        more_versions: &[],
        schema: &IMAGES,
        reading: Reading::Policy(|bundle, document, value, path| {
            images::read(bundle, &Place { document, path }, value, "NamespacedImageValidatingPolicy")
        }),
    },
];

/// The kind that also answers requests of HTTP and of Envoy.
const fn answering<const WITH_STEPS: bool>() -> OtherKind {
    OtherKind {
        kind: "ValidatingPolicy",
        api_versions: VERSIONS,
        more_versions: &[],
        schema: &VALIDATING,
        reading: Reading::Policy(|bundle, document, value, path| {
            let why = explainers::<WITH_STEPS>();
            requests::read(bundle, &Place { document, path }, value, "ValidatingPolicy", why)
        }),
    }
}

/// These and those that validate.
pub(super) const fn all<const WITH_STEPS: bool>() -> [OtherKind; 15] {
    let [namespaced, exception, admission, binding] = validating::<WITH_STEPS>();
    let [map, map_binding, deleting, deleting_here, mutating, mutating_here, generating, generating_here] =
        CHANGING;
    let [images, images_here] = OF_IMAGES;
    [
        answering::<WITH_STEPS>(),
        namespaced,
        exception,
        admission,
        binding,
        map,
        map_binding,
        deleting,
        deleting_here,
        mutating,
        mutating_here,
        generating,
        generating_here,
        images,
        images_here,
    ]
}

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
