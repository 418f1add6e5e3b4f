//! The shapes of what is written to files: reports, and the folder of a test.
//!
//! In: a [`ReportInput`] or an [`Input`] as JSON. Out: a [`ReportOutput`] or a [`TestFolder`] as JSON.

use super::{Input, Text};
use serde::{Deserialize, Serialize};

/// What is to be reported, and how.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReportInput {
    /// What is evaluated.
    pub input: Input,
    /// `"wgpolicy"` (default): for each resource a PolicyReport or ClusterPolicyReport of wgpolicyk8s.io/v1alpha2, as a
    /// cluster holds them. `"openreports"`: what `kyverno apply --policy-report` prints.
    pub form: String,
}

/// The reports.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportOutput {
    /// YAML, one document a report; empty where no rule matched.
    pub text: String,
    /// Whether all that was given was read and evaluated. Where it was not, `apply` names what is missing, and the reports of
    /// a cluster begin with a comment that says so.
    pub complete: bool,
}

/// The folder of a test: what `kyverno test` runs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TestFolder {
    /// The files, `kyverno-test.yaml` first.
    pub files: Vec<Text>,
    /// What could not be taken along, one line each; they also stand at the head of the test file.
    pub notes: Vec<String>,
}
