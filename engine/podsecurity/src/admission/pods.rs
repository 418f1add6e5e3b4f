//! Requests for Pods.
//!
//! In: a request for `pods` or one of their subresources. Out: a response; an update that changes no image and adds no
//! container is let through unseen.

use super::evaluation::{Enforcement, of_pod};
use super::{Cluster, Config, LevelVersion, Operation, Policy, Request, Response, is_kind};
use crate::PodView;
use engine_json::Value;

/// Subresources that carry no Pod. Any other is evaluated, so that a new one fails closed.
const IGNORED: [&str; 8] = ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];

pub(super) fn review(request: &Request, config: &Config, cluster: &dyn Cluster) -> Response {
    if IGNORED.contains(&request.subresource.as_str()) {
        return Response::allow();
    }
    if let Some(response) = config.exemptions.of_request(request) {
        return response;
    }
    let namespace = match cluster.namespace(&request.namespace) {
        Ok(namespace) => namespace,
        Err(why) => return Response::no_namespace(&request.namespace, &why),
    };
    let labels = namespace.find(&["metadata", "labels"]).and_then(Value::as_object);
    let policy = Policy::of_labels(labels, config.defaults);
    if policy.1.is_empty() && policy.0.is_fully_privileged() {
        // Go: the note says `latest` whatever version the labels give.
        return Response::allow_noting("enforce-policy", LevelVersion::PRIVILEGED.to_string());
    }
    let pod = match &request.object {
        Err(why) => return Response::bad_request("failed to decode object", Some(why)),
        Ok(Some(pod)) if is_kind(pod, "", "Pod") => pod,
        Ok(_) => return Response::bad_request("failed to decode pod", None),
    };
    if request.operation == Operation::Update {
        match &request.old_object {
            Err(why) => return Response::bad_request("failed to decode old object", Some(why)),
            Ok(Some(old)) if is_kind(old, "", "Pod") && !is_significant(pod, old) => {
                return Response::allow();
            }
            Ok(Some(old)) if is_kind(old, "", "Pod") => {}
            Ok(_) => return Response::bad_request("failed to decode old pod", None),
        }
    }
    of_pod(request, config, &policy, &PodView::whole(pod), Enforcement::Asked)
}

/// Whether an update brings a new container or a new image; nothing else that matters can change in a Pod.
fn is_significant(pod: &Value, old: &Value) -> bool {
    let list =
        |pod: &'_ Value, name| pod.find(&["spec", name]).and_then(Value::as_array).unwrap_or(&[]).to_vec();
    let same_list = |name| {
        let (new, old) = (list(pod, name), list(old, name));
        new.len() == old.len() && new.iter().zip(&old).all(|(new, old)| same_image(new, old))
    };
    let old_ephemeral = list(old, "ephemeralContainers");
    let known = |container: &Value| {
        let named = |old: &&Value| old.find_str(&["name"]) == container.find_str(&["name"]);
        old_ephemeral.iter().find(named).is_some_and(|old| same_image(container, old))
    };
    !(same_list("containers")
        && same_list("initContainers")
        && list(pod, "ephemeralContainers").iter().all(known))
}

fn same_image(new: &Value, old: &Value) -> bool {
    let image = |container: &Value| container.get("image").filter(|image| !image.is_null()).cloned();
    image(new).unwrap_or_else(|| Value::from("")) == image(old).unwrap_or_else(|| Value::from(""))
}
