//! Whether an API server could ask a policy about an object.
//!
//! In: a request. Out: whether it gets as far as the policies. Only what is cheap to say is looked at: what every container has, lists and maps
//! that are left out where they are empty, and containers that are added to running Pods alone.

use crate::request::{Operation, Request};
use crate::schema::{Schema, Shape};
use engine::value::quantity::Quantity;
use engine_json::{Path, Value};

/// The lists of containers.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", EPHEMERAL];
/// Containers that no new Pod has: they are added by an update.
const EPHEMERAL: &str = "ephemeralContainers";

/// Whether it could be.
pub(crate) fn is_admissible(request: &Request, schema: &Schema) -> bool {
    let object = &request.object;
    let Some(shape) = schema.of(object) else { return true };
    if !is_written_so(object, &shape, schema) {
        return false;
    }
    let Some(spec) = spec_of(object) else { return true };
    let Some(spec) = object.at_path(spec.iter()) else { return false };
    let has_containers =
        spec.get("containers").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let mut containers =
        CONTAINERS.iter().filter_map(|list| spec.get(list).and_then(Value::as_array)).flatten();
    let is_whole =
        |container: &Value| ["name", "image"].iter().all(|field| !container.find_str(&[field]).is_empty());
    let has_ephemeral = spec.get(EPHEMERAL).is_some();
    let is_running = object.find_str(&["kind"]) == "Pod" && request.attributes.operation != Operation::Create;
    has_containers && containers.all(is_whole) && (!has_ephemeral || is_running)
}

/// Whether no list and no map stands there empty, which an API server leaves out before it asks anybody, and no text where an object is.
fn is_written_so(value: &Value, shape: &Shape, schema: &Schema) -> bool {
    match (value, shape) {
        (Value::Array(items), Shape::List(element)) => {
            !items.is_empty() && items.iter().all(|item| is_written_so(item, element, schema))
        }
        (Value::Object(map), Shape::Map(element)) => {
            !map.is_empty() && map.values().all(|item| is_written_so(item, element, schema))
        }
        (Value::Object(map), Shape::Object(_)) => map.iter().all(|(key, item)| {
            (!schema.holds_quantities(shape, key) || are_quantities(item))
                && schema.field(shape, key).is_none_or(|shape| is_written_so(item, &shape, schema))
        }),
        // An object that cannot be read gets no further.
        (Value::String(_) | Value::Number(_) | Value::Bool(_), Shape::Object(_)) => false,
        _ => true,
    }
}

/// Whether a value, or each value of a map, can be read as a quantity; an object with another one gets no further.
fn are_quantities(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.values().all(are_quantities),
        Value::String(text) => Quantity::parse(text).is_ok(),
        Value::Null | Value::Number(_) => true,
        Value::Bool(_) | Value::Array(_) => false,
    }
}

/// The way to the spec of the Pod of an object.
fn spec_of(object: &Value) -> Option<Path> {
    let path: &[&str] = match object.find_str(&["kind"]) {
        "Pod" => &["spec"],
        "CronJob" => &["spec", "jobTemplate", "spec", "template", "spec"],
        kind if crate::kinds::CONTROLLERS.iter().any(|(_, known)| *known == kind) => {
            &["spec", "template", "spec"]
        }
        _ => return None,
    };
    Some(Path::from_keys(path))
}

/// A Pod without the containers that no new Pod has, where it has some.
pub(crate) fn without_ephemeral(pod: &Value) -> Option<Value> {
    let mut without = pod.clone();
    without.put(&Path::from_keys(&["spec", EPHEMERAL]), None).then_some(without)
}
