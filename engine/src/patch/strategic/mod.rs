//! Strategic merge: the patch is prepared against the resource, then merged into it.
//!
//! In: a resource and a patch such as `{spec: {containers: [{(name): "*", imagePullPolicy: Always}]}}`. Out: the
//! patched resource. The reading order: `keys` (which lists have merge keys), `tree` (documents to change in
//! place), `anchors` and `remove` (Kyverno's part), `merge` and `list` (kustomize's part).
//! Mirrors: pkg/engine/mutate/patch/strategicMergePatch.go, sigs.k8s.io/kustomize/api/filters/patchstrategicmerge.

mod anchors;
mod field;
mod keys;
mod list;
mod live;
mod merge;
mod remove;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use engine_json::{Map, Value};
pub(crate) use live::{Applied, Live};
use tree::{Origin, Tree};

/// Why no merge took place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Failure {
    /// `(key)` does not hold.
    Condition,
    /// `<(key)` does not hold.
    Global,
    /// The patch does not fit the resource.
    Error(String),
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Error(message)
    }
}

/// Applies a patch; `None` where nothing changes.
pub(super) fn apply(resource: &Value, patch: &Value) -> Result<Option<Value>, String> {
    // Go: both are written as JSON before they are merged, `3.0` as `3`.
    let resource = resource.with_int_numbers();
    let mut tree = Tree::default();
    let base = tree.add(&resource, Origin::Resource)?;
    let mut prepared = tree.add(&patch.with_int_numbers(), Origin::Patch)?;
    match anchors::prepare(&mut tree, prepared, base) {
        Ok(()) => {}
        // A condition that does not hold empties the patch; the merge still takes place.
        Err(Failure::Condition | Failure::Global) => {
            prepared = tree.add(&Value::object(Map::new()), Origin::Patch)?;
        }
        Err(Failure::Error(message)) => return Err(format!("failed to preProcess rule: {message}")),
    }
    // The preparation may have made parts of the resource parts of the patch: the merge begins with a new one.
    let base = tree.add(&resource, Origin::Resource)?;
    let Some(merged) = merge::merge(&mut tree, base, prepared)? else {
        return Err("filter cannot create or delete objects".to_owned());
    };
    let merged = tree.value(merged)?;
    Ok((merged != resource).then_some(merged))
}
