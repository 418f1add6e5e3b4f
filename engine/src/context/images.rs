//! The images of a resource, as the `images` variable gives them and as `verifyImages` rules check them.
//!
//! In: a Pod, an object that holds a Pod template, or any object and the extractors of a rule. Out: registry, path, name,
//! tag and digest of each image, with the place where it stands; or Kyverno's words for an image that is none.
//! Mirrors: pkg/utils/api/image.go.

use super::{Evaluator, JsonContext};
use crate::value::image::{ImageRef, ImageSettings};
use engine_json::ordered::OrderedSet;
use engine_json::{Map, Str, Value};

const LISTS: &[&str] = &["initContainers", "containers", "ephemeralContainers"];
/// How many images of one resource are looked at.
const MAX_IMAGES: usize = 10_000;

/// An image of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// The list that it stands in, or the name of the extractor.
    pub(crate) group: Str,
    /// The name of its container, or its place.
    pub(crate) key: Str,
    /// The image.
    pub(crate) reference: ImageRef,
    /// Its place: `/spec/containers/0/image`.
    pub(crate) pointer: String,
}

/// The way to images in objects of one kind.
struct Extractor<'e> {
    fields: Vec<&'e str>,
    key: &'e str,
    value: &'e str,
    name: &'e str,
    expression: &'e str,
}

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

fn standard(kind: &str) -> Vec<Extractor<'static>> {
    let Some(path) = spec_path(kind) else { return Vec::new() };
    let extractor = |list: &&'static str| Extractor {
        fields: path.iter().copied().chain([*list, "*"]).collect(),
        key: "name",
        value: "image",
        name: list,
        expression: "",
    };
    LISTS.iter().map(extractor).collect()
}

// Kyverno: lookupImageExtractor.
fn custom(configs: &[Value]) -> Vec<Extractor<'_>> {
    configs
        .iter()
        .filter_map(|config| {
            let parts = config.find_str(&["path"]).split('/').map(|part| part.trim_matches(' '));
            let mut fields: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            let value = match config.find_str(&["value"]) {
                // Kyverno: crashes where there is no path either.
                "" => fields.pop()?,
                value => value,
            };
            let name = match config.find_str(&["name"]) {
                "" => "custom",
                name => name,
            };
            let (key, expression) = (config.find_str(&["key"]), config.find_str(&["jmesPath"]));
            Some(Extractor { fields, key, value, name, expression })
        })
        .collect()
}

/// The images of a resource; `extractors` are those of a rule, by kind.
// Kyverno: ExtractImagesFromResource.
pub(crate) fn find_images(
    resource: &Value,
    extractors: Option<&Value>,
    settings: &ImageSettings,
    evaluator: Option<&Evaluator<'_>>,
) -> Result<Vec<Image>, String> {
    let kind = resource.find_str(&["kind"]);
    let configs = extractors.and_then(|extractors| extractors.get(kind)).and_then(Value::as_array);
    let extractors = match configs {
        None => standard(kind),
        Some([]) => return Err(format!("no extractors found for {kind}")),
        Some(configs) => custom(configs),
    };
    let (mut found, mut known) = (Vec::new(), OrderedSet::new());
    for extractor in &extractors {
        let mut walk =
            Walk { extractor, settings, evaluator, path: Vec::new(), found: &mut found, known: &mut known };
        walk.down(resource, &extractor.fields)?;
    }
    Ok(found)
}

impl JsonContext<'_> {
    /// Adds images to those of `images`.
    // Kyverno: addImageInfos.
    pub(crate) fn add_images(&mut self, found: &[Image]) {
        if !found.is_empty() {
            self.add(&["images"], Value::object(groups(found)));
        }
    }
}

/// The value of `images`.
fn groups(found: &[Image]) -> Map {
    let mut groups = Map::new();
    for image in found {
        let mut info = image.reference.to_map();
        info.insert("jsonPointer", Value::from(image.pointer.as_str()));
        if !groups.contains_key(&image.group) {
            groups.insert(image.group.clone(), Value::object(Map::new()));
        }
        if let Some(group) = groups.get_mut(&image.group).and_then(Value::object_mut) {
            group.insert(image.key.clone(), Value::object(info));
        }
    }
    groups
}

