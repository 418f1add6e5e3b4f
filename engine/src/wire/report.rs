//! The shapes of what is written to files: reports.
//!
//! In: a [`ReportInput`] as JSON. Out: a [`ReportOutput`] as JSON.

use super::Input;
use serde::{Deserialize, Serialize};

/// What is to be reported, and how.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReportInput {
    /// What is judged.
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
}
