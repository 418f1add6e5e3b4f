//! The probes of the Pod's own containers, which Istio's agent answers in their place.
//!
//! In: a Pod. Out: the Pod with every probe that an agent can forward turned into an HTTP probe of port 15020, and the
//! places that changed.
//!
//! Mirrors: pkg/kube/inject/app_probe.go. The host of an `httpGet` stays; that of a `tcpSocket` goes with it.

use crate::data::Row;
use engine_json::{Map, Path, Value};

const PROBES: [(&str, &str); 3] =
    [("readinessProbe", "readyz"), ("livenessProbe", "livez"), ("startupProbe", "startupz")];
const HOOKS: [(&str, &str); 2] = [("preStop", "prestopz"), ("postStart", "poststartz")];
/// The agent's port.
const PORT: i64 = 15020;

/// Rewrites the probes of the containers with these names; gives the places that changed.
pub(crate) fn rewrite(row: Row<'_>, spec: &mut Value, own: &[String]) -> Vec<Path> {
    let mut changed = Vec::new();
    let kinds: Vec<&str> = row
        .0
        .get("probes")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let lists = [("initContainers", row.is("probesOfInit")), ("containers", true)];
    for (key, _) in lists.into_iter().filter(|(_, counts)| *counts) {
        let Some(list) = spec.object_mut().and_then(|spec| spec.get_mut(key)).and_then(Value::array_mut)
        else {
            continue;
        };
        for (at, container) in list.iter_mut().enumerate() {
            let name = container.find_str(&["name"]).to_owned();
            if !own.contains(&name) {
                continue;
            }
            let base = Path::from_keys(&["spec", key]).join(at);
            let Some(container) = container.object_mut() else { continue };
            for (field, end) in PROBES {
                let handler = container.get_mut(field);
                if handler
                    .is_some_and(|handler| forward(handler, &kinds, &format!("/app-health/{name}/{end}")))
                {
                    changed.push(base.join(field));
                }
            }
            let hooks = container
                .get_mut("lifecycle")
                .filter(|_| row.is("probesOfLifecycle"))
                .and_then(Value::object_mut);
            let Some(hooks) = hooks else { continue };
            for (field, end) in HOOKS {
                let handler = hooks.get_mut(field);
                let known = ["httpGet", "tcpSocket"];
                if handler
                    .is_some_and(|handler| forward(handler, &known, &format!("/app-lifecycle/{name}/{end}")))
                {
                    changed.push(base.join("lifecycle").join(field));
                }
            }
        }
    }
    changed
}

/// Turns one probe to the agent; whether there was something to turn.
fn forward(handler: &mut Value, kinds: &[&str], path: &str) -> bool {
    let Some(kind) =
        kinds.iter().find(|kind| handler.get(kind).is_some_and(|value| value.as_object().is_some()))
    else {
        return false;
    };
    let Some(handler) = handler.object_mut() else { return false };
    let mut get = match handler.remove(kind) {
        Some(Value::Object(map)) if *kind == "httpGet" => Map::clone(&map),
        _ => Map::new(),
    };
    get.insert("path", Value::String(path.into()));
    get.insert("port", Value::from(PORT));
    if get.get("scheme").and_then(Value::as_str) == Some("HTTPS") {
        get.insert("scheme", Value::String("HTTP".into()));
    }
    handler.insert("httpGet", Value::object(get));
    true
}
