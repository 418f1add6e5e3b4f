//! Answers of Pod Security Admission: whole decisions, and configuration files.
//!
//! In: a case with a request, a configuration and what the cluster holds; or the text of a configuration file. Out: the
//! case with the response; or the configuration as it is understood, or the stage at which it is refused.

use super::object;
use engine::json::{Map, Value, to_json};
use engine::podsecurity::admission::{
    Cluster, Config, Details, Mode, Operation, Policy, Request, Resource, Response, Stage, Status, review,
};

/// Pods that a row may ask to be made.
const MAX_PODS: i64 = 10_000;

/// The cluster that a row describes.
struct Recorded<'r>(&'r Value);

impl Cluster for Recorded<'_> {
    fn namespace(&self, name: &str) -> Result<Value, String> {
        let error = self.0.find_str(&["namespaceError"]);
        if !error.is_empty() {
            return Err(error.to_owned());
        }
        let found = self.0.find(&["namespaces", name]).cloned();
        let labels = found.ok_or_else(|| format!("namespaces \"{name}\" not found"))?;
        Ok(object([("metadata", object([("labels", labels)]))]))
    }

    fn pods(&self, _: &str) -> Result<Vec<Value>, String> {
        let error = self.0.find_str(&["podListError"]);
        if !error.is_empty() {
            return Err(error.to_owned());
        }
        let Some(generated) = self.0.get("podsGenerated") else {
            return Ok(self.0.get("pods").and_then(Value::as_array).unwrap_or_default().to_vec());
        };
        let count = generated.get("count").and_then(Value::as_i64).unwrap_or_default().min(MAX_PODS);
        let pattern = generated.find_str(&["namePattern"]);
        let copy = |n: i64| {
            let mut pod = generated.get("pod").cloned().unwrap_or_default();
            if let Some(metadata) =
                pod.object_mut().and_then(|map| map.get_mut("metadata")).and_then(Value::object_mut)
            {
                metadata.insert("name", Value::from(pattern.replace("{i}", &n.to_string())));
            }
            pod
        };
        Ok((0..count).map(copy).collect())
    }

    fn is_time_up(&self) -> bool {
        self.0.get("contextCancelled").is_some()
    }
}

/// Suite `psa-admission`.
pub(super) fn decide(case: &Value) -> Result<Value, String> {
    let text = case.get("config").map_or_else(String::new, to_json);
    let config = Config::read(&text).map_err(|error| error.message)?;
    let request = case.get("request").map(request).ok_or("the case has no request")?;
    let response = review(&request, &config, &Recorded(case));
    let mut answer = case.clone();
    if let Some(map) = answer.object_mut() {
        map.insert("response", response_value(&response));
    }
    Ok(answer)
}

fn request(value: &Value) -> Request {
    let text = |key: &str| value.find_str(&[key]).to_owned();
    let part = |key: &str, error: &str| match value.get(error).and_then(Value::as_str) {
        Some(error) => Err(error.to_owned()),
        None => Ok(value.get(key).cloned()),
    };
    Request {
        name: text("name"),
        namespace: text("namespace"),
        resource: Resource {
            group: value.find_str(&["resource", "group"]).to_owned(),
            resource: value.find_str(&["resource", "resource"]).to_owned(),
        },
        subresource: text("subResource"),
        operation: match value.find_str(&["operation"]) {
            "UPDATE" => Operation::Update,
            "DELETE" => Operation::Delete,
            "CONNECT" => Operation::Connect,
            _ => Operation::Create,
        },
        user: text("username"),
        object: part("object", "objectError"),
        old_object: part("oldObject", "oldObjectError"),
    }
}

fn response_value(response: &Response) -> Value {
    let mut map = Map::new();
    map.insert("allowed", Value::from(response.allowed));
    if let Some(status) = &response.status {
        map.insert("status", status_value(status));
    }
    if !response.warnings.is_empty() {
        let warnings = response.warnings.iter().map(|text| Value::from(text.as_str())).collect();
        map.insert("warnings", Value::array(warnings));
    }
    let notes: Map =
        response.audit_annotations.iter().map(|(key, text)| (*key, Value::from(text.as_str()))).collect();
    if !notes.is_empty() {
        map.insert("auditAnnotations", Value::object(notes));
    }
    Value::object(map)
}

/// A `metav1.Status` as Go writes it: what is empty is left out.
fn status_value(status: &Status) -> Value {
    let mut map: Map = [
        ("metadata", Value::object(Map::new())),
        ("status", Value::from("Failure")),
        ("message", Value::from(status.message.as_str())),
        ("reason", Value::from(status.reason)),
        ("code", Value::from(i64::from(status.code))),
    ]
    .into_iter()
    .collect();
    if let Some(details) = &status.details {
        map.insert("details", details_value(details));
    }
    Value::object(map)
}

fn details_value(details: &Details) -> Value {
    let causes = details.causes.iter().map(|cause| {
        let mut map = texts([("reason", cause.reason), ("field", &cause.field)]);
        map.insert("message", Value::from(cause.message.as_str()));
        Value::object(map)
    });
    let causes: Vec<Value> = causes.collect();
    let mut map = texts([("name", &details.name), ("group", &details.group), ("kind", &details.kind)]);
    if !causes.is_empty() {
        map.insert("causes", Value::array(causes));
    }
    Value::object(map)
}

fn texts<const N: usize>(entries: [(&str, &str); N]) -> Map {
    entries
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(key, text)| (key, Value::from(text)))
        .collect()
}

/// Suite `psa-config`.
pub(super) fn read_config(case: &Value) -> Value {
    let id = case.get("id").cloned().unwrap_or_default();
    match Config::read(case.find_str(&["input"])) {
        Ok(config) => object([("id", id), ("ok", Value::from(true)), ("config", config_value(&config))]),
        Err(error) => {
            let stage = match error.stage {
                Stage::Load => "load",
                Stage::Complete => "complete",
                Stage::Validate => "validate",
            };
            let (stage, error) = (Value::from(stage), Value::from(error.message));
            object([("id", id), ("ok", Value::from(false)), ("stage", stage), ("error", error)])
        }
    }
}

fn config_value(config: &Config) -> Value {
    let names = |names: &Option<Vec<String>>| {
        names.as_ref().map_or(Value::Null, |names| {
            Value::array(names.iter().map(|name| Value::from(name.as_str())).collect())
        })
    };
    let exempt = &config.exemptions;
    let exemptions = object([
        ("usernames", names(&exempt.usernames)),
        ("runtimeClasses", names(&exempt.runtime_classes)),
        ("namespaces", names(&exempt.namespaces)),
    ]);
    object([("defaults", defaults_value(&config.defaults)), ("exemptions", exemptions)])
}

fn defaults_value(defaults: &Policy) -> Value {
    let mut map = Map::new();
    for mode in Mode::ALL {
        let part = defaults.mode(mode);
        map.insert(mode.name(), Value::from(part.level.name()));
        map.insert(format!("{}-version", mode.name()), Value::from(part.version.to_string()));
    }
    Value::object(map)
}
