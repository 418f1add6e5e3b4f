//! Pod Security Admission as a part of the policy.
//!
//! In: a request. Out: what the API server's own admission would say to it, given the defaults and exemptions of the settings and the
//! labels of the namespace.

use crate::answer::Answer;
use crate::loaded::Loaded;
use crate::path::Asked;
use crate::request::{Operation, Request};
use crate::world::Cluster as Kubernetes;
use engine_json::{Map, Value};
use engine_podsecurity::admission::{self, Cluster, Config, Resource, Response, Status};

/// What Pod Security Admission says; `changed` is the object, where policies have changed it.
pub(crate) fn review(
    config: &Config,
    request: &Request,
    changed: Option<&Value>,
    loaded: &Loaded,
    world: &Kubernetes<'_>,
) -> Answer {
    let text = |path: &[&str]| request.sent.find_str(path).to_owned();
    let object = |field: &str| request.sent.get(field).filter(|value| !value.is_null()).cloned();
    let asked = admission::Request {
        name: text(&["name"]),
        namespace: text(&["namespace"]),
        resource: Resource { group: text(&["resource", "group"]), resource: text(&["resource", "resource"]) },
        subresource: text(&["subResource"]),
        operation: match request.operation {
            Operation::Create => admission::Operation::Create,
            Operation::Update => admission::Operation::Update,
            Operation::Delete => admission::Operation::Delete,
            Operation::Connect => admission::Operation::Connect,
        },
        user: text(&["userInfo", "username"]),
        object: Ok(changed.cloned().or_else(|| object("object"))),
        old_object: Ok(object("oldObject")),
    };
    let Response { allowed, status, warnings, audit_annotations } =
        admission::review(&asked, config, &Known { loaded, world });
    let refusal = (!allowed).then(|| match status {
        Some(Status { message, code, .. }) => (message, code),
        None => (String::new(), crate::answer::BAD_REQUEST),
    });
    let audit_annotations =
        audit_annotations.iter().map(|(key, text)| ((*key).to_owned(), text.clone())).collect();
    Answer { refusal, warnings, audit_annotations, mutated_object: None }
}

/// What is known of the cluster: labels of namespaces by the settings, and all else by the host.
struct Known<'k> {
    loaded: &'k Loaded,
    world: &'k Kubernetes<'k>,
}

impl Cluster for Known<'_> {
    fn namespace(&self, name: &str) -> Result<Value, String> {
        let given = self.loaded.namespace_labels.iter().find(|(known, _)| known == name);
        let Some((_, labels)) = given else { return self.world.namespace(name) };
        let labels: Map =
            labels.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect();
        let metadata: Map =
            [("name", Value::from(name)), ("labels", Value::object(labels))].into_iter().collect();
        Ok(Value::object([("metadata", Value::object(metadata))].into_iter().collect()))
    }

    fn pods(&self, namespace: &str) -> Result<Vec<Value>, String> {
        let (api_version, kind) = ("v1".to_owned(), "Pod".to_owned());
        let list = self.world.list(&Asked { api_version, kind, namespace, name: "" })?;
        Ok(list.get("items").and_then(Value::as_array).unwrap_or_default().to_vec())
    }
}
