//! Patches: JSON 6902 and strategic merge with Kyverno's anchors.
//!
//! In: a resource and what `patchesJson6902` or `patchStrategicMerge` holds, variables put in. Out: the patched
//! resource, nothing where the patch changes nothing, or why it cannot be applied, in Kyverno's words:
//! `{metadata: {labels: {+(team): a}}}` adds the label to a Pod without it and leaves any other alone.
//! Mirrors: pkg/engine/mutate/patch.

mod json6902;
#[cfg(test)]
mod live_tests;
mod strategic;
#[cfg(test)]
mod tests;

use engine_json::{MAX_DEPTH, Value};
pub(crate) use strategic::{Applied, Live};

/// What an error says where the original crashes: there is no behaviour to follow then.
pub(crate) const CRASH_NOTE: &str = "(Kyverno crashes here)";

/// What is said of a patch that puts a value too far down.
fn too_deep() -> String {
    format!("the patched resource nests deeper than {MAX_DEPTH} levels: put a flatter value in")
}

/// Applies the text of `patchesJson6902`, YAML or JSON. `None`: the bytes of the resource stay as they are.
// Kyverno: the rule is skipped with `no patches applied` then; an error follows `failed to patch resource: `.
pub(crate) fn apply_json6902(resource: &Value, patch_text: &str) -> Result<Option<Value>, String> {
    json6902::apply(resource, patch_text)
}

/// The same in place, for a patch that only sets what it names in a resource of whole numbers: whether it changes anything.
/// `None`: it must go the long way, and nothing has changed.
pub(crate) fn apply_plain_json6902(resource: &mut Value, patch_text: &str) -> Option<bool> {
    json6902::apply_plain(resource, patch_text)
}

/// Applies a `patchStrategicMerge`. `None`: nothing changes, be it that a condition does not hold.
pub(crate) fn apply_strategic(resource: &Value, patch: &Value) -> Result<Option<Value>, String> {
    strategic::apply(resource, patch)
}
