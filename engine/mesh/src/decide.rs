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
    /// It has been injected before.
    Already(String),
}

use Decision::{Already, Inject, Leave};

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
    if let Some(reason) = already(mesh, &known) {
        return Already(reason);
    }
    if known.pod.find(&["spec", "hostNetwork"]).and_then(Value::as_bool) == Some(true) {
        return Leave("the Pod uses the host's network".to_owned());
    }
    let never = row.0.get("never").and_then(Value::as_array).unwrap_or_default();
    if never.iter().any(|name| name.as_str() == Some(known.name)) {
        return Leave(format!("the namespace `{}` is never injected", known.name));
    }
    if mesh == "istio" { istio(row, &known) } else { linkerd(row, &known) }
}

const STATUS: &str = "sidecar.istio.io/status";
const PROXY_VERSION: &str = "linkerd.io/proxy-version";

/// By what a Pod shows that this very mesh has injected it: a manifest that was made with its tool, or a Pod as a cluster
/// has it.
fn already(mesh: &str, known: &Known<'_>) -> Option<String> {
    let spec = |key| known.pod.find(&["spec", key]).and_then(Value::as_array).unwrap_or_default();
    let names: Vec<&str> =
        spec("initContainers").iter().chain(spec("containers")).map(|one| one.find_str(&["name"])).collect();
    let theirs: &[&str] = match mesh {
        "istio" => &["istio-init", "istio-validation", "istio-proxy"],
        _ => &["linkerd-init", "linkerd-proxy"],
    };
    let held: Vec<&str> = names.into_iter().filter(|name| theirs.contains(name)).collect();
    let (all, status) = (held.join(" and "), known.of_pod("annotations", STATUS));
    match (mesh, known.of_pod("annotations", PROXY_VERSION)) {
        _ if held.is_empty() => None,
        // The proxy alone may be what the author of the Pod wants the injector's own to be like.
        ("istio", _) if status.is_empty() && (held.len() < 2 || !held.contains(&"istio-proxy")) => None,
        // Istio: pkg/kube/inject/webhook.go `stripPod`.
        ("istio", _) if status.is_empty() => {
            Some(format!("it holds {all}; an injector would put its own in their place"))
        }
        ("istio", _) => Some(format!(
            "it holds {all}, which its annotation {STATUS} names; an injector would put its own in their place"
        )),
        // Linkerd: pkg/healthcheck/sidecar.go.
        (_, "") => Some(format!("it holds {all}; the injector leaves such a Pod alone")),
        (_, version) => Some(format!("it holds {all} of {version}; the injector leaves such a Pod alone")),
    }
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

/// Containers after which Linkerd leaves a Pod alone, by name.
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
