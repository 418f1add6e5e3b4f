//! The types of custom kinds, by their definitions.
//!
//! In: CustomResourceDefinitions, a version and a kind. Out: the type that the schema of that version declares.
//! Mirrors: kube-openapi pkg/schemaconv/openapi.go, apiextensions-apiserver pkg/apiserver/schema/kubeopenapi.go,
//! kubectl-validate pkg/openapiclient/local_crds.go.

use super::types::{Field, Plain, Shape};
use engine_json::ordered::OrderedMap;
use engine_json::{Map, Value};

/// What is known of a kind.
#[derive(Debug)]
pub(super) enum Known<'d> {
    /// Nothing of its version, or what is known is not a schema that types can be made of.
    Nothing,
    /// Other kinds of its version.
    OtherKinds,
    /// Its type.
    Type(Shape<'d>),
}

/// The type of a kind of this `apiVersion`.
// Kubernetes: one schema that is not in order takes all kinds of its version with it.
pub(super) fn of_kind<'d>(definitions: &'d [Value], version: &str, kind: &str) -> Known<'d> {
    let mut known = Known::Nothing;
    for definition in definitions {
        let group = definition.find_str(&["spec", "group"]);
        let Some(named) = version.strip_prefix(group).and_then(|rest| rest.strip_prefix('/')) else {
            continue;
        };
        let versions = definition.find(&["spec", "versions"]).and_then(Value::as_array).unwrap_or_default();
        for of_version in versions.iter().filter(|entry| entry.find_str(&["name"]) == named) {
            let own = of_version.find(&["schema", "openAPIV3Schema"]);
            let schema = own.or_else(|| definition.find(&["spec", "validation", "openAPIV3Schema"]));
            let Some(shape) =
                schema.and_then(|schema| shape(schema, Level { preserves: false, is_root: true }))
            else {
                return Known::Nothing;
            };
            if definition.find_str(&["spec", "names", "kind"]) == kind {
                known = Known::Type(shape);
            } else if matches!(known, Known::Nothing) {
                known = Known::OtherKinds;
            }
        }
    }
    known
}

/// Where a schema stands.
#[derive(Clone, Copy)]
struct Level {
    /// Whether fields that nobody declares are kept.
    preserves: bool,
    /// Whether it is that of a whole object, which has metadata.
    is_root: bool,
}

/// The type that a schema declares; nothing where it is not in order.
fn shape(schema: &Value, level: Level) -> Option<Shape<'_>> {
    let is_preserving =
        schema.get("x-kubernetes-preserve-unknown-fields").and_then(Value::as_bool) == Some(true);
    let level = Level { preserves: level.preserves || is_preserving, ..level };
    Some(match schema.find_str(&["type"]) {
        "object" => map(schema, level)?,
        "array" => list(schema, level)?,
        "integer" | "number" => Shape::Plain(Plain::Number),
        "boolean" => Shape::Plain(Plain::Truth),
        "string" if matches!(schema.find_str(&["format"]), "" | "byte") => Shape::Plain(Plain::Text),
        "string" => Shape::Plain(Plain::Any),
        "" => Shape::Open(Box::new(list(schema, level)?), Box::new(map(schema, level)?)),
        _ => return None,
    })
}

fn below(level: Level) -> Level {
    Level { is_root: false, ..level }
}

fn list(schema: &Value, level: Level) -> Option<Shape<'_>> {
    let keys = match schema.find_str(&["x-kubernetes-list-type"]) {
        "" | "atomic" => None,
        "set" => Some(Vec::new()),
        "map" => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array)?;
            Some(keys.iter().filter_map(Value::as_str).collect::<Vec<_>>()).filter(|keys| !keys.is_empty())
        }
        _ => return None,
    };
    let element = match schema.get("items").filter(|items| !items.is_null()) {
        Some(items) => shape(items, below(level))?,
        None if schema.find_str(&["type"]).is_empty() => Shape::Untyped,
        None => return None,
    };
    Some(Shape::List(Box::new(element), keys))
}

fn map(schema: &Value, level: Level) -> Option<Shape<'_>> {
    let is_atomic = match schema.find_str(&["x-kubernetes-map-type"]) {
        "" | "granular" => false,
        "atomic" => true,
        _ => return None,
    };
    let mut fields = OrderedMap::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flat_map(Map::iter) {
        let default = schema.get("default").filter(|default| !default.is_null()).cloned();
        fields.insert(name.as_str(), Field { shape: shape(schema, below(level))?, default });
    }
    if level.is_root {
        let text = || Field { shape: Shape::Plain(Plain::Text), default: None };
        fields.insert("apiVersion", text());
        fields.insert("kind", text());
        fields.insert("metadata", Field { shape: Shape::Named("meta.v1.ObjectMeta", false), default: None });
    }
    let others = match schema.get("additionalProperties").filter(|others| !others.is_null()) {
        None if level.preserves || fields.is_empty() => Some(Shape::Deduced),
        None => None,
        Some(others) => match others.as_bool() {
            Some(allows) => allows.then_some(Shape::Deduced),
            None => Some(shape(others, below(level))?),
        },
    };
    Some(Shape::Struct(fields, others.map(Box::new), is_atomic))
}
