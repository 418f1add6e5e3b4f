//! The shape of what is said of resources that no API server would take.

use super::{Diagnostic, Version};
use serde::{Deserialize, Serialize};

/// What no API server would take.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CheckOutput {
    /// Who says so.
    pub version: Version,
    /// Whether all that was given was read; `apply` names what was not.
    pub complete: bool,
    /// One warning for each field that a kind does not have, and each value that a field cannot hold.
    pub diagnostics: Vec<Diagnostic>,
}
