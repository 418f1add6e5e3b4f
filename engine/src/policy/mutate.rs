//! What a `mutate` rule changes.

use super::{Conditions, ContextEntry};
use engine_json::{Path, Str, Value};

/// `mutate`; a patch without `foreach` is read from the rule once variables have been put into it.
#[derive(Clone, Debug)]
pub struct Mutate {
    /// `foreach`; `None` where it is not there.
    pub foreach: Option<Vec<MutateForeach>>,
    /// `targets`: the objects that are patched instead of the one that matched.
    pub targets: Vec<MutateTarget>,
}

/// One of `mutate.targets`.
#[derive(Clone, Debug)]
pub struct MutateTarget {
    /// `apiVersion`, `kind`, `namespace`, `name`, `uid` and `selector`, with variables in them.
    pub wanted: Value,
    /// Context entries of each object.
    pub context: Vec<ContextEntry>,
    /// Preconditions of each object.
    pub preconditions: Option<Conditions>,
}

/// One loop of `mutate.foreach`.
#[derive(Clone, Debug)]
pub struct MutateForeach {
    /// The expression that gives the list.
    pub list: Str,
    /// Whether the last element comes first: with `order: Descending`, and without `order` for strategic merges.
    pub is_descending: bool,
    /// Context entries of each element.
    pub context: Vec<ContextEntry>,
    /// Preconditions of each element.
    pub preconditions: Option<Conditions>,
    /// What is done for each element.
    pub step: MutateStep,
    /// Where it stands in the policy's document.
    pub path: Path,
}

/// What is done for an element.
#[derive(Clone, Debug)]
pub enum MutateStep {
    /// Loops within.
    Foreach(Vec<MutateForeach>),
    /// A patch, variables in it; the one that is not there is `null`.
    Patch {
        /// `patchStrategicMerge`.
        strategic: Value,
        /// `patchesJson6902`.
        json6902: Value,
    },
}
