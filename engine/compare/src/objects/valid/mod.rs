//! What Kubernetes' validation refuses before policies that validate are asked.
//!
//! In: a request. Out: whether it gets as far as them. An API server decodes an object, fills in defaults, asks the policies that mutate,
//! validates what they left, and then asks those that validate (k8s.io/apiserver/pkg/registry/generic/registry/store.go: `Create` and
//! `Update` call `rest.BeforeCreate` and `BeforeUpdate` before `createValidation` and `updateValidation`). Each test here is one of that
//! validation, named where it stands; what is not tested is taken. Of custom kinds only the metadata are looked at, as all else is up to
//! their schemas.

mod complete;
#[cfg(test)]
mod every_field;
mod mended;
mod metadata;
pub(crate) mod names;
mod others;
mod pods;
mod schedules;
mod secrets;
mod systems;
#[cfg(test)]
mod tests;
mod typed;
mod updates;
mod workloads;

pub(crate) use complete::complete;
pub(crate) use pods::NOT_EPHEMERAL;
pub(crate) use updates::settle;

use crate::constraints::are_met;
use crate::objects::kinds::CONTROLLERS;
use crate::objects::schema::{Schema, Shape};
use crate::request::{Operation, Request};
use crate::sides::side::Response;
use engine::body::Effect;
use engine_json::Value;

/// Whether a request that could be sent (`admissible`) gets as far as the policies that validate, or, where `is_before` it is validated, as
/// far as those that mutate.
pub(crate) fn is_valid(request: &Request, is_before: bool, schema: &Schema) -> bool {
    let attributes = &request.attributes;
    // What goes is there already.
    let is_checked = !is_before || attributes.operation == Operation::Delete;
    // What is in no Namespace has no labels of one.
    let has_namespace = !request.object.find_str(&["metadata", "namespace"]).is_empty();
    let has_user = is_user(&attributes.user.username);
    let labels = attributes
        .labels
        .iter()
        .all(|(key, value)| names::is_qualified_name(key) && names::is_label_value(value));
    has_user
        && labels
        && (has_namespace || attributes.labels.is_empty())
        && (!is_checked || is_stored(&request.object, schema))
        && attributes.old.as_ref().is_none_or(|old| is_stored(old, schema))
        && updates::is_allowed(request)
}

/// Whether an API server stores what one side at least leaves of a request that this side lets in. What both leave so that it is refused
/// afterwards makes no difference in a cluster.
pub(crate) fn is_stored_by_one(request: &Request, sides: [&Response; 2], schema: &Schema) -> bool {
    let is_stored = |side: &&Response| {
        let object = side.object.clone().unwrap_or_else(|| request.object.clone());
        let left = Request { object, attributes: request.attributes.clone() };
        side.effect != Effect::Deny && is_valid(&left, false, schema)
    };
    sides.iter().any(is_stored)
}

/// Whether a user may have this name: it is not empty, and one of a service account is made of a namespace and a name.
// k8s.io/apiserver/pkg/authentication/serviceaccount/util.go: SplitUsername.
fn is_user(name: &str) -> bool {
    match name.strip_prefix("system:serviceaccount:") {
        Some(account) => account
            .split_once(':')
            .is_some_and(|(namespace, name)| names::is_dns_label(namespace) && names::is_dns_subdomain(name)),
        None => !name.is_empty(),
    }
}

/// Whether an object may be in a cluster.
pub(crate) fn is_stored(object: &Value, schema: &Schema) -> bool {
    let shape = schema.of(object);
    let is_known = shape.is_some();
    let kind = object.find_str(&["kind"]);
    let is_whole = shape.is_none_or(|shape| meets_types(object, &shape, schema));
    let is_of_kind = match kind {
        _ if !is_known => true,
        "Pod" => object.get("spec").is_some_and(|spec| pods::is_valid(spec, pods::Holder::Pod)),
        kind if CONTROLLERS.iter().any(|(_, known)| *known == kind) => workloads::is_valid(object, kind),
        kind => others::is_valid(object, kind),
    };
    is_whole && is_of_kind && metadata::of_object(object, is_known)
}

/// Whether everything below has what its type asks for.
fn meets_types(value: &Value, shape: &Shape, schema: &Schema) -> bool {
    match (value, shape) {
        (Value::Array(items), Shape::List(of)) => items.iter().all(|item| meets_types(item, of, schema)),
        (Value::Object(map), Shape::Object(of)) => {
            are_met(map, of)
                && typed::is_valid(map, of)
                && map.iter().filter(|(_, item)| !is_scalar(item)).all(|(key, item)| {
                    schema.field(shape, key).is_none_or(|shape| meets_types(item, &shape, schema))
                })
        }
        _ => true,
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}
