//! Decodes resources as the host reads them.

use super::{Host, Loader, Role, global_context};
use crate::diag::{Code, Severity};
use crate::resource::{DocumentId, Protocol, Resource, is_cluster_scoped};
use engine_json::{Map, Path, Str, Value};
use engine_yaml::Document;

/// What a document that is not an object of Kubernetes is.
#[derive(Clone, Copy)]
enum Form {
    /// A document of any form.
    Payload,
    /// A request.
    Request(Protocol),
}

impl Loader {
    pub(super) fn resource_document(&mut self, role: Role, id: DocumentId, value: &Value) {
        let is_object = value.get("kind").is_some() || value.get("apiVersion").is_some();
        if role == Role::Resources && !is_object && self.takes_payload(id, value) {
            return;
        }
        let kind = value.find_str(&["kind"]);
        if kind.is_empty() {
            let message = "a resource needs `kind`";
            self.say(id, &Path::root(), Code::NoKind, Severity::Error, message);
            return;
        }
        if value.find_str(&["apiVersion"]).is_empty() {
            self.say_no_version(id, value);
            return;
        }
        if role != Role::OldResources && global_context::is_global_entry(value) {
            self.global_entry_document(id, value);
            return;
        }
        // Kyverno: the command line breaks down on it, a cluster never sees one. What it holds is not let pass unsaid.
        let is_list = role != Role::Opened && kind.ends_with("List");
        if let Some(items) = value.get("items").and_then(Value::as_array).filter(|_| is_list) {
            let count = items.len();
            let objects = if count == 1 {
                "the object in it is".to_owned()
            } else {
                format!("the {count} objects in it are")
            };
            let message = format!("a `{kind}` is evaluated as one object; {objects} not evaluated");
            self.say(id, &Path::root().join("items"), Code::UnopenedList, Severity::Error, message);
            if let Some(diagnostic) = self.diagnostics.pop() {
                let hint = "`podsieve apply --open-lists` reads each item; or write each as a document of its own: `kubectl get … -o json | jq -r '.items[] | \"---\", tojson'` does it";
                self.diagnostics.push(diagnostic.hint(hint));
            }
        }
        let is_evaluated = matches!(role, Role::Resources | Role::Opened);
        let Some(value) = (if is_evaluated { self.arrived(id, value) } else { Some(self.kept(value)) })
        else {
            return;
        };
        let resource = resource(&value, id, self.host, self.extension.defaults);
        match role {
            Role::OldResources => self.bundle.old_resources.push(resource),
            Role::ClusterResources => self.bundle.cluster_resources.push(resource),
            Role::Parameters => self.bundle.settings.parameters.push(resource),
            _ => self.bundle.resources.push(resource),
        }
    }

    /// Reads a document that is not an object of Kubernetes as a payload or a request, if policies are asked about such; whether
    /// they are.
    // The Playground: what its one text holds follows from the mode of the policies.
    fn takes_payload(&mut self, id: DocumentId, value: &Value) -> bool {
        let form = self.wanted_form();
        match form {
            None => {}
            Some(Form::Payload) => self.payload_document(id, value, None),
            Some(Form::Request(protocol)) => self.payload_document(id, value, Some(protocol)),
        }
        form.is_some()
    }

    /// What else than objects of Kubernetes the policies are asked about.
    fn wanted_form(&self) -> Option<Form> {
        let (mut is_payload, mut protocol) = (false, None);
        for body in self.bundle.policies.iter().filter_map(|policy| policy.body.as_deref()) {
            is_payload |= body.takes_payloads();
            protocol = protocol.max(body.protocol());
        }
        let form = if is_payload { Some(Form::Payload) } else { protocol.map(Form::Request) };
        form.filter(|_| self.host != Host::Cli)
    }

    /// The documents that a document is: the elements of a list in JSON are a payload each.
    // The Playground: one object or an array, as JSON. Each element is JSON as well, and so read by itself.
    pub(super) fn payloads_of(&self, role: Role, document: Document) -> Vec<Document> {
        let text = self.bundle.source(document.source).map_or("", |(_, source)| &*source.text);
        let is_list = || {
            text.get(document.span.start as usize..).is_some_and(|text| text.trim_start().starts_with('['))
        };
        let is_wanted = |list: &&[Value]| !list.is_empty() && role == Role::Resources && is_list();
        let elements = document.value.as_array().filter(is_wanted);
        let Some(elements) = elements.filter(|_| self.wanted_form().is_some()) else { return vec![document] };
        let spans = document.spans(text);
        let element = |(at, value): (usize, &Value)| {
            let span = spans.value_span(&Path::root().join(at))?;
            Some(Document { source: document.source, span, value: value.clone() })
        };
        elements.iter().enumerate().filter_map(element).collect()
    }

