//! The shapes of a change of a text: what it shall say, and the text that says it.

use super::Edit;
use serde::{Deserialize, Serialize};

/// A document of a text, and what it shall say.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct RewriteInput {
    /// The text, of one or many documents.
    pub text: String,
    /// A place in the document that changes, in UTF-16 units, such as the beginning of its range.
    pub at: u32,
    /// What the document shall say, as YAML; what it says now where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Changes of single fields, by their `path` and `after`; as `explain` gives them.
    pub edits: Vec<Edit>,
}

/// The text afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RewriteOutput {
    /// The whole text, in which that document alone has changed, as little as could be.
    pub text: String,
}
