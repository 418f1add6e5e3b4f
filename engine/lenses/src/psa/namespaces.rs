//! What the admission says: to each object in its namespace, and to the Namespaces themselves.
//!
//! In: objects, labels of namespaces, a configuration. Out: [`wire::PsaAdmission`] and
//! [`wire::PsaNamespace`]. A namespace that nobody describes has no labels: the cluster's defaults count.

use super::{Object, Options};
use crate::run::Positions;
use crate::wire;
use engine::resource::DocumentId;
use engine::unreadable;
use engine_json::{Map, Path, Value};
use engine_podsecurity::admission::{
    Cluster, Config, Operation, Policy, Request, Resource, Response, review,
};
use std::collections::BTreeMap;

/// The admission over these objects.
pub(super) struct Admission<'a> {
    config: &'a Config,
    user: &'a str,
    /// All namespaces that are named, with their objects.
    namespaces: BTreeMap<String, Known>,
}

struct Known {
    value: Value,
    place: Option<(DocumentId, Path)>,
    is_declared: bool,
    pods: Vec<Value>,
}

/// The name that stands for every namespace.
const EVERY: &str = "*";

impl Known {
    fn undeclared(name: &str) -> Self {
        Known { value: namespace(name, Map::new()), place: None, is_declared: false, pods: Vec::new() }
    }

    /// Sets labels, over those that are there.
    fn label(&mut self, labels: Option<&BTreeMap<String, String>>) {
        let Some(labels) = labels else { return };
        self.is_declared = true;
        let metadata = self.value.make_object().get_mut("metadata").and_then(Value::object_mut);
        let Some(metadata) = metadata else { return };
        if metadata.get("labels").is_none_or(|labels| labels.as_object().is_none()) {
            metadata.insert("labels", Value::object(Map::new()));
        }
        let Some(into) = metadata.get_mut("labels").and_then(Value::object_mut) else { return };
        for (key, value) in labels {
            into.insert(key.as_str(), Value::from(value.as_str()));
        }
    }
}

impl Cluster for Admission<'_> {
    fn namespace(&self, name: &str) -> Result<Value, String> {
        let known = self.namespaces.get(name).map(|known| known.value.clone());
        known.ok_or_else(|| format!("namespaces \"{name}\" not found"))
    }

    fn pods(&self, namespace: &str) -> Result<Vec<Value>, String> {
        Ok(self.namespaces.get(namespace).map(|known| known.pods.clone()).unwrap_or_default())
    }
}

impl<'a> Admission<'a> {
    /// The admission of these objects; labels given beside a Namespace among them count over its own.
    pub(super) fn new(objects: &[Object], options: &'a Options, config: &'a Config) -> Self {
        let mut namespaces = BTreeMap::new();
        for object in objects.iter().filter(|object| object.is_namespace()) {
            let place = Some((object.document, object.base.clone()));
            let known = Known { value: object.value.clone(), place, is_declared: true, pods: Vec::new() };
            namespaces.insert(object.name().to_owned(), known);
        }
        for object in objects.iter().filter(|object| engine_podsecurity::pod_of(&object.value).is_some()) {
            let name = object.namespace();
            let known = namespaces.entry(name.to_owned()).or_insert_with(|| Known::undeclared(name));
            // What no API server reads does not run anywhere.
            if object.kind() == "Pod" && refused_unread(object).is_none() {
                known.pods.push(object.value.clone());
            }
        }
        for name in options.namespace_labels.keys().filter(|name| *name != EVERY) {
            namespaces.entry(name.clone()).or_insert_with(|| Known::undeclared(name));
        }
        for (name, known) in &mut namespaces {
            known.label(options.namespace_labels.get(EVERY));
            known.label(options.namespace_labels.get(name));
        }
        Admission { config, user: &options.user, namespaces }
    }

    /// What is said when the object is created.
    pub(super) fn of_object(&self, object: &Object) -> wire::PsaAdmission {
        if let Some(message) = refused_unread(object) {
            return wire::PsaAdmission { allowed: false, message, ..wire::PsaAdmission::default() };
        }
        let kind = object.kind();
        let group = object.value.find_str(&["apiVersion"]).rsplit_once('/').map_or("", |(group, _)| group);
        let plural = format!("{}s", kind.to_lowercase());
        let name = object.value.find_str(&["metadata", "name"]);
        let mut request = Request::new(&plural, name, object.namespace(), Operation::Create);
        request.resource = Resource { group: group.to_owned(), resource: plural };
        self.user.clone_into(&mut request.user);
        request.object = Ok(Some(object.value.clone()));
        described(review(&request, self.config, self))
    }

    /// All namespaces, by name.
    pub(super) fn namespaces(&self, positions: &Positions<'_>) -> Vec<wire::PsaNamespace> {
        let one = |(name, known): (&String, &Known)| {
            let labels = known.value.find(&["metadata", "labels"]).and_then(Value::as_object);
            let (policy, _) = Policy::of_labels(labels, self.config.defaults);
            wire::PsaNamespace {
                name: name.clone(),
                declared: known.is_declared,
                enforce: policy.enforce.to_string(),
                audit: policy.audit.to_string(),
                warn: policy.warn.to_string(),
                admission: known.is_declared.then(|| self.of_namespace(name, &known.value)),
                advice: None,
                range: known.place.as_ref().and_then(|(document, path)| positions.of_path(*document, path)),
            }
        };
        self.namespaces.iter().map(one).collect()
    }

    /// What is said when the namespace gets its labels: as when it is created, and about the Pods that run in it.
    fn of_namespace(&self, name: &str, value: &Value) -> wire::PsaAdmission {
        let request = |operation| Request {
            user: self.user.to_owned(),
            object: Ok(Some(value.clone())),
            old_object: Ok(Some(namespace(name, Map::new()))),
            ..Request::new("namespaces", name, name, operation)
        };
        let created = review(&request(Operation::Create), self.config, self);
        if !created.allowed || !created.warnings.is_empty() {
            return described(created);
        }
        described(review(&request(Operation::Update), self.config, self))
    }
}

/// The words with which an API server refuses an object that it cannot read, before any admission is asked.
// Go: apiserver/pkg/endpoints/handlers/create.go, transformDecodeError.
fn refused_unread(object: &Object) -> Option<String> {
    let why = unreadable(&engine_podsecurity::pod_of(&object.value)?)?;
    let version = object.value.find_str(&["apiVersion"]).rsplit('/').next().unwrap_or("");
    let kind = object.kind();
    Some(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"))
}

fn namespace(name: &str, labels: Map) -> Value {
    let metadata: Map =
        [("name", Value::from(name)), ("labels", Value::object(labels))].into_iter().collect();
    let entries = [
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("Namespace")),
        ("metadata", Value::object(metadata)),
    ];
    Value::object(entries.into_iter().collect())
}

fn described(response: Response) -> wire::PsaAdmission {
    let audit = response.audit_annotations.into_iter().map(|(key, text)| (key.to_owned(), text));
    wire::PsaAdmission {
        allowed: response.allowed,
        message: response.status.map(|status| status.message).unwrap_or_default(),
        warnings: response.warnings,
        audit: audit.collect(),
    }
}
