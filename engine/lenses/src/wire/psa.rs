//! The shapes of Pod Security: what `psa` is asked and what it answers.
//!
//! In: a [`PsaInput`] as JSON. Out: a [`PsaOutput`] as JSON: for each object that is or makes a Pod a table of checks by
//! level, the versions in which the verdict changes, and what the admission of its namespace says.

use super::{Diagnostic, ObjectRef, Range, Text, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is to be evaluated by the Pod Security Standards.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PsaInput {
    /// Pods, workloads, and Namespaces with their labels.
    pub resources: Vec<Text>,
    /// The version of the standards: `latest` (default) or `v1.N`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The configuration of the admission: an `AdmissionConfiguration` or a `PodSecurityConfiguration`; the first counts.
    pub config: Vec<Text>,
    /// Labels of namespaces, which count over those of Namespaces among the resources; `*` for every namespace.
    pub namespace_labels: BTreeMap<String, BTreeMap<String, String>>,
    /// Who asks, for the exemptions of the configuration.
    pub user: String,
    /// Whether the texts are evaluated as they are written; else an API server's defaults are filled in first.
    pub as_written: bool,
}

/// What the standards and their admission say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaOutput {
    /// Whose verdicts these are.
    pub version: Version,
    /// Whether all that was given was read; what was not is named by the diagnostics that are errors.
    pub complete: bool,
    /// The version of the standards that was asked for, as written: `latest`.
    pub asked: String,
    /// The version whose checks ran: `v1.37` for `latest`.
    pub effective: String,
    /// Whether the texts were evaluated as they are written, without an API server's defaults.
    pub as_written: bool,
    /// One entry for each object that is or makes a Pod, in the order of the texts.
    pub objects: Vec<PsaObject>,
    /// The namespaces of these objects and of the texts, by name.
    pub namespaces: Vec<PsaNamespace>,
    /// How many other objects there were.
    pub others: u32,
    /// What is to be said about the texts.
    pub diagnostics: Vec<Diagnostic>,
}

/// A Pod or a workload.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaObject {
    /// The object; without a namespace it is in `default`.
    pub resource: ObjectRef,
    /// The strictest level it satisfies in the version asked for.
    pub reaches: String,
    /// What each level says: baseline, then restricted.
    pub levels: Vec<PsaLevel>,
    /// All checks, baseline first, each with its place in both levels.
    pub checks: Vec<PsaCheck>,
    /// The versions of Kubernetes from the oldest to the newest, cut wherever the verdict of a level changes.
    pub strip: Vec<PsaStretch>,
    /// What the API server says when the object is created in its namespace; absent where the configuration is bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<PsaAdmission>,
}

/// What one level says of an object.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaLevel {
    /// `baseline` or `restricted`.
    pub level: String,
    /// Whether the object satisfies it.
    pub allowed: bool,
    /// Kubernetes' words for what is wrong; empty where nothing is.
    pub detail: String,
}

/// One check of the standards.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaCheck {
    /// The id: `hostNamespaces`.
    pub id: String,
    /// The heading in the Pod Security Standards: `Host Namespaces`.
    pub section: String,
    /// The level that it belongs to.
    pub level: String,
    /// Under baseline: `pass`, `fail` or `notApplicable`.
    pub baseline: String,
    /// Under restricted: `pass`, `fail` or `notApplicable`.
    pub restricted: String,
    /// Why it does not apply, in one sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The fields it looks at, `[*]` for any place of a list.
    pub fields: Vec<String>,
    /// Kubernetes' reason, where it fails.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Kubernetes' words with names and values, where it fails.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The fields at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<PsaFinding>,
}

/// A field that breaks a check.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaFinding {
    /// The way to the field from the object: `spec.template.spec.hostPID`.
    pub path: String,
    /// `forbidden`, `missing` or `wrongType`.
    pub fault: String,
    /// The value at fault as JSON, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The container that sets the field or fails to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// One line.
    pub message: String,
    /// The lines of the field, or of what is nearest to a field that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// Versions of Kubernetes, one after the other, with the same verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaStretch {
    /// The first version: `v1.0`.
    pub from: String,
    /// The last version.
    pub to: String,
    /// Whether baseline is satisfied.
    pub baseline: bool,
    /// Whether restricted is satisfied.
    pub restricted: bool,
    /// The checks that fail from `from` on and did not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<String>,
    /// The checks that failed before `from` and do not any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<String>,
}

/// What the admission says to a request.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaAdmission {
    /// Whether the request passes; a workload always does.
    pub allowed: bool,
    /// The message of a refusal.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What the user is warned about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the audit log notes, as pairs of name and text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<(String, String)>,
}

/// A namespace and what it asks for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaNamespace {
    /// The name.
    pub name: String,
    /// Whether its labels are known; else the cluster's defaults count.
    pub declared: bool,
    /// What Pods must satisfy: `baseline:latest`.
    pub enforce: String,
    /// What the audit log measures.
    pub audit: String,
    /// What users are warned about.
    pub warn: String,
    /// What the API server says to the Namespace itself: bad labels, exemptions, Pods that run in it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admission: Option<PsaAdmission>,
    /// What it could ask for, where objects are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<PsaAdvice>,
    /// Its document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// What a namespace could ask for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaAdvice {
    /// The strictest level that everything in it satisfies.
    pub level: String,
    /// The labels that ask for it, as pairs of name and value.
    pub labels: Vec<(String, String)>,
    /// The objects that keep it from asking for more.
    pub obstacles: Vec<PsaObstacle>,
}

/// An object that keeps its namespace down.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaObstacle {
    /// The object.
    pub resource: ObjectRef,
    /// The level that it does not satisfy: the next above what the namespace can ask for.
    pub next: String,
    /// What it breaks.
    pub findings: Vec<PsaObstacleFinding>,
    /// The smallest change after which it satisfies the level; tried. Empty where no change of single fields does it.
    pub changes: Vec<PsaChange>,
}

/// A check that stands in the way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaObstacleFinding {
    /// The id of the check.
    pub check: String,
    /// Kubernetes' reason.
    pub reason: String,
    /// Kubernetes' words with names and values.
    pub detail: String,
    /// Kyverno's narrowest exclusions that lift it, as YAML for `exclude` of a podSecurity rule; tried.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub exclusion: String,
    /// The lines of the first field at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// One change of a field.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PsaChange {
    /// The way to the field from the object.
    pub path: String,
    /// The value to set as JSON; absent where the field is to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The check that asks for it.
    pub check: String,
    /// One line: `set spec.hostPID: false`.
    pub text: String,
    /// The lines of the field, or of what is nearest to a field that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}
