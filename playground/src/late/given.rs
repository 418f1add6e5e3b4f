//! What the page gives a view; `components/late.rs` writes it.

use engine_lenses::wire::{Input, ObjectRef, Range};
use serde::Deserialize;

use crate::words;

/// Which view, and of what.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Given {
    /// `sieve`, `mesh`, `mutated`, `compare`, `edits`, or `others`: as `edits`, where nothing is refused.
    pub(crate) view: String,
    /// All texts.
    pub(crate) input: Input,
    /// The verdict that is chosen.
    pub(crate) chosen: Option<Chosen>,
    /// The line that is asked about: its input and number.
    pub(crate) line: Option<(String, u32)>,
    /// Whether there are so many resources that the page itself asks for no steps.
    pub(crate) is_large: bool,
    /// What mutate policies made; only for the view of that.
    pub(crate) mutated: Option<Mutated>,
    /// What is compared with the policies; only for the view of that.
    pub(crate) new_policies: String,
}

/// The objects that mutate policies changed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Mutated {
    /// In the order of the results.
    pub(crate) objects: Vec<MutatedObject>,
    /// Changes of further objects that are not here.
    pub(crate) surplus: usize,
    /// What a GitOps tool will see as drift.
    pub(crate) drift: Option<Drift>,
}

/// One object and what each policy made of it, in their order.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct MutatedObject {
    /// `Pod default/web`.
    pub(crate) name: String,
    /// Distinguishes objects of the same name.
    pub(crate) key: String,
    /// The policies' changes.
    pub(crate) steps: Vec<MutatedStep>,
}

/// One policy's change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct MutatedStep {
    /// The policy, and where it changes something else than what it looks at, the rule.
    pub(crate) policy: String,
    /// The object as YAML before, where it was there before.
    pub(crate) original: Option<String>,
    /// The same afterwards.
    pub(crate) patched: String,
}

/// What a GitOps tool will see as drift.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Drift {
    /// The objects that differ.
    pub(crate) objects: Vec<DriftOf>,
    /// What makes Argo CD leave these fields alone, as YAML.
    pub(crate) ignore: String,
}

/// The fields of one object that differ, as paths.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DriftOf {
    /// `Pod default/web`.
    pub(crate) name: String,
    /// Fields that say something else than the text.
    pub(crate) changed: Vec<String>,
    /// Fields that the text does not have.
    pub(crate) added: Vec<String>,
    /// Fields that the text alone has.
    pub(crate) removed: Vec<String>,
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
        if self.resource.starts_with(words::PAYLOAD) {
            let (line, column) = words::payload_place(&self.resource);
            return ObjectRef {
                range: Some(Range { line, column, ..Range::default() }),
                ..ObjectRef::default()
            };
        }
        let (kind, name) = self.resource.split_once(' ').unwrap_or_default();
        let (namespace, name) = name.split_once('/').unwrap_or(("", name));
        let [kind, namespace, name] = [kind, namespace, name].map(str::to_owned);
        ObjectRef { kind, namespace, name, ..ObjectRef::default() }
    }
}
