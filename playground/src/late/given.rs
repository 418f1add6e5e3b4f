//! What the page gives a view; `components/late.rs` writes it.

use engine::wire::{Input, ObjectRef};
use serde::Deserialize;

/// Which view, and of what.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Given {
    /// `sieve`, `mesh`, `edits`, or `others`: as `edits`, where nothing is refused.
    pub(crate) view: String,
    /// All texts.
    pub(crate) input: Input,
    /// The verdict that is chosen.
    pub(crate) chosen: Option<Chosen>,
    /// The line that is asked about: its input and number.
    pub(crate) line: Option<(String, u32)>,
    /// Whether there are so many resources that the page itself asks for no steps.
    pub(crate) is_large: bool,
}

/// A rule's verdict on a resource, by names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Chosen {
    pub(crate) policy: String,
    pub(crate) rule: String,
    pub(crate) resource: String,
}

impl Chosen {
    /// The resource, as the engine names it.
    pub(crate) fn object(&self) -> ObjectRef {
        let (kind, name) = self.resource.split_once(' ').unwrap_or_default();
        let (namespace, name) = name.split_once('/').unwrap_or(("", name));
        let [kind, namespace, name] = [kind, namespace, name].map(str::to_owned);
        ObjectRef { kind, namespace, name, ..ObjectRef::default() }
    }
}
