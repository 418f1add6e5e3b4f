//! Requests for workloads: Deployments, Jobs and their like.
//!
//! In: a request with a Pod template. Out: a response that always allows, with warnings and audit notes; what cannot
//! be decided is a note too.

use super::evaluation::{Enforcement, of_pod};
use super::{Cluster, Config, Policy, Request, Response, is_kind};
use crate::{Level, pod_of};
use engine_json::Value;

pub(super) fn review(request: &Request, config: &Config, cluster: &dyn Cluster) -> Response {
    if !request.subresource.is_empty() {
        return Response::allow();
    }
    if let Some(response) = config.exemptions.of_request(request) {
        return response;
    }
    let namespace = match cluster.namespace(&request.namespace) {
        Ok(namespace) => namespace,
        Err(why) => {
            let name = engine_json::quote(&request.namespace);
            return Response::allow_noting("error", format!("failed to lookup namespace {name}: {why}"));
        }
    };
    let labels = namespace.find(&["metadata", "labels"]).and_then(Value::as_object);
    let policy = Policy::of_labels(labels, config.defaults);
    let silent = |level| level == Level::Privileged;
    if policy.1.is_empty() && silent(policy.0.warn.level) && silent(policy.0.audit.level) {
        return Response::allow();
    }
    let object = match &request.object {
        Err(why) => return Response::allow_noting("error", format!("failed to decode object: {why}")),
        Ok(object) => object.as_ref().unwrap_or(&Value::Null),
    };
    match pod_of(object) {
        Some(pod) => of_pod(request, config, &policy, &pod, Enforcement::Silent),
        None if is_kind(object, "", "ReplicationController") => Response::allow(),
        None => {
            let (group, version) = object
                .find_str(&["apiVersion"])
                .rsplit_once('/')
                .unwrap_or(("", object.find_str(&["apiVersion"])));
            let kind = object.find_str(&["kind"]);
            let why = format!("unexpected object type: {group}/{version}, Kind={kind}");
            Response::allow_noting("error", format!("failed to extract pod template: {why}"))
        }
    }
}
