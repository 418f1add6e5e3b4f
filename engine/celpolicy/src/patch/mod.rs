//! Patches: objects merged by Kubernetes' own types, and JSON patches.
//!
//! In: an object, and what an expression gave. Out: the object patched, or why it cannot be, in Kubernetes' words. Nothing is changed where
//! something is wrong. Mirrors: apiserver/pkg/admission/plugin/policy/mutating/patch of Kubernetes 0.36,
//! pkg/cel/policies/mpol/compiler/{applyconfig,json,smd}.go of Kyverno 1.19.

mod custom;
mod json;
mod merge;
mod node;
mod typed;
mod types;

pub use json::{Operation, apply as apply_json, holds_objects_in_lists, operations, to_value};
pub use types::{EVERYWHERE, published_types};

use custom::Known;
use engine_cel::value::Value as Cel;
use engine_json::Value;
use merge::Merge;
use node::{Node, check_names, of_object};
use typed::{Validation, atomics, listed};
use types::{Shape, Types, deduced};

/// What a patch is merged by.
#[derive(Clone, Copy, Debug)]
pub enum By<'a> {
    /// The types of a kind of this `apiVersion` and name; whether what is atomic may be changed.
    Kind {
        /// The version that the object was given with.
        version: &'a str,
        /// Whether what is atomic may be changed.
        atomics: bool,
        /// The CustomResourceDefinitions that are given.
        definitions: &'a [Value],
    },
    /// The values alone: maps are merged, lists replaced.
    Values,
}

/// An object with a configuration applied to it.
///
/// # Errors
/// Kubernetes' words.
pub fn apply_configuration(object: &Value, configuration: &Cel<'_>, by: By<'_>) -> Result<Value, String> {
    check_names(configuration)?;
    let Cel::Map(map) = configuration else {
        return Err("unsupported return type from ApplyConfiguration expression".to_owned());
    };
    let mut patch = of_object(map).ok_or("invalid return type: *dynamic.ObjectVal")?;
    let (version, kind) = (object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    patch.set("apiVersion", Node::Text(version.into()));
    patch.set("kind", Node::Text(kind.into()));
    merged(object, &patch, (version, kind), by).map_err(|error| format!("error applying patch: {error}"))
}

/// What a patch has made wrong in the form of an object of one of Kubernetes' own kinds; fields that the types do not know are not.
pub fn misfit(before: &Value, after: &Value, by: By<'_>) -> Option<String> {
    let By::Kind { version, .. } = by else { return None };
    let types = Types::known();
    let shape = types.of_kind(version, after.find_str(&["kind"])).filter(|_| types.has_version(version))?;
    let problems = |object: &Value| {
        let found =
            Validation { types, allows_duplicates: true }.problems(shape, &Node::from(object)).into_iter();
        found.filter(|(_, what)| what.starts_with("expected "))
    };
    let made = problems(after).find(|problem| !problems(before).any(|known| known == *problem));
    made.map(|(path, what)| format!("{}: {what}", path.trim_start_matches('.')))
}

fn merged(object: &Value, patch: &Node, (version, kind): (&str, &str), by: By<'_>) -> Result<Value, String> {
    let types = Types::known();
    let custom;
    let (shape, has_guard) = match by {
        By::Values => (deduced(), false),
        By::Kind { version: given, atomics, definitions } => {
            custom = if types.has_version(given) {
                Known::OtherKinds
            } else {
                custom::of_kind(definitions, given, kind)
            };
            if matches!(custom, Known::Nothing) {
                return Err("type converter must not be nil".to_owned());
            }
            let group = engine::resource::Gvk::new(version, kind);
            // Kubernetes: the types of the version that the object came with.
            let shape = match &custom {
                _ if version != given => None,
                Known::Type(shape) => Some(shape),
                Known::OtherKinds | Known::Nothing => types.of_kind(version, kind),
            };
            let none = || {
                format!(
                    "failed to convert patch object to typed object: no corresponding type for {}/{}, Kind={kind}",
                    group.group, group.version
                )
            };
            (shape.ok_or_else(none)?, !atomics)
        }
    };
    let of = |what: &str, node: &Node, shape: &Shape<'_>, allows_duplicates: bool| {
        let problems = Validation { types, allows_duplicates }.problems(shape, node);
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!("failed to convert {what} object to typed object: {}", listed(&problems)))
    };
    of("patch", patch, shape, false)?;
    if has_guard {
        let mut found = Vec::new();
        atomics(types, shape, patch, "", &mut found);
        if !found.is_empty() {
            let found = found.join(", ");
            return Err(format!(
                "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {found}"
            ));
        }
    }
    let live = Node::from(object);
    of("original", &live, shape, true)?;
    let merged = Merge::of(types, shape, &live, patch);
    let merged = merged.map_err(|problems| format!("failed to merge patch: {}", listed(&problems)))?;
    Ok(merged.map_or(Value::Null, Node::into_json))
}

#[cfg(test)]
mod tests;
