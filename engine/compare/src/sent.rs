//! A request as an API server sends it to a webhook.
//!
//! In: a request. Out: an AdmissionRequest, of which policies read what is neither the object nor who asks: `request.name`, `request.kind`.
//! Source: k8s.io/api/admission/v1 `AdmissionRequest`; endpoints/handlers/create.go, which takes the name of a new object from it.

use crate::request::{Operation, Request};
use engine::load::{Bundle, Settings};
use engine::resource::Gvk;
use engine_json::{Map, Value};

/// Fields of a request that the command line does not make up.
const FIELDS: [&str; 10] = [
    "request.name",
    "request.kind",
    "request.resource",
    "request.subResource",
    "request.requestKind",
    "request.requestResource",
    "request.requestSubResource",
    "request.uid",
    "request.dryRun",
    "request.options",
];
/// How deep policies are looked into.
const MAX_DEPTH: usize = 64;

/// Whether a classic policy reads of a request what only a cluster has.
pub(crate) fn is_asked_for(bundle: &Bundle) -> bool {
    // Policies in CEL are given these fields in any case.
    let classic = bundle.documents.iter().map(|document| &document.value);
    let mut classic =
        classic.filter(|document| document.find_str(&["apiVersion"]).starts_with("kyverno.io/"));
    classic.any(|document| mentions(document, 0))
}

fn mentions(value: &Value, depth: usize) -> bool {
    match value {
        // `request.namespace` begins like `request.name`, and is there in any case.
        Value::String(text) => {
            let text = text.replace("request.namespace", "");
            FIELDS.iter().any(|field| text.contains(field))
        }
        Value::Array(items) => depth < MAX_DEPTH && items.iter().any(|item| mentions(item, depth + 1)),
        Value::Object(map) => depth < MAX_DEPTH && map.values().any(|item| mentions(item, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The request, for the object or for a subresource of it.
pub(crate) fn admission_request(request: &Request, subresource: Option<&str>, settings: &Settings) -> Value {
    let text = |text: &str| Value::from(text);
    let object = &request.object;
    let gvk = Gvk::new(object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    let plural = settings.plural(&gvk);
    let Gvk { group, version, kind } = gvk;
    let of_group = [("group", text(&group)), ("version", text(&version))];
    let resource = object_of(of_group.clone().into_iter().chain([("resource", text(&plural))]));
    let kind = object_of(of_group.into_iter().chain([("kind", text(&kind))]));
    let user = &request.attributes.user;
    let groups = user.groups.iter().map(|group| Value::String(group.clone())).collect();
    let user =
        object_of([("username", Value::String(user.username.clone())), ("groups", Value::array(groups))]);
    let (new, old) = match request.attributes.operation {
        Operation::Delete => (Value::Null, object.clone()),
        Operation::Create | Operation::Update | Operation::Connect => {
            (object.clone(), request.attributes.old.clone().unwrap_or_default())
        }
    };
    let sub = subresource.map(text);
    let fields = [
        ("uid", Some(text(""))),
        ("kind", Some(kind.clone())),
        ("resource", Some(resource.clone())),
        ("subResource", sub.clone()),
        ("requestKind", Some(kind)),
        ("requestResource", Some(resource)),
        ("requestSubResource", sub),
        ("name", Some(text(object.find_str(&["metadata", "name"]))).filter(|name| name.as_str() != Some(""))),
        ("namespace", Some(text(object.find_str(&["metadata", "namespace"])))),
        ("operation", Some(text(request.attributes.operation.as_str()))),
        ("userInfo", Some(user)),
        ("object", Some(new)),
        ("oldObject", Some(old)),
        ("dryRun", Some(Value::Bool(request.attributes.is_dry_run))),
    ];
    object_of(fields.into_iter().filter_map(|(name, value)| Some((name, value?))))
}

fn object_of<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    Value::object(entries.into_iter().collect::<Map>())
}
