//! What the page tells a view; `components/late.rs` writes it.

use engine::wire::Input;
use serde::Deserialize;

/// Which view, and of what.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Told {
    /// `sieve`, `mesh`, `edits`, or `others`: as `edits`, where nothing is refused.
    pub(crate) view: String,
    /// All texts.
    pub(crate) input: Input,
    /// The verdict that is chosen.
    pub(crate) chosen: Option<Chosen>,
}

/// A rule's verdict on a resource, by names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Chosen {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) resource: String,
}
