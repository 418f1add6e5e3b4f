//! Whether a mesh injects its containers.
//!
//! In: the Pod, its namespace where it is known, the release. Out: yes or no, each with the reason in words.
//!
//! Mirrors: Istio's webhook selectors and pkg/kube/inject/inject.go `injectRequired`; Linkerd's pkg/inject/report.go.

use crate::data::Row;
use crate::object::Workload;
use engine_json::Value;

/// The decision.
pub(crate) enum Decision {
    Inject(String),
    Leave(String),
}

use Decision::{Inject, Leave};

/// What is known of the Pod and its namespace.
struct Known<'v> {
    pod: &'v Value,
    namespace: Option<&'v Value>,
    name: &'v str,
}

impl<'v> Known<'v> {
    fn of_pod(&self, kind: &str, key: &str) -> &'v str {
        self.pod.find_str(&["metadata", kind, key])
    }

    fn of_namespace(&self, kind: &str, key: &str) -> &'v str {
        self.namespace.map_or("", |namespace| namespace.find_str(&["metadata", kind, key]))
    }

    /// What is said where nothing is known of the namespace.
    fn assumed(&self, what: &str) -> Decision {
        Inject(format!(
            "nothing is known of the namespace `{}`: it is taken to ask for it ({what})",
            self.name
        ))
    }
}

/// Decides.
pub(crate) fn decide(row: Row<'_>, mesh: &str, workload: &Workload, namespace: Option<&Value>) -> Decision {
    let known = Known { pod: &workload.pod, namespace, name: &workload.namespace };
    if known.pod.find(&["spec", "hostNetwork"]).and_then(Value::as_bool) == Some(true) {
        return Leave("the Pod uses the host's network".to_owned());
    }
    let never = row.0.get("never").and_then(Value::as_array).unwrap_or_default();
    if never.iter().any(|name| name.as_str() == Some(known.name)) {
        return Leave(format!("the namespace `{}` is never injected", known.name));
    }
    if mesh == "istio" { istio(row, &known) } else { linkerd(row, &known) }
}

const INJECT: &str = "sidecar.istio.io/inject";
const REVISION: &str = "istio.io/rev";

fn is_yes(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "y" | "yes" | "on")
}

fn istio(row: Row<'_>, known: &Known<'_>) -> Decision {
    // The label counts since 1.12, and then over the annotation.
    let label = if row.is("labels") { known.of_pod("labels", INJECT) } else { "" };
    let annotation = known.of_pod("annotations", INJECT);
    let (where_, said) = if label.is_empty() { ("annotation", annotation) } else { ("label", label) };
    if !said.is_empty() && !is_yes(said) {
        return Leave(format!("the Pod's {where_} {INJECT}: \"{said}\" switches it off"));
    }
    let injection = known.of_namespace("labels", "istio-injection");
    let revision = known.of_namespace("labels", REVISION);
    let of_pod = if is_yes(label) {
        format!("the Pod's label {INJECT}: \"{label}\"")
    } else {
        known.pod.find(&["metadata", "labels", REVISION]).map_or_else(String::new, |revision| {
            format!("the Pod's label {REVISION}: {}", revision.as_str().unwrap_or_default())
        })
    };
    match (injection, revision) {
        _ if known.namespace.is_none() => known.assumed("istio-injection: enabled"),
        ("enabled", _) => Inject("the namespace's label istio-injection: enabled".to_owned()),
        ("", "") if !of_pod.is_empty() => Inject(of_pod),
        ("", "") => Leave(format!(
            "neither the namespace `{}` nor a label of the Pod asks for it (istio-injection: enabled)",
            known.name
        )),
        ("", _) => Inject(format!("the namespace's label {REVISION}: {revision}")),
        _ => Leave(format!("the namespace's label istio-injection: {injection}")),
    }
}

/// Containers after which Linkerd leaves a Pod alone, by name or as the last part of an image.
const MESHED: [&str; 4] = ["linkerd-proxy", "linkerd-init", "istio-proxy", "istio-init"];

fn linkerd(row: Row<'_>, known: &Known<'_>) -> Decision {
    let spec = |key| known.pod.find(&["spec", key]).and_then(Value::as_array).unwrap_or_default();
    let names = spec("initContainers").iter().chain(spec("containers")).map(|one| one.find_str(&["name"]));
    if let Some(name) = names.into_iter().find(|name| MESHED.contains(name)) {
        return Leave(format!("the Pod holds the container {name} already"));
    }
    let mounts_token = known.pod.find(&["spec", "automountServiceAccountToken"]).and_then(Value::as_bool);
    if row.is("needsToken") && mounts_token == Some(false) {
        return Leave("the Pod has automountServiceAccountToken: false".to_owned());
    }
    if known.of_namespace("labels", "config.linkerd.io/admission-webhooks") == "disabled" {
        return Leave("the namespace's label config.linkerd.io/admission-webhooks: disabled".to_owned());
    }
    let key = "linkerd.io/inject";
    let (whose, said) = match known.of_pod("annotations", key) {
        "" => ("namespace", known.of_namespace("annotations", key)),
        said => ("Pod", said),
    };
    match said {
        "" if known.namespace.is_none() => known.assumed("linkerd.io/inject: enabled"),
        "" => Leave(format!(
            "neither the Pod nor the namespace `{}` has the annotation {key}: enabled",
            known.name
        )),
        "enabled" | "ingress" => Inject(format!("the {whose}'s annotation {key}: {said}")),
        _ => Leave(format!("the {whose}'s annotation {key}: {said}")),
    }
}
