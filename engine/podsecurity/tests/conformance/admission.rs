//! Suites `psa-admission` and `psa-config`: whole decisions, and configuration files.

use crate::{hold_each, list, object, rows, unless_empty, with};
use engine_json::{Map, Value, to_json};
use engine_podsecurity::admission::{
    Cluster, Config, Mode, Operation, Policy, Request, Resource, Response, Stage, Status, review,
};

/// The cluster of a row.
struct Recorded<'r>(&'r Value);

impl Cluster for Recorded<'_> {
    fn namespace(&self, name: &str) -> Result<Value, String> {
        let error = self.0.find_str(&["namespaceError"]);
        if !error.is_empty() {
            return Err(error.to_owned());
        }
        let labels =
            self.0.find(&["namespaces", name]).ok_or_else(|| format!("namespaces \"{name}\" not found"))?;
        Ok(object([("metadata", object([("labels", labels.clone())]))]))
    }

    fn pods(&self, _: &str) -> Result<Vec<Value>, String> {
        let error = self.0.find_str(&["podListError"]);
        if !error.is_empty() {
            return Err(error.to_owned());
        }
        let Some(generated) = self.0.get("podsGenerated") else {
            return Ok(self.0.get("pods").and_then(Value::as_array).unwrap_or(&[]).to_vec());
        };
        let count = generated.get("count").and_then(Value::as_i64).unwrap();
        let pod = generated.get("pod").unwrap();
        let copy = |i: i64| {
            let name = generated.find_str(&["namePattern"]).replace("{i}", &i.to_string());
            let metadata = with(pod.get("metadata").unwrap(), [("name", Value::from(name))]);
            with(pod, [("metadata", metadata)])
        };
        Ok((0..count).map(copy).collect())
    }

    fn is_time_up(&self) -> bool {
        self.0.get("contextCancelled").is_some()
    }
}

/// A case of suite `psa-admission` with its response.
fn answer(case: &Value) -> Value {
    let config = Config::read(&case.get("config").map_or_else(String::new, to_json)).unwrap();
    let response = review(&request(case.get("request").unwrap()), &config, &Recorded(case));
    with(case, [("response", response_value(&response))])
}

fn request(value: &Value) -> Request {
    let part = |object: &str, error: &str| match value.get(error) {
        Some(error) => Err(error.as_str().unwrap().to_owned()),
        None => Ok(value.get(object).cloned()),
    };
    let text = |key: &str| value.find_str(&[key]).to_owned();
    Request {
        name: text("name"),
        namespace: text("namespace"),
        resource: Resource {
            group: value.find_str(&["resource", "group"]).to_owned(),
            resource: value.find_str(&["resource", "resource"]).to_owned(),
        },
        subresource: text("subResource"),
        operation: match value.find_str(&["operation"]) {
            "CREATE" => Operation::Create,
            "UPDATE" => Operation::Update,
            "DELETE" => Operation::Delete,
            other => {
                assert_eq!(other, "CONNECT");
                Operation::Connect
            }
        },
        user: text("username"),
        object: part("object", "objectError"),
        old_object: part("oldObject", "oldObjectError"),
    }
}

fn response_value(response: &Response) -> Value {
    let notes: Map =
        response.audit_annotations.iter().map(|(key, text)| (*key, Value::from(text.as_str()))).collect();
    object([
        ("allowed", Value::from(response.allowed)),
        ("status", response.status.as_ref().map_or(Value::Null, status_value)),
        ("warnings", list(&response.warnings)),
        ("auditAnnotations", if notes.is_empty() { Value::Null } else { Value::object(notes) }),
    ])
}

fn status_value(status: &Status) -> Value {
    let details = status.details.as_ref().map_or(Value::Null, |details| {
        let causes = details.causes.iter().map(|cause| {
            object([
                ("reason", unless_empty(cause.reason)),
                ("message", Value::from(cause.message.as_str())),
                ("field", unless_empty(&cause.field)),
            ])
        });
        let causes: Vec<Value> = causes.collect();
        object([
            ("name", unless_empty(&details.name)),
            ("group", unless_empty(&details.group)),
            ("kind", unless_empty(&details.kind)),
            ("causes", if causes.is_empty() { Value::Null } else { Value::array(causes) }),
        ])
    });
    object([
        ("metadata", Value::object(Map::new())),
        ("status", Value::from("Failure")),
        ("message", Value::from(status.message.as_str())),
        ("reason", Value::from(status.reason)),
        ("details", details),
        ("code", Value::from(i64::from(status.code))),
    ])
}

/// A case of suite `psa-config` with what the file says.
fn config_answer(case: &Value) -> Value {
    match Config::read(case.find_str(&["input"])) {
        Ok(config) => with(case, [("ok", Value::from(true)), ("config", config_value(&config))]),
        Err(error) => {
            let stage = match error.stage {
                Stage::Load => "load",
                Stage::Complete => "complete",
                Stage::Validate => "validate",
            };
            let entries = [
                ("ok", Value::from(false)),
                ("stage", Value::from(stage)),
                ("error", Value::from(error.message)),
            ];
            with(case, entries)
        }
    }
}

fn config_value(config: &Config) -> Value {
    let names = |names: &Option<Vec<String>>| match names {
        Some(names) => Value::array(names.iter().map(|name| Value::from(name.as_str())).collect()),
        None => Value::Null,
    };
    let exemptions: Map = [
        ("usernames", names(&config.exemptions.usernames)),
        ("runtimeClasses", names(&config.exemptions.runtime_classes)),
        ("namespaces", names(&config.exemptions.namespaces)),
    ]
    .into_iter()
    .collect();
    object([("defaults", defaults_value(&config.defaults)), ("exemptions", Value::object(exemptions))])
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

#[test]
fn admission_decides_and_speaks_as_the_original() {
    let Some(rows) = rows("admission.jsonl") else { return };
    hold_each("admission.jsonl", &rows, answer);
}

#[test]
fn configuration_files_are_read_and_refused_as_by_the_original() {
    let Some(rows) = rows("admission-config.jsonl") else { return };
    hold_each("admission-config.jsonl", &rows, |row| {
        let asked =
            object([("id", row.get("id").cloned().unwrap()), ("input", row.get("input").cloned().unwrap())]);
        config_answer(&asked)
    });
}