struct Walk<'w, 'e> {
    extractor: &'w Extractor<'e>,
    settings: &'w ImageSettings,
    evaluator: Option<&'w Evaluator<'w>>,
    path: Vec<String>,
    found: &'w mut Vec<Image>,
    /// Group and key of each image found: of two the later one counts.
    known: &'w mut OrderedSet<(Str, Str)>,
}

impl Walk<'_, '_> {
    fn down(&mut self, value: &Value, fields: &[&str]) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        let Some((field, rest)) = fields.split_first() else { return self.image(value) };
        match (value, *field) {
            // Kyverno: a list within a list is looked into with the same part of the path, one within a map with the next.
            (Value::Array(items), "*") => items.iter().enumerate().try_for_each(|(at, item)| {
                let fields = if matches!(item, Value::Array(_)) { fields } else { rest };
                self.enter(at.to_string(), item, fields)
            }),
            (Value::Object(map), "*") => {
                map.iter().try_for_each(|(key, item)| self.enter(key.to_string(), item, rest))
            }
            (Value::Object(map), field) => {
                map.get(field).map_or(Ok(()), |inner| self.step(field.to_owned(), inner, rest))
            }
            _ => Err("invalid image config".to_owned()),
        }
    }

    /// Looks into what `*` stands for: what is neither a map nor a list holds no image.
    fn enter(&mut self, part: String, value: &Value, fields: &[&str]) -> Result<(), String> {
        match value {
            Value::Array(_) | Value::Object(_) => self.step(part, value, fields),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    fn step(&mut self, part: String, value: &Value, rest: &[&str]) -> Result<(), String> {
        self.path.push(part);
        let outcome = self.down(value, rest);
        self.path.pop();
        outcome
    }

    fn image(&mut self, holder: &Value) -> Result<(), String> {
        let Value::Object(holder) = holder else { return Err("invalid image config".to_owned()) };
        let extractor = self.extractor;
        let pointer = format!("/{}/{}", self.path.join("/"), extractor.value);
        let key = match extractor.key {
            "" => Str::new(&pointer),
            key => match holder.get(key) {
                Some(Value::String(text)) => text.clone(),
                _ => return Err("invalid key".to_owned()),
            },
        };
        let text = holder.get(extractor.value).and_then(Value::as_str);
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(()) };
        let text = self.applied(text)?;
        let reference = ImageRef::parse(&text, self.settings)
            .map_err(|error| format!("invalid image '{text}' ({error})"))?;
        let group = Str::new(extractor.name);
        if !self.known.insert((group.clone(), key.clone())) {
            self.found.retain(|known| known.group != group || known.key != key);
        }
        if self.found.len() >= MAX_IMAGES {
            return Err(format!("more than {MAX_IMAGES} images: split the resource"));
        }
        self.found.push(Image { group, key, reference, pointer });
        Ok(())
    }

    /// The text after the extractor's expression.
    fn applied(&self, text: &str) -> Result<String, String> {
        let expression = self.extractor.expression;
        let Some(evaluator) = self.evaluator.filter(|_| !expression.is_empty()) else {
            return Ok(text.to_owned());
        };
        let compiled = evaluator.compile(expression);
        let compiled =
            compiled.as_ref().as_ref().map_err(|error| format!("invalid jmespath {expression}: {error}"))?;
        match evaluator.search(compiled, &Value::from(text)) {
            Ok(Value::String(text)) => Ok(text.to_string()),
            Ok(other) => Err(format!(
                "jmespath {expression} must produce a string, but produced {}",
                engine_jmespath::go_format::go_format(&other)
            )),
            Err(error) => Err(format!("failed to apply jmespath {expression}: {error}")),
        }
    }
}
