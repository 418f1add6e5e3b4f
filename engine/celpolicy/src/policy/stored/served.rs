//! In which versions of its API a server of a release has policies and bindings.
//!
//! In: `apiVersion`, a kind, a release. Out: whether the server has it, if need be behind a flag.
//! Mirrors: `api/admissionregistration/*/zz_generated.prerelease-lifecycle.go` of Kubernetes 0.30 to 0.38. What is not of `v1` is there
//! where `--runtime-config` and the gate MutatingAdmissionPolicy ask for it.

use engine::load::Kubernetes;

/// How a kind begins, the version, the release that has it first, and the one that has it no more.
const SERVED: &[(&str, &str, u8, u8)] = &[
    ("Validating", "v1alpha1", 26, 32),
    ("Validating", "v1beta1", 28, 34),
    ("Validating", "v1", 30, u8::MAX),
    ("Mutating", "v1alpha1", 32, u8::MAX),
    ("Mutating", "v1beta1", 34, 40),
    ("Mutating", "v1", 36, u8::MAX),
];

pub(super) fn is_served(api_version: &str, kind: &str, release: Kubernetes) -> bool {
    let version = api_version.rsplit('/').next().unwrap_or_default();
    SERVED.iter().any(|(begin, known, since, until)| {
        let is_it = kind.starts_with(begin) && version == *known;
        is_it && (Kubernetes::minor(*since)..Kubernetes::minor(*until)).contains(&release)
    })
}