    /// A document of any form; one that is not a map is refused.
    // Kyverno: payload.Load; the CLI breaks down on anything but a map.
    pub(super) fn payload_document(&mut self, id: DocumentId, value: &Value, protocol: Option<Protocol>) {
        if value.as_object().is_none() {
            let message = "a payload must be a map: it is not evaluated";
            self.say(id, &Path::root(), Code::WrongType, Severity::Error, message);
            return;
        }
        // Go: what is read as JSON has no whole numbers.
        let source = self.bundle.document(id).and_then(|document| self.bundle.source(document.source));
        let is_json = source.is_some_and(|(_, source)| {
            let is_named = source.name.rsplit('.').next() == Some("json");
            is_named || self.host != Host::Cli && source.text.trim_start().starts_with(['{', '['])
        });
        let value = if is_json && protocol.is_none() { value.with_float_numbers() } else { value.clone() };
        self.bundle.resources.push(Resource { is_payload: true, protocol, ..Resource::new(value, id) });
    }

    /// A document that is neither blank nor a comment, and still holds nothing: two lines `---` at the start of a text,
    /// say.
    // Kyverno: ext/yaml/split.go leaves the first of them in the document, and its reader of objects ends the run.
    pub(super) fn say_empty(&mut self, role: Role, id: DocumentId) {
        if matches!(role, Role::Resources | Role::OldResources | Role::ClusterResources) {
            let message = "a resource needs `kind`: this document holds nothing";
            self.say(id, &Path::root(), Code::NoKind, Severity::Error, message);
            if let Some(diagnostic) = self.diagnostics.pop() {
                let hint =
                    "remove one of the two `---` lines in a row; `kyverno apply` does not read such a file";
                self.diagnostics.push(diagnostic.hint(hint));
            }
        }
    }

    /// Kyverno's loaders look for the version of an object before anything else, and take none without it.
    fn say_no_version(&mut self, id: DocumentId, value: &Value) {
        let version = value.get("apiVersion").filter(|version| !version.is_null());
        let (code, message) = if version.is_some_and(|version| version.as_str().is_none()) {
            (Code::WrongType, "`apiVersion` of a resource must be a string: it is not evaluated")
        } else {
            (Code::NoKind, "a resource needs `apiVersion`: it is not evaluated")
        };
        self.say(id, &Path::root().join("apiVersion"), code, Severity::Error, message);
    }
}

/// The object as the host sees it.
pub fn resource(value: &Value, id: DocumentId, host: Host, defaults: fn(&Value) -> Value) -> Resource {
    match host {
        Host::Cli | Host::Cluster => Resource::new(normalized(value), id),
        Host::Playground => {
            let filled = defaults(value);
            Resource { typed: filled.with_int_numbers(), ..Resource::new(filled.with_float_numbers(), id) }
        }
    }
}

/// The object as the CLI sees it.
fn normalized(value: &Value) -> Value {
    // Kyverno: every number of a resource is a float64 (ProcessResources). Before, apimachinery has made integers of
    // whole numbers, which takes the sign of a zero away.
    let mut value = value.with_int_numbers().with_float_numbers();
    let namespace = value.find_str(&["metadata", "namespace"]);
    if namespace.is_empty() && !is_cluster_scoped(value.find_str(&["apiVersion"]), value.find_str(&["kind"]))
    {
        set_namespace(&mut value);
    }
    fill_null_maps(&mut value);
    value
}

fn set_namespace(value: &mut Value) {
    let Some(object) = value.object_mut() else { return };
    if object.get("metadata").is_none_or(Value::is_null) {
        object.insert("metadata", Value::object(Map::new()));
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::object_mut) {
        metadata.insert("namespace", Value::String(Str::new_static("default")));
    }
}

/// Keys whose missing value is an empty map.
// Kyverno: normalizeNilMaps.
const MAPS: &[&str] = &["annotations", "labels", "matchLabels", "nodeSelector", "data", "stringData"];

fn fill_null_maps(value: &mut Value) {
    if has_null_map(value) {
        fill(value);
    }
}

fn has_null_map(value: &Value) -> bool {
    match value {
        Value::Object(map) => map
            .iter()
            .any(|(key, item)| (item.is_null() && MAPS.contains(&key.as_str())) || has_null_map(item)),
        Value::Array(list) => list.iter().any(has_null_map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn fill(value: &mut Value) {
    if let Some(map) = value.object_mut() {
        for (key, item) in map.iter_mut() {
            if item.is_null() && MAPS.contains(&key.as_str()) {
                *item = Value::object(Map::new());
            } else {
                fill(item);
            }
        }
    } else if let Some(list) = value.array_mut() {
        list.iter_mut().for_each(fill);
    }
}
