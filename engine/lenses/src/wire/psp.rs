//! The shapes of PodSecurityPolicy: what `psp` is asked and what it answers.
//!
//! In: a [`PspInput`] as JSON. Out: a [`PspOutput`] as JSON: the policies that can be used, and for each Pod which of them
//! lets it in, or the message of the refusal.

use super::{Diagnostic, ObjectRef, Range, Text, Version};
use serde::{Deserialize, Serialize};

/// What is to be evaluated by PodSecurityPolicies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PspInput {
    /// Pods, workloads, PodSecurityPolicies, Roles, ClusterRoles and their bindings.
    pub resources: Vec<Text>,
    /// The release of Kubernetes that speaks: `1.24` (default), or an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kubernetes_version: Option<String>,
    /// Who makes the Pods that no controller makes; empty for nobody with rights of their own.
    pub user: String,
    /// The groups of that user.
    pub groups: Vec<String>,
    /// Whether the texts are evaluated as they are written; else a Pod without a service account gets `default`.
    pub as_written: bool,
}

/// What PodSecurityPolicies say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PspOutput {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read; what was not is named by the diagnostics that are errors.
    pub complete: bool,
    /// The release of Kubernetes that speaks: `1.24`.
    pub kubernetes_version: String,
    /// Whether the texts were evaluated as they are written.
    pub as_written: bool,
    /// Whether roles or bindings were among the texts; where none are, everybody may use every policy.
    pub has_rbac: bool,
    /// The policies, by name.
    pub policies: Vec<PspPolicy>,
    /// One entry for each object that is or makes a Pod, in the order of the texts.
    pub pods: Vec<PspPod>,
    /// What is to be said about the texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// A PodSecurityPolicy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PspPolicy {
    /// Its name.
    pub name: String,
    /// Why the admission leaves it out; none where it can be used.
    pub unusable: Vec<String>,
    /// What the API server says of the object: such a policy could not be stored.
    pub errors: Vec<PspRefusal>,
    /// Its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A Pod, or the Pod that a controller would make.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PspPod {
    /// The object.
    pub resource: ObjectRef,
    /// The service account of the Pod; empty for none.
    pub account: String,
    /// Who makes the Pod.
    pub user: String,
    /// Whether the Pod passes.
    pub allowed: bool,
    /// The policy that lets it in.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub policy: String,
    /// The message of the refusal; of what a controller makes as its event says it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// The reasons of the policies that account or user may use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<PspRefusal>,
    /// The Pod as the policy leaves it, as YAML, where it passes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub admitted: String,
}

/// One reason of a refusal, or one thing that is wrong with a policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PspRefusal {
    /// The error in the words of the original.
    pub text: String,
    /// The lines of the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}
