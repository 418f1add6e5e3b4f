//! JSON 6902: operations on paths.
//!
//! In: a resource and a text such as `[{"op": "add", "path": "/metadata/labels/a", "value": "b"}]`, or the same as
//! YAML. Out: the patched resource. Beyond the standard, `add` makes the parents that are missing, `remove` of what
//! is missing is not an error, and an index below zero counts from the end.
//! Mirrors: pkg/engine/mutate/patch/patchJSON6902.go, github.com/evanphx/json-patch/v5/patch.go.

mod document;
mod ensure;
mod index;
mod operation;
mod plain;
#[cfg(test)]
mod tests;

use super::too_deep;
use document::{Document, Node, Slot, Source};
use engine_json::{MAX_DEPTH, Value};
use operation::{Kind, Operation};

/// How many values the `copy` and `move` operations of one patch may carry about.
const MAX_CARRIED: usize = 2_000_000;

const MISSING: &str = "missing value";

/// Applies a patch; `None` where the bytes of the resource stay as they are.
pub(super) fn apply(resource: &Value, text: &str) -> Result<Option<Value>, String> {
    let patch = operation::parse(text).map_err(|error| match error {
        operation::Error::NotYaml(error) => format!("failed to convert patchesJSON6902 to JSON: {error}"),
        operation::Error::NotPatch(error) => format!("failed to decode patches: {error}"),
    })?;
    let resource = resource.with_int_numbers();
    let mut document = Document::new(resource.clone());
    let mut carried = 0;
    for operation in patch {
        if operation.path.split('/').count() > MAX_DEPTH {
            return Err(format!("the path of an operation has more than {MAX_DEPTH} parts: shorten it"));
        }
        apply_one(&mut document, operation, &mut carried)?;
    }
    document.finish(&resource)
}

/// The same in place, where the patch is plain.
pub(super) fn apply_plain(resource: &mut Value, text: &str) -> Option<bool> {
    plain::apply(resource, text)
}

fn apply_one(document: &mut Document, operation: Operation, carried: &mut usize) -> Result<(), String> {
    match operation.kind {
        Kind::Add { value } => add(document, &operation.path, value),
        Kind::Remove => remove(document, &operation.path),
        Kind::Replace { value } => replace(document, &operation.path, value),
        Kind::Move { from } => move_value(document, &from, &operation.path, carried),
        Kind::Copy { from } => copy(document, &from, &operation.path, carried),
        Kind::Test { value } => test(document, &operation.path, value.as_ref()),
    }
}

fn add(document: &mut Document, path: &str, value: Value) -> Result<(), String> {
    if path.is_empty() {
        if let Some(found) = operation::go_name(&value) {
            return Err(format!(
                "json: cannot unmarshal {found} into Go value of type map[string]*jsonpatch.lazyNode"
            ));
        }
        document.replace(value.clone(), Some(value));
        return Ok(());
    }
    ensure::parents(document, path)?;
    let (mut place, key) = document
        .find(path)
        .ok_or_else(|| format!("add operation does not apply: doc is missing path: \"{path}\": {MISSING}"))?;
    let value = Some(Node::Raw { value, source: Source::Patch });
    check_depth(path, &value)?;
    place.add(&key, value).map_err(|error| format!("error in add for path: '{path}': {error}"))
}

fn remove(document: &mut Document, path: &str) -> Result<(), String> {
    let Some((mut place, key)) = document.find(path) else { return Ok(()) };
    place.remove(&key).map_err(|error| format!("error in remove for path: '{path}': {error}"))
}

