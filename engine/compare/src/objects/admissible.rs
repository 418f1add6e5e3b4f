//! Whether an API server could ask a policy about an object.
//!
//! In: a request. Out: whether it gets as far as the policies. Only what is cheap to say is looked at: what every container has, lists and maps
//! that are left out where they are empty, and containers that are added to running Pods alone.

use crate::objects::field_types::all_take;
use crate::objects::format::Format;
use crate::objects::kinds::{CONTAINER_LISTS, EPHEMERAL_LIST, pod_spec_of};
use crate::objects::schema::{Schema, Shape};
use crate::plain_values::all_are_plain;
use crate::request::{Operation, Request};
use crate::search::cluster::is_same_object;
use crate::sides::subresource::adds_only;
use engine::value::image::registry::RegistryImage;
use engine::value::image::{ImageRef, ImageSettings};
use engine_json::{Path, Value};

/// Whether it could be: an object that is changed or deleted was let in before.
pub(crate) fn is_admissible(request: &Request, schema: &Schema) -> bool {
    let is_new = request.attributes.operation == Operation::Create;
    let old = request.attributes.old.as_ref();
    let has_images = || are_readable(&request.object) && are_read_in_cel(&request.object);
    if schema.has_readable_images && !has_images() {
        return false;
    }
    if is_new && !is_possible(request) {
        return false;
    }
    let of_cluster = request.attributes.cluster.iter().flat_map(|objects| objects.iter());
    let mut objects = std::iter::once(&request.object).chain(old).chain(of_cluster);
    if !objects.all(|object| all_are_plain(&schema.plain_values, object)) {
        return false;
    }
    is_stored(&request.object, is_new, schema)
        && old.is_none_or(|old| is_stored(old, false, schema))
        && (!request.adds_ephemeral() || adds_only(request))
}

/// Whether an object can be new in the cluster around it: it is not there, and nothing is in a Namespace before that is.
fn is_possible(request: &Request) -> bool {
    let new = &request.object;
    let is_namespace = new.find_str(&["kind"]) == "Namespace";
    let name = new.find_str(&["metadata", "name"]);
    let is_before = |object: &Value| is_namespace && object.find_str(&["metadata", "namespace"]) == name;
    let mut all = request.attributes.cluster.iter().flat_map(|objects| objects.iter());
    !all.any(|object| is_before(object) || is_same_object(object, new))
}

/// Whether an API server takes an object.
fn is_stored(object: &Value, is_new: bool, schema: &Schema) -> bool {
    let Some(shape) = schema.of(object) else {
        return has_metadata(object, schema) && all_take(&schema.field_types, object);
    };
    if !is_written_so(object, &shape, schema) {
        return false;
    }
    let Some(spec) = spec_of(object) else { return true };
    let Some(spec) = object.at_path(spec.iter()) else { return false };
    let has_containers =
        spec.get("containers").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    let in_list = |list: &&str| spec.get(list).and_then(Value::as_array).unwrap_or_default().iter();
    let mut containers = CONTAINER_LISTS.iter().flat_map(in_list);
    let mut volumes = in_list(&"volumes");
    // Kubernetes: validateContainers, validateInitContainers, validateEphemeralContainers, ValidateVolumes.
    let are_names_apart = are_apart(containers.clone()) && are_apart(volumes.clone());
    let is_whole =
        |container: &Value| ["name", "image"].iter().all(|field| !container.find_str(&[field]).is_empty());
    let has_ephemeral = spec.get(EPHEMERAL_LIST).is_some();
    let is_running = object.find_str(&["kind"]) == "Pod" && !is_new;
    has_containers
        && are_names_apart
        && containers.all(is_whole)
        && volumes.all(is_volume)
        && (!has_ephemeral || is_running)
}

/// Whether a volume has what each needs: a name, and one of the host a path.
// Kubernetes: ValidateVolumes, validateHostPathVolumeSource.
fn is_volume(volume: &Value) -> bool {
    let has_path = volume.get("hostPath").is_none_or(|source| !source.find_str(&["path"]).is_empty());
    has_path && !volume.find_str(&["name"]).is_empty()
}

