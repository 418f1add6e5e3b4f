//! The images of a resource, as the `images` variable gives them.
//!
//! In: a Pod, or an object that holds a Pod template. Out: registry, path, name, tag and digest of each container's
//! image, by kind of container and container name; or Kyverno's words for an image that is none.
//! Mirrors: pkg/utils/api/image.go.

use crate::value::image::{ImageRef, ImageSettings};
use engine_json::{Map, Str, Value};

const LISTS: &[&str] = &["initContainers", "containers", "ephemeralContainers"];

/// The way to the Pod's spec in an object of this kind; `None` for kinds without one.
fn spec_path(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Pod" => Some(&["spec"]),
        "DaemonSet" | "Deployment" | "ReplicaSet" | "ReplicationController" | "StatefulSet" | "Job" => {
            Some(&["spec", "template", "spec"])
        }
        "CronJob" => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        _ => None,
    }
}

/// The value of `images`; `None` where there is no image.
pub(super) fn extract(resource: &Value, settings: &ImageSettings) -> Result<Option<Value>, String> {
    let Some(path) = spec_path(resource.find_str(&["kind"])) else { return Ok(None) };
    let mut groups = Map::new();
    for list in LISTS {
        let group = extract_list(resource, path, list, settings)?;
        if !group.is_empty() {
            groups.insert(*list, Value::object(group));
        }
    }
    Ok((!groups.is_empty()).then(|| Value::object(groups)))
}

fn extract_list(
    resource: &Value,
    path: &[&str],
    list: &str,
    settings: &ImageSettings,
) -> Result<Map, String> {
    let mut found = Map::new();
    let mut value = resource;
    for key in path.iter().chain([&list]) {
        value = match value {
            Value::Null => return Ok(found),
            Value::Object(map) => map.get(key).unwrap_or(&Value::Null),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err("invalid image config".to_owned());
            }
        };
    }
    let base = format!("/{}/{list}", path.join("/"));
    let items: Vec<(String, &Value)> = match value {
        Value::Null => return Ok(found),
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.to_string(), item)).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err("invalid type".to_owned()),
    };
    for (at, item) in items {
        if item.is_null() {
            continue;
        }
        let Value::Object(container) = item else { return Err("invalid image config".to_owned()) };
        let Some(name) = container.get("name").and_then(Value::as_str) else {
            return Err("invalid key".to_owned());
        };
        let Some(image) =
            container.get("image").and_then(Value::as_str).filter(|image| !image.trim().is_empty())
        else {
            continue;
        };
        let reference =
            ImageRef::parse(image, settings).map_err(|error| format!("invalid image '{image}' ({error})"))?;
        let mut info = reference.to_map();
        info.insert("jsonPointer", Value::from(format!("{base}/{at}/image")));
        found.insert(Str::new(name), Value::object(info));
    }
    Ok(found)
}
