//! The request as the Kyverno CLI makes it: values can replace the operation and even fields of the object.
//! Mirrors: cmd/cli/kubectl-kyverno/processor/policy_processor.go makePolicyContext, variables/variables.go.

use super::{Admission, parent_kind};
use crate::context::{Evaluator, JsonContext};
use crate::load::{Bundle, Host, usual_operation};
use crate::resource::Resource;
use engine_json::{Str, Value};
use std::sync::Arc;

pub(super) fn admit(
    bundle: &Bundle,
    policy: &str,
    resource: &Resource,
    evaluator: &Evaluator<'_>,
) -> Admission {
    let settings = &bundle.settings;
    let mut values = settings.global_values.clone();
    values.extend(settings.values_for(policy, resource.name()).into_iter().flatten().cloned());
    let given = values.iter().rfind(|(key, _)| key == "request.operation");
    let operation = given.and_then(|(_, value)| value.as_str()).map(Str::new);
    let (gvk, subresource) = parent_kind(bundle, resource);
    let old = bundle.old_resources.first(&resource.gvk, resource.namespace(), resource.name());
    // An object that was there before is updated, where nobody says otherwise.
    let default = match subresource.as_str() {
        _ if old.is_some() => "UPDATE",
        // Kyverno: what a values file declares changes the kind alone.
        of if bundle.host == Host::Cluster || settings.subresource.is_some() => usual_operation(of),
        _ => "CREATE",
    };
    let mut admission = Admission {
        resource: resource.clone(),
        gvk,
        subresource,
        old_resource: None,
        operation: operation
            .or_else(|| settings.operation.clone())
            .unwrap_or_else(|| Str::new_static(default)),
        user: settings.user.clone().unwrap_or_default(),
        config: Arc::clone(&settings.config),
        values,
        request: settings.request.as_ref().map(|sent| with_object(sent, resource)),
        tells_user: settings.user.is_some(),
    };
    if admission.operation == "UPDATE" {
        // Kyverno: the CLI takes the resource itself for the old one.
        admission.old_resource = Some(old.unwrap_or(resource).clone());
    }
    replace_by_values(&mut admission, evaluator);
    admission
}

/// A request as it was sent, with the object as policies have left it.
// Kyverno: AddRequest, then AddResource after each policy that mutates.
fn with_object(sent: &Value, resource: &Resource) -> Value {
    let mut request = sent.with_float_numbers();
    let is_there = |field: &str| sent.get(field).is_some_and(|value| !value.is_null());
    if is_there("object")
        && let Some(fields) = request.object_mut()
    {
        fields.insert("object", resource.value.clone());
    }
    request
}

/// Reads the objects back from the context where values have changed them.
fn replace_by_values(admission: &mut Admission, evaluator: &Evaluator<'_>) {
    let touches =
        |(key, _): &(Str, Value)| key.starts_with("request.object") || key.starts_with("request.oldObject");
    if !admission.values.iter().any(touches) {
        return;
    }
    let mut context = admission.context(evaluator);
    let document = admission.resource.document;
    let from = if admission.operation == "DELETE" { "request.oldObject" } else { "request.object" };
    if let Ok(object @ Value::Object(_)) = context.query(from) {
        admission.resource = Resource::new(object, document);
    }
    if admission.operation == "UPDATE"
        && let Ok(object @ Value::Object(_)) = context.query("request.oldObject")
    {
        admission.old_resource = Some(Resource::new(object, document));
    }
}

/// The objects of the request in the context.
pub(super) fn add_objects(context: &mut JsonContext<'_>, admission: &Admission) {
    let resource = &admission.resource;
    match admission.operation.as_str() {
        "DELETE" => context.replace(&["request", "oldObject"], resource.value.clone()),
        "UPDATE" => {
            context.replace(&["request", "object"], resource.value.clone());
            let old = admission.old_resource.as_ref().unwrap_or(resource);
            context.replace(&["request", "oldObject"], old.value.clone());
        }
        _ => context.replace(&["request", "object"], resource.value.clone()),
    }
    context.add(&["request", "namespace"], Value::from(resource.namespace()));
}
