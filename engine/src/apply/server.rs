//! What an API server makes of a resource between its policies.
//!
//! In: a resource as policies have left it. Out: the resource as the next ones see it; a request that the server ends is an error of
//! the policy that changed the resource last.
//! Mirrors: k8s.io/apiserver pkg/admission/plugin/webhook/mutating/dispatcher.go, pkg/registry/rest/{create,update}.go.

use super::visit::Visit;
use super::{Effect, PolicyResult, RuleResult, RuleType, Status};
use crate::load::Arrived;
use crate::resource::{Gvk, Resource};
use engine_json::{Value, quote};
use std::borrow::Cow;
use std::sync::Arc;

/// Reads a resource anew that policies have changed, and fills it in; the results from `begin` on are those of the policies.
pub(super) fn read_again<'r>(
    visit: &Visit<'_>,
    resource: Cow<'r, Resource>,
    begin: usize,
    results: &mut [PolicyResult],
) -> Cow<'r, Resource> {
    let changed = |result: &&mut PolicyResult| result.mutation.as_ref().is_some_and(|made| made.changed);
    let Some(server) = visit.bundle.server else { return resource };
    let results = results.get_mut(begin..).unwrap_or_default();
    let Some(last) = results.iter_mut().rfind(changed) else { return resource };
    let made = resource.value.with_int_numbers();
    let Arrived { object, fault, .. } = (server.stored)(&made);
    let fault = fault.filter(|fault| fault.is_fatal).map(|fault| fault.words);
    let fault = fault.or_else(|| moved(visit.given, &object)).or_else(|| {
        let known = (server.invalid)(&visit.given.value);
        let fault = (server.invalid)(&object).into_iter().find(|fault| !known.contains(fault))?;
        Some(refused(&object, &fault))
    });
    if let Some(words) = fault {
        let policy = visit.bundle.policies.get(last.policy).map(|policy| policy.name.clone());
        let message = format!("the API server ends the request: {words}");
        let row =
            RuleResult::of_policy(policy.unwrap_or_default(), RuleType::Mutation, Status::Error, message);
        last.rules.push(RuleResult { effect: Some(Effect::Deny), ..row });
        return resource;
    }
    if object == made {
        return resource;
    }
    for mutation in results.iter_mut().filter_map(|result| result.mutation.as_mut()) {
        if mutation.resource.with_int_numbers() == made {
            mutation.resource = object.clone();
        }
    }
    Cow::Owned(Resource::new(object.with_float_numbers(), resource.document))
}

/// The answer to an object that is not valid.
// k8s.io/apimachinery: errors.NewInvalid.
fn refused(object: &Value, fault: &str) -> String {
    let gvk = Gvk::new(object.find_str(&["apiVersion"]), object.find_str(&["kind"]));
    let dot = if gvk.group.is_empty() { "" } else { "." };
    let name = quote(object.find_str(&["metadata", "name"]));
    format!("{}{dot}{} {name} is invalid: {fault}", gvk.kind, gvk.group)
}

/// Why an object may not be where policies have moved it.
// k8s.io/apiserver: rest.EnsureObjectNamespaceMatchesRequestNamespace.
fn moved(given: &Resource, made: &Value) -> Option<String> {
    let is_moved = given.namespace() != made.find_str(&["metadata", "namespace"]);
    is_moved.then(|| {
        "the namespace of the provided object does not match the namespace sent on the request".to_owned()
    })
}

/// Whether nothing was changed.
pub(super) fn is_same(one: &Resource, other: &Resource) -> bool {
    match (&one.value, &other.value) {
        (Value::Object(one), Value::Object(other)) => Arc::ptr_eq(one, other),
        (one, other) => one == other,
    }
}

/// A resource as policies see it that validate.
pub(super) fn created<'r>(visit: &Visit<'_>, resource: &'r Resource) -> Cow<'r, Resource> {
    let Some(server) = visit.bundle.server else { return Cow::Borrowed(resource) };
    let now = visit.evaluator.world().now();
    let old = visit.bundle.old_resources.first(&resource.gvk, resource.namespace(), resource.name());
    let old = old.map(|old| server.before(old, now));
    let made = (server.created)(&resource.value, old.as_ref(), now);
    Cow::Owned(Resource::new(made.with_float_numbers(), resource.document))
}
