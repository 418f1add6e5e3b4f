//! An admission request: what is asked, of which object, by whom.
//!
//! In: the `request` of an AdmissionReview as JSON. Out: a [`Request`], or why it cannot be read.
//! Mirrors: pkg/utils/admission/{resource,new_resources}.go of Kyverno 1.19.

use crate::subresource::parent;
use engine::matching::UserInfo;
use engine::resource::{DocumentId, Gvk, Resource, is_cluster_scoped, plural};
use engine_json::{Map, Str, Value};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
    Connect,
}

impl Operation {
    /// As Kubernetes writes it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
            Operation::Connect => "CONNECT",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Operation::Create, Operation::Update, Operation::Delete, Operation::Connect]
            .into_iter()
            .find(|operation| operation.as_str() == text)
    }
}

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    /// All of it, as it was sent.
    pub(crate) sent: Value,
    /// What is asked for.
    pub(crate) operation: Operation,
    /// The object that policies are asked about: of a deletion the one that goes.
    pub(crate) resource: Resource,
    /// The object before an update.
    pub(crate) old: Option<Resource>,
    /// Who asks.
    pub(crate) user: UserInfo,
    /// The namespace of the request; empty for none.
    pub(crate) namespace: Str,
    /// The kind and the name of a subresource, such as `pods/exec`, and the kind whose subresource it is.
    pub(crate) subresource: Option<(Value, Value)>,
}

impl Request {
    /// Reads a request.
    pub(crate) fn read(sent: &Value) -> Result<Self, String> {
        if sent.as_object().is_none() {
            return Err("`request` must be an object".to_owned());
        }
        let text = |path: &[&str]| sent.find_str(path);
        let operation = Operation::read(text(&["operation"]))
            .ok_or_else(|| format!("`{}` is not an operation", text(&["operation"])))?;
        let kind = text(&["kind", "kind"]);
        if kind.is_empty() {
            return Err("`kind.kind` is missing".to_owned());
        }
        let gvk = gvk_of(sent, kind);
        let object = |field: &str| match sent.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(resource(value, sent, &gvk))),
            Some(_) => Err(format!("`{field}` must be an object")),
        };
        let (new, old) = (object("object")?, object("oldObject")?);
        let (resource, old) = match operation {
            Operation::Delete => (old.or(new), None),
            Operation::Update => (new, old),
            Operation::Create | Operation::Connect => (new.or(old), None),
        };
        // A request for a collection is sent without its objects.
        let resource = resource.unwrap_or_else(|| bare(sent, &gvk));
        Ok(Request {
            operation,
            resource,
            old,
            user: user(sent.get("userInfo").unwrap_or(&Value::Null)),
            namespace: Str::from(text(&["namespace"])),
            subresource: subresource(sent, &gvk),
            sent: sent.clone(),
        })
    }
}

/// The request with which somebody would create an object, as far as the object says it; of a namespaced one without a namespace, in
/// `default`.
pub fn creating(object: &Value) -> Value {
    let api_version = object.find_str(&["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = object.find_str(&["kind"]);
    let namespace = match object.find_str(&["metadata", "namespace"]) {
        "" if !is_cluster_scoped(api_version, kind) => "default",
        namespace => namespace,
    };
    let texts = |entries: &[(&str, &str)]| {
        Value::object(entries.iter().map(|(key, text)| (*key, Value::from(*text))).collect::<Map>())
    };
    let place = [("group", group), ("version", version)];
    let entries = [
        ("operation", Value::from("CREATE")),
        ("kind", texts(&[place.as_slice(), &[("kind", kind)]].concat())),
        ("resource", texts(&[place.as_slice(), &[("resource", &plural(kind))]].concat())),
        ("name", Value::from(object.find_str(&["metadata", "name"]))),
        ("namespace", Value::from(namespace)),
        ("userInfo", texts(&[])),
        ("object", object.clone()),
    ];
    Value::object(entries.into_iter().collect::<Map>())
}

fn gvk_of(sent: &Value, kind: &str) -> Gvk {
    Gvk {
        group: Str::from(sent.find_str(&["kind", "group"])),
        version: Str::from(sent.find_str(&["kind", "version"])),
        kind: Str::from(kind),
    }
}

fn api_version(gvk: &Gvk) -> String {
    if gvk.group.is_empty() { gvk.version.to_string() } else { format!("{}/{}", gvk.group, gvk.version) }
}

/// An object of a request.
// Kyverno: ConvertResource sets the kind and the namespace of the request.
fn resource(object: &Value, sent: &Value, gvk: &Gvk) -> Resource {
    let mut object = object.with_int_numbers().with_float_numbers();
    if let Some(fields) = object.object_mut() {
        fields.insert("apiVersion", Value::from(api_version(gvk)));
        fields.insert("kind", Value::String(gvk.kind.clone()));
        let namespace = sent.find_str(&["namespace"]);
        if gvk.kind == "Namespace" {
            if let Some(metadata) = fields.get_mut("metadata").and_then(Value::object_mut) {
                metadata.remove("namespace");
            }
        } else if !namespace.is_empty() {
            if fields.get("metadata").and_then(Value::as_object).is_none() {
                fields.insert("metadata", Value::object(Map::new()));
            }
            if let Some(metadata) = fields.get_mut("metadata").and_then(Value::object_mut) {
                metadata.insert("namespace", Value::from(namespace));
            }
        }
    }
    Resource::new(object, DocumentId(u32::MAX))
}

/// What is known of an object that was not sent.
fn bare(sent: &Value, gvk: &Gvk) -> Resource {
    let metadata: Map = [("name", Value::from(sent.find_str(&["name"])))].into_iter().collect();
    let object: Map = [("metadata", Value::object(metadata))].into_iter().collect();
    resource(&Value::object(object), sent, gvk)
}

fn subresource(sent: &Value, gvk: &Gvk) -> Option<(Value, Value)> {
    let name = Some(sent.find_str(&["subResource"])).filter(|name| !name.is_empty())?;
    let plural = sent.find_str(&["resource", "resource"]);
    let kind = parent(plural).unwrap_or(&gvk.kind);
    let entry = |of: [(&str, &str); 4]| {
        let entries = of.into_iter().filter(|(_, text)| !text.is_empty());
        Value::object(entries.map(|(key, text)| (key, Value::from(text))).collect())
    };
    let full = format!("{plural}/{name}");
    let of_object =
        entry([("group", &gvk.group), ("version", &gvk.version), ("kind", &gvk.kind), ("name", &full)]);
    let (group, version) = (sent.find_str(&["resource", "group"]), sent.find_str(&["resource", "version"]));
    Some((of_object, entry([("group", group), ("version", version), ("kind", kind), ("name", plural)])))
}

fn user(info: &Value) -> UserInfo {
    let texts = |value: Option<&Value>| {
        let list = value.and_then(Value::as_array).unwrap_or_default();
        list.iter().filter_map(Value::as_str).map(Str::from).collect()
    };
    UserInfo {
        username: Str::from(info.find_str(&["username"])),
        uid: Str::from(info.find_str(&["uid"])),
        groups: texts(info.get("groups")),
        extra: info.get("extra").and_then(Value::as_object).cloned().unwrap_or_default(),
        roles: Vec::new(),
        cluster_roles: Vec::new(),
    }
}
