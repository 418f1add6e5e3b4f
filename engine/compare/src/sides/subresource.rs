//! Requests that add ephemeral containers to a Pod, as `kubectl debug` sends them: they are for `pods/ephemeralcontainers`, not for `pods`.
//!
//! In: a request. Out: what policies are given of it, and what mutation leaves of it. Kyverno asks ClusterPolicies for Pods about these
//! requests too (pkg/controllers/webhook/utils_webhook.go, pkg/engine/utils/match.go); policies in CEL have to name the subresource
//! (pkg/controllers/webhook/utils.go, `buildWebhookRules`), as have those of an API server.

use crate::objects::kinds::{EPHEMERAL_LIST, NAME, map};
use crate::objects::subresources::Subresource;
use crate::request::{Attributes, Operation, Request};
use crate::sent::admission_request;
use crate::sides::side::{Depth, Side};
use engine::body::Effect;
use engine::load::Settings;
use engine::resource::{Gvk, plural};
use engine_json::{Path, Value};

/// Tells policies that the request is for the subresource.
pub(crate) fn tell(settings: &mut Settings, subresource: &str, request: &Request) {
    let text = |text: &str| Value::from(text);
    let entry = |name: &str| {
        Value::object(map([
            ("group", text("")),
            ("version", text("v1")),
            ("kind", text("Pod")),
            ("name", text(name)),
        ]))
    };
    settings.subresources = vec![(entry(&format!("pods/{subresource}")), entry("pods"))];
    settings.request = Some(admission_request(request, Some(subresource), settings));
}

/// The same for a subresource whose object is one of its own.
pub(crate) fn tell_of(settings: &mut Settings, of: &Subresource, request: &Request) {
    let entry = |(version, kind): (&str, &str), name: &str| {
        let Gvk { group, version, kind } = Gvk::new(version, kind);
        Value::object(map([
            ("group", Value::String(group)),
            ("version", Value::String(version)),
            ("kind", Value::String(kind)),
            ("name", Value::from(name)),
        ]))
    };
    let parent = entry(of.parent, &plural(of.parent.1));
    settings.subresources = vec![(entry(of.object, &of.path()), parent)];
    let mut sent = admission_request(request, Some(of.name), settings);
    let parent = Gvk::new(of.parent.0, of.parent.1);
    let resource = Value::object(map([
        ("group", Value::String(parent.group)),
        ("version", Value::String(parent.version)),
        ("resource", Value::from(plural(of.parent.1))),
    ]));
    let fields = sent.make_object();
    fields.insert("resource", resource.clone());
    fields.insert("requestResource", resource);
    if !of.has_metadata() {
        // The name and the namespace of what is connected to stand in the path of the request alone.
        fields.insert("name", Value::from(NAME));
        fields.insert("namespace", Value::from("default"));
    }
    settings.request = Some(sent);
}

/// What an API server keeps of a mutated Pod: its ephemeral containers, everything else stays as it was. `None` where these are as sent.
// Kubernetes: dropNonEphemeralContainerUpdates.
pub(crate) fn kept_of(mutated: &Value, request: &Request) -> Option<Value> {
    let path = Path::from_keys(&["spec", EPHEMERAL_LIST]);
    let mut kept = request.object.clone();
    kept.put(&path, mutated.at_path(path.iter()).cloned());
    (kept != request.object).then_some(kept)
}

/// The creation of the Pod as it was. Where a side reports or refuses that, it decides nothing about the containers that are added: what
/// fails before is reported, and let in or not, by the kind of policy.
pub(crate) fn before(request: &Request) -> Option<Request> {
    let object = request.attributes.old.clone().filter(|_| request.adds_ephemeral())?;
    let attributes = Attributes { operation: Operation::Create, old: None, ..request.attributes.clone() };
    Some(Request { object, attributes })
}

/// Whether both sides let in the Pod to which a request adds ephemeral containers; true of other requests.
pub(crate) fn was_let_in(request: &Request, sides: [&Side<'_>; 2]) -> bool {
    let Some(before) = before(request) else { return true };
    sides.iter().all(|side| side.evaluate(&before, Depth::Decision).effect == Effect::Allow)
}

/// Whether nothing but ephemeral containers is added, and none of those that were there is changed.
pub(crate) fn adds_only(request: &Request) -> bool {
    let path = Path::from_keys(&["spec", EPHEMERAL_LIST]);
    let list = |object: &Value| -> Vec<Value> {
        let list = object.at_path(path.iter()).and_then(Value::as_array);
        list.map(<[Value]>::to_vec).unwrap_or_default()
    };
    let without = |object: &Value| {
        let mut object = object.clone();
        object.put(&path, None);
        object
    };
    let Some(old) = &request.attributes.old else { return false };
    list(&request.object).starts_with(&list(old)) && without(&request.object) == without(old)
}