fn replace(document: &mut Document, path: &str, value: Value) -> Result<(), String> {
    if path.is_empty() {
        if operation::go_name(&value).is_some() {
            // Go: an error that is not there, wrapped.
            return Err("replace operation value must be object or array: %!w(<nil>)".to_owned());
        }
        document.replace(value, None);
        return Ok(());
    }
    let (mut place, key) = document
        .find(path)
        .ok_or_else(|| format!("replace operation does not apply: doc is missing path: {path}: {MISSING}"))?;
    if place.get(&key).is_err() {
        return Err(format!("replace operation does not apply: doc is missing key: {path}: {MISSING}"));
    }
    let value = Some(Node::Raw { value, source: Source::Patch });
    check_depth(path, &value)?;
    // Go: the message names the wrong operation.
    place.set(&key, value).map_err(|error| format!("error in remove for path: '{path}': {error}"))
}

fn move_value(document: &mut Document, from: &str, path: &str, carried: &mut usize) -> Result<(), String> {
    if from.is_empty() {
        return Err("unable to move entire document to another path: invalid state detected".to_owned());
    }
    let (mut place, key) = document.find(from).ok_or_else(|| {
        format!("move operation does not apply: doc is missing from path: {from}: {MISSING}")
    })?;
    let wrong = |error: document::Fault| format!("error in move for path: '{key}': {error}");
    let value = place.get(&key).map_err(wrong)?.cloned();
    place.remove(&key).map_err(wrong)?;
    carry(path, &value, carried)?;
    let (mut place, key) = document.find(path).ok_or_else(|| {
        format!("move operation does not apply: doc is missing destination path: {path}: {MISSING}")
    })?;
    place.add(&key, value).map_err(|error| format!("error in move for path: '{path}': {error}"))
}

fn copy(document: &mut Document, from: &str, path: &str, carried: &mut usize) -> Result<(), String> {
    let (mut place, key) = document.find(from).ok_or_else(|| {
        format!("copy operation does not apply: doc is missing from path: \"{from}\": {MISSING}")
    })?;
    let value =
        place.get(&key).map_err(|error| format!("error in copy for from: '{from}': {error}"))?.cloned();
    let value = value.and_then(Node::reread);
    carry(path, &value, carried)?;
    let (mut place, key) = document.find(path).ok_or_else(|| {
        format!("copy operation does not apply: doc is missing destination path: {path}: {MISSING}")
    })?;
    place.add(&key, value).map_err(|error| format!("error while adding value during copy: {error}"))
}

/// Counts what is carried to a path.
fn carry(path: &str, value: &Slot, carried: &mut usize) -> Result<(), String> {
    check_depth(path, value)?;
    *carried = carried.saturating_add(value.as_ref().map_or(1, Node::size));
    if *carried > MAX_CARRIED {
        return Err(format!("the patch copies or moves more than {MAX_CARRIED} values"));
    }
    Ok(())
}

fn check_depth(path: &str, value: &Slot) -> Result<(), String> {
    let beneath = MAX_DEPTH.saturating_sub(path.split('/').count());
    if value.as_ref().is_some_and(|value| value.depth_exceeds(beneath)) {
        return Err(too_deep());
    }
    Ok(())
}

fn test(document: &mut Document, path: &str, value: Option<&Value>) -> Result<(), String> {
    let failed = || format!("testing value {path} failed: test failed");
    if path.is_empty() {
        // The original crashes where no value is given.
        return if value.is_some_and(|value| document.equals(value)) { Ok(()) } else { Err(failed()) };
    }
    let (mut place, key) = document
        .find(path)
        .ok_or_else(|| format!("test operation does not apply: is missing path: {path}: {MISSING}"))?;
    let found = match place.get(&key) {
        Ok(found) => found,
        Err(fault) if fault.is_missing() => None,
        Err(fault) => return Err(format!("error in test for path: '{path}': {fault}")),
    };
    let value = value.filter(|value| !value.is_null());
    match (found, value) {
        (None, None) => Ok(()),
        (Some(found), Some(value)) if found.equals(value) => Ok(()),
        // Go: a `null` that this patch has put there is none.
        (Some(_), _) | (None, Some(_)) => Err(failed()),
    }
}
