//! The request as the Kyverno Playground makes it: a whole AdmissionRequest, as a cluster would send it.
//! Mirrors: kyverno/playground backend/pkg/engine/processor.go newPolicyContext.

use super::{Admission, parent_kind, texts, user_map};
use crate::load::{Bundle, usual_operation};
use crate::matching::UserInfo;
use crate::resource::{Gvk, Resource};
use engine_json::{Map, Str, Value};
use std::sync::Arc;

pub(super) fn admit(bundle: &Bundle, resource: &Resource) -> Admission {
    let settings = &bundle.settings;
    let (gvk, subresource) = parent_kind(bundle, resource);
    let usual = || Str::new_static(usual_operation(&subresource));
    let operation = settings.operation.clone().unwrap_or_else(usual);
    let user = UserInfo { uid: Str::new_static("user-123"), ..settings.user.clone().unwrap_or_default() };
    let old_resource = (operation == "UPDATE").then(|| old_of(bundle, resource)).flatten();
    let mut request = request(resource, old_resource.as_ref(), &operation, &user, settings.dry_run);
    if !subresource.is_empty() {
        request.insert("subResource", Value::String(subresource.clone()));
    }
    Admission {
        resource: resource.clone(),
        gvk,
        subresource,
        old_resource,
        operation,
        config: Arc::clone(&settings.config),
        user,
        values: settings.global_values.clone(),
        request: Some(Value::object(request)),
        tells_user: true,
    }
}

/// The old object of the same kind, namespace and name.
// Kyverno: the Playground pairs by position; a pair by identity is what its users mean.
fn old_of(bundle: &Bundle, resource: &Resource) -> Option<Resource> {
    bundle.old_resources.first(&resource.gvk, resource.namespace(), resource.name()).cloned()
}

fn request(
    resource: &Resource,
    old: Option<&Resource>,
    operation: &str,
    user: &UserInfo,
    dry_run: bool,
) -> Map {
    let Gvk { group, version, kind } = &resource.gvk;
    let gvk = |name: &'static str, value: &str| -> Value {
        let entries = [("group", group.as_str()), ("version", version.as_str()), (name, value)];
        entries.into_iter().map(|(key, text)| (key, Value::from(text))).collect::<Map>().into()
    };
    let mut request = Map::new();
    request.insert("uid", Value::from("abc-123"));
    request.insert("kind", gvk("kind", kind));
    // Kyverno: the plural is made by adding an s, whatever the kind.
    request.insert("resource", gvk("resource", &format!("{}s", kind.to_lowercase())));
    for (key, text) in [("name", resource.name()), ("namespace", resource.namespace())] {
        if !text.is_empty() {
            request.insert(key, Value::from(text));
        }
    }
    request.insert("operation", Value::from(operation));
    request.insert("userInfo", Value::object(user_map(user)));
    let (new, old) = match operation {
        "DELETE" => (Value::Null, resource.value.clone()),
        _ => (resource.value.clone(), old.map_or(Value::Null, |old| old.value.clone())),
    };
    request.insert("object", new);
    request.insert("oldObject", old);
    request.insert("dryRun", Value::Bool(dry_run));
    request.insert("options", Value::Null);
    if !user.roles.is_empty() {
        request.insert("roles", texts(&user.roles));
    }
    if !user.cluster_roles.is_empty() {
        request.insert("clusterRoles", texts(&user.cluster_roles));
    }
    request
}
