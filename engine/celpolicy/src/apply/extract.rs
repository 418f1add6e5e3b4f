//! The Pods that stand as templates in a custom workload.
//!
//! In: an object with its request. Out: for each template of a Pod in its spec the same request about that Pod, with the place of
//! the template. Mirrors: `pkg/cel/autogen/extract` of Kyverno 1.19.

use super::Subject;
use super::subject::{object, text};
use engine_json::arrange::Arrange as _;
use engine_json::ordered::OrderedMap;
use engine_json::{Path, Str, Value};

/// A Pod that a template makes.
pub(super) struct Extracted {
    /// Where the template stands.
    pub(super) within: Within,
    /// The same as Kyverno writes it.
    shown: String,
    /// The request about the Pod.
    pub(super) subject: Subject,
}

/// The object in which the template of a Pod stands.
pub(super) struct Within {
    pub(super) object: Value,
    /// The place of the template.
    pub(super) place: Path,
}

/// The Pods of an object, in the order in which their templates stand.
///
/// # Errors
/// Kyverno's words where there is none.
pub(super) fn pods(subject: &Subject) -> Result<Vec<Extracted>, String> {
    let is_there = |object: &&Value| object.as_object().is_some_and(|fields| fields.iter().next().is_some());
    let object = Some(&subject.object).filter(is_there);
    let old_object = Some(&subject.old_object).filter(is_there);
    let Some(source) = object.or(old_object) else {
        return Err(
            "extraction mode: expected an unstructured object, got *unstructured.Unstructured".to_owned()
        );
    };
    let found = templates(source);
    if found.is_empty() {
        let (version, kind) = (source.find_str(&["apiVersion"]), source.find_str(&["kind"]));
        return Err(format!("extraction mode: no pod template found in {version}/{kind}"));
    }
    let before = old_object.filter(|_| object.is_some()).map(templates).unwrap_or_default();
    let before: OrderedMap<String, &Value> =
        before.into_iter().map(|Template { shown, value, .. }| (shown, value)).collect();
    let extracted = found.into_iter().map(|Template { place, shown, value }| {
        let (new, old) = match object {
            Some(_) => (Some(value), before.get(&shown).copied()),
            None => (None, Some(value)),
        };
        let within = Within { object: source.clone(), place };
        Extracted { within, subject: about(subject, new, old), shown }
    });
    Ok(extracted.collect())
}

/// A template of a Pod.
struct Template<'v> {
    place: Path,
    shown: String,
    value: &'v Value,
}

/// The templates below the spec of an object; its status can hold those of another time.
fn templates(object: &Value) -> Vec<Template<'_>> {
    let mut found = Vec::new();
    if let Some(spec) = object.get("spec").filter(|spec| spec.as_object().is_some()) {
        walk(spec, &Path::root().join("spec"), "spec", &mut found);
    }
    found
}

/// Takes a template, or looks below a value; how deep values nest is bounded where they are read.
// Kyverno walks a map in the order that Go has at the moment; here it is that of the names.
fn walk<'v>(value: &'v Value, place: &Path, shown: &str, found: &mut Vec<Template<'v>>) {
    match value {
        Value::Object(_) if is_template(value) => {
            found.push(Template { place: place.clone(), shown: shown.to_owned(), value });
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.arrange_by(|(a, _), (b, _)| a.cmp(b));
            for (key, value) in fields {
                walk(value, &place.join(key.clone()), &format!("{shown}.{key}"), found);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                walk(value, &place.join(at), &format!("{shown}[{at}]"), found);
            }
        }
        _ => {}
    }
}

fn is_template(value: &Value) -> bool {
    let is_map = |value: &Value| value.as_object().is_some();
    let is_container = |container: &Value| {
        let text = |field: &str| container.get(field).and_then(Value::as_str);
        is_map(container) && text("name").is_some_and(|name| !name.is_empty()) && text("image").is_some()
    };
    let containers = value.find(&["spec", "containers"]).and_then(Value::as_array).unwrap_or_default();
    value.get("metadata").is_none_or(is_map)
        && value.get("spec").is_some_and(is_map)
        && !containers.is_empty()
        && containers.iter().all(is_container)
}

/// The request as one about the Pods of these templates.
fn about(subject: &Subject, new: Option<&Value>, old: Option<&Value>) -> Subject {
    let [new, old] =
        [new, old].map(|template| template.map_or(Value::Null, |template| pod(template, subject)));
    let present = if new.is_null() { &old } else { &new };
    let kind = object([("group", text("")), ("version", text("v1")), ("kind", text("Pod"))]);
    let resource = object([("group", text("")), ("version", text("v1")), ("resource", text("pods"))]);
    let mut request = subject.request.clone();
    if let Some(fields) = request.object_mut() {
        let [name, namespace] = ["name", "namespace"].map(|field| present.find_str(&["metadata", field]));
        fields.remove("namespace");
        if !namespace.is_empty() {
            fields.insert("namespace", text(namespace));
        }
        let entries = [
            ("kind", kind.clone()),
            ("requestKind", kind),
            ("resource", resource.clone()),
            ("requestResource", resource),
            ("name", text(name)),
            ("object", new.clone()),
            ("oldObject", old.clone()),
        ];
        for (field, value) in entries {
            fields.insert(field, value);
        }
    }
    let resource = ["", "v1", "pods"].map(Str::new_static);
    Subject { object: new, old_object: old, request, resource, ..subject.clone() }
}

/// The Pod of a template; what it has no name of is named as the object in which the template stands.
fn pod(template: &Value, subject: &Subject) -> Value {
    let mut metadata = template.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    for (field, own) in [("name", subject.name()), ("namespace", subject.request_namespace())] {
        if metadata.get(field).and_then(Value::as_str).is_none_or(str::is_empty) {
            metadata.insert(field, text(own));
        }
    }
    object([
        ("apiVersion", text("v1")),
        ("kind", text("Pod")),
        ("metadata", Value::object(metadata)),
        ("spec", template.get("spec").cloned().unwrap_or_default()),
    ])
}

impl Extracted {
    /// What is said of the template, with its place.
    pub(super) fn placed(&self, message: &str) -> String {
        format!("{message} (pod template at {})", self.shown)
    }

    /// An error that ends the evaluation of the template, with its place.
    pub(super) fn failed(&self, error: &str) -> String {
        format!("pod template at {}: {error}", self.shown)
    }
}
