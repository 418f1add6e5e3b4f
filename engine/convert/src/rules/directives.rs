//! Directives of strategic merge patches, which are not fields: `$patch: delete`.
//!
//! In: a rule that mutates. Out: a refusal where one stands in a patch.

use crate::refusal::{Class, Converted, below, refuse};
use engine::pattern::anchor::plain_key;
use engine_json::{Path, Value};

/// How deep a patch may be.
const MAX_DEPTH: usize = 32;

/// Refuses directives in the patches of a rule.
pub(crate) fn none(rule: &Value, path: &Path) -> Converted<()> {
    let Some(mutate) = rule.get("mutate") else { return Ok(()) };
    let place = below(path, ["mutate"]);
    in_patch_of(mutate, &place)?;
    let loops = mutate.get("foreach").and_then(Value::as_array).unwrap_or_default();
    loops.iter().enumerate().try_for_each(|(at, one)| in_patch_of(one, &place.join("foreach").join(at)))
}

fn in_patch_of(holder: &Value, path: &Path) -> Converted<()> {
    let field = "patchStrategicMerge";
    holder.get(field).map_or(Ok(()), |patch| within(patch, &path.join(field), 0))
}

fn within(value: &Value, path: &Path, depth: usize) -> Converted<()> {
    if depth > MAX_DEPTH {
        return refuse(Class::Rule, path, "a patch of such depth");
    }
    match value {
        Value::Object(map) => map.iter().try_for_each(|(key, value)| {
            let here = path.join(key.clone());
            match said_of(plain_key(key)) {
                Some(text) => refuse(Class::Rule, &here, text),
                None => within(value, &here, depth + 1),
            }
        }),
        Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(at, one)| within(one, &path.join(at), depth + 1))
        }
        _ => Ok(()),
    }
}

/// Why a key is refused; nothing of a field.
// kyaml: yaml/merge2/smpdirective.go knows `$patch` alone. The others, which `kubectl` knows, become fields of the object.
fn said_of(key: &str) -> Option<String> {
    if key == "$patch" {
        return Some(
            "`$patch` removes or replaces, which neither a configuration nor a merge says: write it as `patchesJson6902` with `op: remove` or \
             `op: replace`, for elements of a list in a `foreach`"
                .to_owned(),
        );
    }
    let name = key.split('/').next().unwrap_or(key);
    matches!(name, "$retainKeys" | "$setElementOrder" | "$deleteFromPrimitiveList").then(|| {
        format!("`{name}`, which Kyverno takes for a field and does not follow: leave it out, or write what it is to do as `patchesJson6902`")
    })
}
