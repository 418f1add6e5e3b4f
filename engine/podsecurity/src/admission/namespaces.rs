//! Requests for Namespaces: their labels must say something, and a stricter one is tried on what already runs.
//!
//! In: a request for a Namespace. Out: a response; with a new `enforce` level one warning for each list of reasons:
//! `web-1 (and 2 other pods): hostPort, privileged`.

use super::policy::has_label;
use super::{Cluster, Config, LevelVersion, Mode, Operation, Policy, Request, Response, is_kind};
use crate::{Level, PodView, aggregate, evaluate};
use engine_json::arrange::Arrange as _;
use engine_json::ordered::{OrderedMap, OrderedSet};
use engine_json::{Map, Value, quote};

/// How many Pods of a namespace are looked at.
const MAX_PODS: usize = 3000;

pub(super) fn review(request: &Request, config: &Config, cluster: &dyn Cluster) -> Response {
    if !request.subresource.is_empty() {
        return Response::allow();
    }
    let namespace = match &request.object {
        Err(why) => return Response::bad_request("failed to decode object", Some(why)),
        Ok(Some(namespace)) if is_kind(namespace, "", "Namespace") => namespace,
        Ok(_) => return Response::bad_request("failed to decode namespace", None),
    };
    match request.operation {
        Operation::Create => {
            let (policy, errors) = Policy::of_labels(labels(namespace), config.defaults);
            if !errors.is_empty() {
                return Response::invalid(request, &errors);
            }
            let mut response = Response::allow();
            if config.exemptions.has_namespace(&request.namespace) {
                response.warnings.extend(exempt_warning(namespace, &policy, config));
            }
            response
        }
        Operation::Update => match &request.old_object {
            // Go: these two texts have two spaces.
            Err(why) => Response::bad_request("failed to decode  old object", Some(why)),
            Ok(Some(old)) if is_kind(old, "", "Namespace") => {
                update(request, namespace, old, config, cluster)
            }
            Ok(_) => Response::bad_request("failed to decode  old namespace", None),
        },
        Operation::Delete | Operation::Connect => Response::allow(),
    }
}

fn update(
    request: &Request,
    namespace: &Value,
    old: &Value,
    config: &Config,
    cluster: &dyn Cluster,
) -> Response {
    let (policy, errors) = Policy::of_labels(labels(namespace), config.defaults);
    let (old_policy, old_errors) = Policy::of_labels(labels(old), config.defaults);
    if !errors.is_empty() && errors != old_errors {
        return Response::invalid(request, &errors);
    }
    let (new, before) = (policy.enforce, old_policy.enforce);
    let relaxed = new.version == before.version && new.level <= before.level;
    if new == before || new.level == Level::Privileged || relaxed {
        return Response::allow();
    }
    let mut response = Response::allow();
    if config.exemptions.has_namespace(&request.namespace) {
        response.warnings.extend(exempt_warning(namespace, &policy, config));
    } else {
        response.warnings = try_on_pods(namespace.find_str(&["metadata", "name"]), new, config, cluster);
    }
    response
}

fn labels(namespace: &Value) -> Option<&Map> {
    namespace.find(&["metadata", "labels"]).and_then(Value::as_object)
}

/// What is said to an exempt namespace about labels that will do nothing.
fn exempt_warning(namespace: &Value, policy: &Policy, config: &Config) -> Option<String> {
    if policy.is_fully_privileged() || policy.is_equivalent(&config.defaults) {
        return None;
    }
    let modes = Mode::ALL
        .into_iter()
        .filter(|mode| policy.mode(*mode).level != Level::Privileged && has_label(labels(namespace), *mode));
    let listed: Vec<String> = modes.map(|mode| format!("{}={}", mode.name(), policy.mode(mode))).collect();
    let name = quote(namespace.find_str(&["metadata", "name"]));
    let listed = listed.join(", ");
    Some(format!("namespace {name} is exempt from Pod Security, and the policy ({listed}) will be ignored"))
}

/// The warnings about Pods of the namespace that a new level would refuse.
fn try_on_pods(
    namespace: &str,
    enforce: LevelVersion,
    config: &Config,
    cluster: &dyn Cluster,
) -> Vec<String> {
    let Ok(pods) = cluster.pods(namespace) else {
        return vec!["failed to list pods while checking new PodSecurity enforce level".to_owned()];
    };
    let pods = prioritized(&pods, config);
    let mut checked = 0;
    // For each list of reasons the first name in byte order, and how many Pods share it.
    let mut found: OrderedMap<String, (&str, usize)> = OrderedMap::new();
    for pod in pods.iter().take(MAX_PODS) {
        checked += 1;
        let results = evaluate(enforce.level, enforce.version, &PodView::whole(pod));
        if !aggregate::is_allowed(&results) {
            let name = pod.find_str(&["metadata", "name"]);
            let entry = found.entry(aggregate::reason(&results)).or_insert((name, 0));
            *entry = (entry.0.min(name), entry.1 + 1);
        }
        if cluster.is_time_up() {
            break;
        }
    }
    let mut warnings = Vec::new();
    if checked < pods.len() {
        let total = pods.len();
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {checked} of {total} existing pods"
        ));
    }
    if !found.is_empty() {
        let namespace = quote(namespace);
        warnings.push(format!(
            "existing pods in namespace {namespace} violate the new PodSecurity enforce level \"{enforce}\""
        ));
    }
    let mut lines: Vec<String> =
        found.iter().map(|(reasons, (name, count))| line(name, *count, reasons)).collect();
    lines.arrange();
    warnings.extend(lines);
    warnings
}

fn line(name: &str, count: usize, reasons: &str) -> String {
    match count {
        1 => format!("{name}: {reasons}"),
        2 => format!("{name} (and 1 other pod): {reasons}"),
        count => format!("{name} (and {} other pods): {reasons}", count - 1),
    }
}

/// The Pods in the order in which they are looked at: replicas of a controller after its first wait for the end, Pods
/// with an exempt runtime class do not count.
fn prioritized<'p>(pods: &'p [Value], config: &Config) -> Vec<&'p Value> {
    let (mut first, mut replicas, mut seen) = (Vec::new(), Vec::new(), OrderedSet::new());
    for pod in pods {
        if config.exemptions.has_runtime_class(pod.get("spec").unwrap_or(&Value::Null)) {
            continue;
        }
        let owners = pod.find(&["metadata", "ownerReferences"]).and_then(Value::as_array).unwrap_or(&[]);
        let controller =
            owners.iter().find(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true));
        let is_new = controller.is_none_or(|owner| seen.insert(owner.find_str(&["uid"])));
        if is_new { first.push(pod) } else { replicas.push(pod) }
    }
    first.append(&mut replicas);
    first
}
