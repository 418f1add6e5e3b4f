//! Where the Pod of an object is.
//!
//! In: a Pod, or any object with a template of one. Out: the Pod that the object is or makes.

use engine_json::{Map, Str, Value};

/// A Pod before anything is done to it.
pub(crate) struct Workload {
    pub(crate) pod: Value,
    /// `deployment`, empty for a Pod.
    pub(crate) kind: String,
    /// The name of the object.
    pub(crate) name: String,
    pub(crate) namespace: String,
}

/// Where a template stands: in a CronJob, in a PodTemplate, in all other controllers, those of other groups included.
const TEMPLATES: [&[&str]; 3] =
    [&["spec", "jobTemplate", "spec", "template"], &["template"], &["spec", "template"]];

impl Workload {
    /// The Pod that an object is or makes; `None` where it has nothing to do with Pods.
    pub(crate) fn of(object: &Value) -> Option<Workload> {
        let meta = |key| object.find_str(&["metadata", key]);
        let name =
            if meta("name").is_empty() { meta("generateName").trim_end_matches('-') } else { meta("name") };
        let namespace = if meta("namespace").is_empty() { "default" } else { meta("namespace") };
        let kind = object.find_str(&["kind"]);
        let (name, namespace) = (name.to_owned(), namespace.to_owned());
        if kind == "Pod" && object.find_str(&["apiVersion"]) == "v1" {
            return Some(Workload { pod: object.clone(), kind: String::new(), name, namespace });
        }
        let has_containers = |template: &&Value| template.find(&["spec", "containers"]).is_some();
        let template = TEMPLATES.iter().find_map(|path| object.find(path).filter(has_containers))?;
        let pod = pod(template, &name, meta("namespace"));
        Some(Workload { pod, kind: kind.to_ascii_lowercase(), name, namespace })
    }
}

/// The Pod that a controller makes of its template. A real one has a name with random letters.
fn pod(template: &Value, name: &str, namespace: &str) -> Value {
    let mut meta = Map::new();
    meta.insert("name", Value::String(Str::new(format!("{name}-pod"))));
    if !namespace.is_empty() {
        meta.insert("namespace", Value::String(namespace.into()));
    }
    let more = template.get("metadata").and_then(Value::as_object).into_iter().flat_map(Map::iter);
    for (key, value) in more.filter(|(key, _)| !matches!(key.as_str(), "name" | "namespace")) {
        meta.insert(key.clone(), value.clone());
    }
    let spec = template.get("spec").cloned().unwrap_or_default();
    Value::object(Map::from_entries(vec![
        ("apiVersion".into(), Value::String("v1".into())),
        ("kind".into(), Value::String("Pod".into())),
        ("metadata".into(), Value::object(meta)),
        ("spec".into(), spec),
    ]))
}
