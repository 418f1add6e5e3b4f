//! The shapes of a service mesh: what `mesh` is asked and what it answers.
//!
//! In: a [`MeshInput`] as JSON. Out: a [`MeshOutput`] as JSON: each Pod as it arrives after injection, what was added and
//! where, and the levels of the Pod Security Standards before and after.

use super::{Diagnostic, ObjectRef, Range, Text, Version};
use serde::{Deserialize, Serialize};

/// What is to be injected.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MeshInput {
    /// Pods, workloads, and Namespaces with their labels and annotations.
    pub resources: Vec<Text>,
    /// Further objects, of which Namespaces alone count.
    pub cluster_resources: Vec<Text>,
    /// The mesh, its version and options: `istio@1.27,cni`. Where it is empty, only the releases are said.
    pub mesh: String,
}

/// Pods as they arrive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeshOutput {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read; what was not is named by the diagnostics that are errors.
    pub complete: bool,
    /// The mesh: `istio` or `linkerd`; empty where none was asked for or the question was wrong.
    pub mesh: String,
    /// The version that was asked for.
    pub asked: String,
    /// The release that answers for it.
    pub release: String,
    /// What is to be known about that, in one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// One entry for each object that is or makes a Pod, in the order of the texts.
    pub objects: Vec<MeshObject>,
    /// All releases that can be asked for, oldest first.
    pub releases: Vec<MeshRelease>,
    /// What is to be said about the texts and the question.
    pub diagnostics: Vec<Diagnostic>,
}

/// One Pod as it arrives.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeshObject {
    /// The object that is or makes the Pod.
    pub resource: ObjectRef,
    /// `injected`, `left` as it is, injected `already`, or `refused` by the injector.
    pub outcome: String,
    /// Why: `the namespace's label istio-injection: enabled`.
    pub reason: String,
    /// The Pod as YAML.
    pub pod: String,
    /// All that the mesh added or changed.
    pub added: Vec<MeshAdded>,
    /// The strictest level that the object satisfies as it is written.
    pub before: String,
    /// The strictest level that the Pod satisfies as it arrives.
    pub after: String,
    /// Where the Pod satisfies less than the object: what that means, in one sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gap: String,
}

/// One piece that is the mesh's.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeshAdded {
    /// The way to it from the Pod: `spec.initContainers[0]`.
    pub path: String,
    /// What it is: `container istio-init`.
    pub what: String,
    /// Its lines in the Pod's YAML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A release and its options.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MeshRelease {
    /// `istio` or `linkerd`.
    pub mesh: String,
    /// The release: `1.26.8`.
    pub version: String,
    /// The first version that it stands for: `1.26`.
    pub from: String,
    /// The repository and the tag that were read.
    pub source: String,
    /// Whether the proxy is a native sidecar unless `classic` is asked for.
    pub native: bool,
    /// What may stand behind the version, by name.
    pub options: Vec<String>,
}