/// Whether the metadata of an object of a custom kind are written as those of all kinds.
fn has_metadata(object: &Value, schema: &Schema) -> bool {
    let Some(metadata) = object.get("metadata") else { return true };
    let shape = Schema::metadata();
    let is_text = |field: &str| {
        let is_of_text = schema.field(&shape, field) == Some(Shape::Text);
        !is_of_text || metadata.get(field).is_none_or(|value| value.as_str().is_some())
    };
    is_written_so(metadata, &shape, schema) && ["name", "namespace"].into_iter().all(is_text)
}

/// Whether no two of these have the same name.
pub(crate) fn are_apart<'v>(items: impl Iterator<Item = &'v Value>) -> bool {
    let mut names: Vec<&str> = items.map(|item| item.find_str(&["name"])).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    names.len() == all
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
        // A field that the type does not have is dropped before a policy is asked.
        (Value::Object(map), Shape::Object(_)) => map.iter().all(|(key, item)| {
            are_of_format(item, schema.format(shape, key))
                && match schema.field(shape, key) {
                    Some(shape) => is_written_so(item, &shape, schema),
                    None => !schema.has_fields(shape),
                }
        }),
        // An object that cannot be read gets no further.
        (Value::Null, _) | (_, Shape::Any) => true,
        (Value::String(_), shape) => matches!(shape, Shape::Text | Shape::Either),
        (Value::Number(_), shape) => matches!(shape, Shape::Number | Shape::Either),
        (Value::Bool(_), shape) => *shape == Shape::Truth,
        (Value::Array(_) | Value::Object(_), _) => false,
    }
}

/// Whether a value, or each value of a map, can be decoded.
fn are_of_format(value: &Value, format: Format) -> bool {
    match value {
        _ if format == Format::Any => true,
        Value::Object(map) => map.values().all(|value| are_of_format(value, format)),
        Value::String(text) => format.takes(text),
        Value::Null => true,
        Value::Number(_) => format == Format::Quantity,
        Value::Bool(_) | Value::Array(_) => false,
    }
}

/// Whether the images of all containers can be read as references, by Kyverno and by clients of registries.
pub(crate) fn are_readable(object: &Value) -> bool {
    all_images(object, is_readable)
}

/// Whether the images of all containers are such.
pub(crate) fn all_images(object: &Value, is_taken: fn(&str) -> bool) -> bool {
    let Some(spec) = spec_of(object).and_then(|path| object.at_path(path.iter())) else { return true };
    let mut containers =
        CONTAINER_LISTS.iter().filter_map(|list| spec.get(list).and_then(Value::as_array)).flatten();
    containers.all(|container| is_taken(container.find_str(&["image"])))
}

/// Whether a container runtime can pull an image: it takes repositories of one letter, which clients of registries in Go do not.
pub(crate) fn is_pulled(image: &str) -> bool {
    ImageRef::parse(image, &ImageSettings::default()).is_ok()
}

/// Whether the functions of images in CEL read them too, which err for what go-containerregistry does not read.
fn are_read_in_cel(object: &Value) -> bool {
    all_images(object, |image| RegistryImage::parse(image).is_ok())
}

/// Whether an image can be read as a reference by both.
pub(crate) fn is_readable(image: &str) -> bool {
    // Go's go-containerregistry knows digests of SHA-256 alone, container runtimes (distribution/reference) those of SHA-512 as well.
    let is_digest = |digits: &str| digits.len() == 128 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let by_sha512 = image.split_once("@sha512:").filter(|(_, digits)| is_digest(digits));
    let name = by_sha512.map_or(image, |(name, _)| name);
    is_pulled(image) && RegistryImage::parse(name).is_ok()
}

/// The way to the spec of the Pod of an object.
fn spec_of(object: &Value) -> Option<Path> {
    pod_spec_of(object.find_str(&["kind"])).map(Path::from_keys)
}

/// A Pod without the containers that no new Pod has, where it has some.
pub(crate) fn without_ephemeral(pod: &Value) -> Option<Value> {
    let mut without = pod.clone();
    without.put(&Path::from_keys(&["spec", EPHEMERAL_LIST]), None).then_some(without)
}

/// An ephemeral container of which nothing is asked.
pub(crate) fn plain_ephemeral(pod: &Value, schema: &Schema) -> Value {
    let spec = schema.of(pod).and_then(|shape| schema.field(&shape, "spec"));
    let list = spec.and_then(|spec| schema.field(&spec, EPHEMERAL_LIST));
    let shape = match &list {
        Some(Shape::List(of)) => Some(&**of),
        _ => None,
    };
    schema.new_element(shape, || "debugger".to_owned())
}
