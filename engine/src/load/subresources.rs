//! For which subresource a request is, where its object says it, or a flag, a values file or a context does.
//!
//! In: the name that is asked for, and the kinds of the resources. Out: entries of [`Settings::subresources`], by which rules match
//! and requests are made; or why no resource is such a request.

use super::{Bundle, Host, Loader, Settings};
use crate::diag::{Code, Diagnostic, Severity};
use crate::resource::{Gvk, plural};
use engine_json::{Map, Str, Value};

/// Objects that are requests of a subresource and nothing else: their version and kind, those of the resource, and the subresource.
// Kubernetes: pkg/registry/core/rest/storage_core.go.
const REQUESTS: [[&str; 5]; 9] = [
    ["v1", "PodExecOptions", "v1", "Pod", "exec"],
    ["v1", "PodAttachOptions", "v1", "Pod", "attach"],
    ["v1", "PodPortForwardOptions", "v1", "Pod", "portforward"],
    ["v1", "PodProxyOptions", "v1", "Pod", "proxy"],
    ["v1", "NodeProxyOptions", "v1", "Node", "proxy"],
    ["v1", "ServiceProxyOptions", "v1", "Service", "proxy"],
    ["v1", "Binding", "v1", "Pod", "binding"],
    ["policy/v1", "Eviction", "v1", "Pod", "eviction"],
    ["authentication.k8s.io/v1", "TokenRequest", "v1", "ServiceAccount", "token"],
];

/// The kinds that can be scaled, with their versions; the object of a request is a Scale.
const SCALED: [(&str, &str); 4] = [
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("v1", "ReplicationController"),
];

/// Subresources whose requests hold the whole resource, which of all kinds these alone have.
const OF_ONE_KIND: [(&str, &str); 4] = [
    ("ephemeralcontainers", "Pod"),
    ("resize", "Pod"),
    ("finalize", "Namespace"),
    ("approval", "CertificateSigningRequest"),
];

/// The name of the value that asks for a subresource.
const VALUE: &str = "request.subResource";

/// What is done with a subresource, where nobody says it.
pub fn usual_operation(subresource: &str) -> &'static str {
    match subresource {
        "exec" | "attach" | "portforward" | "proxy" => "CONNECT",
        "" | "eviction" | "binding" | "token" => "CREATE",
        _ => "UPDATE",
    }
}

/// Whether the object has the form of this kind.
fn is_of(gvk: &Gvk, api_version: &str, kind: &str) -> bool {
    gvk.kind == kind && *gvk == Gvk::new(api_version, kind)
}

impl Settings {
    /// The resource of which an object of this kind is a request for a part, and the name, such as `pods/exec`.
    // Kyverno: the first that is declared counts.
    pub fn part_of(&self, gvk: &Gvk) -> Option<(Gvk, Str)> {
        let text = |value: &Value, field| Str::new(value.find_str(&[field]));
        // Asked for each policy and resource: nothing is made of what is another kind.
        let is_it = |own: &Value| {
            own.find_str(&["kind"]) == gvk.kind
                && own.find_str(&["group"]) == gvk.group
                && own.find_str(&["version"]) == gvk.version
        };
        let (own, parent) = self.subresources.iter().find(|(own, _)| is_it(own))?;
        let [group, version, kind] = ["group", "version", "kind"].map(|field| text(parent, field));
        Some((Gvk { group, version, kind }, text(own, "name")))
    }

    fn declare(&mut self, object: &Gvk, parent: &Gvk, name: &str) {
        let entry = |of: &Gvk, name: String| {
            let texts = [&of.group, &of.version, &of.kind].map(|text| Value::String(text.clone()));
            let mut fields: Map = ["group", "version", "kind"].into_iter().zip(texts).collect();
            fields.insert("name", Value::from(name));
            Value::object(fields)
        };
        let of = plural(&parent.kind);
        self.subresources.insert(0, (entry(object, format!("{of}/{name}")), entry(parent, of)));
    }
}

/// Where a server sends requests, each says itself for what it is.
///
/// # Errors
/// None.
pub fn as_sent(_: &mut Bundle) -> Result<(), String> {
    Ok(())
}

/// Settles for which subresources the resources are requests: in a cluster an object that is nothing else is one without a word.
///
/// # Errors
/// Why none of the resources is a request for the one that is asked for.
pub fn settle_subresources(bundle: &mut Bundle) -> Result<(), String> {
    let settings = &mut bundle.settings;
    if bundle.host == Host::Cluster {
        for [version, kind, of_version, of_kind, name] in REQUESTS {
            let object = Gvk::new(version, kind);
            if settings.part_of(&object).is_none() {
                settings.declare(&object, &Gvk::new(of_version, of_kind), name);
            }
        }
    }
    let of_values = || {
        let (_, value) = settings.global_values.iter().rfind(|(name, _)| name == VALUE)?;
        Some(Str::from(value.as_str()?)).filter(|_| bundle.host == Host::Cluster)
    };
    let Some(asked) = settings.subresource.clone().or_else(of_values).filter(|asked| !asked.is_empty())
    else {
        return Ok(());
    };
    let (of, name) = asked.rsplit_once('/').unwrap_or(("", &asked));
    let mut is_found = false;
    for resource in &bundle.resources {
        if let Some(parent) = parent_of(&resource.gvk, of, name) {
            is_found = true;
            let known = settings.part_of(&resource.gvk).map(|(_, name)| name);
            if known.is_none_or(|known| known != format!("{}/{name}", plural(&parent.kind))) {
                settings.declare(&resource.gvk, &parent, name);
            }
        }
    }
    if is_found || bundle.resources.is_empty() { Ok(()) } else { Err(absent(of, name)) }
}

/// Of which resource an object is a request for this subresource.
fn parent_of(gvk: &Gvk, of: &str, name: &str) -> Option<Gvk> {
    let is_meant = |kind: &str| of.is_empty() || of == plural(kind);
    let mut by_object = REQUESTS.iter().filter(|[.., row]| *row == name).peekable();
    if by_object.peek().is_some() {
        let [.., version, kind, _] =
            by_object.find(|[version, kind, _, of, _]| is_of(gvk, version, kind) && is_meant(of))?;
        return Some(Gvk::new(version, kind));
    }
    if name == "scale" {
        let row = SCALED.iter().find(|(_, kind)| of == plural(kind));
        let (version, kind) = row.filter(|_| is_of(gvk, "autoscaling/v1", "Scale"))?;
        return Some(Gvk::new(version, kind));
    }
    let alone = OF_ONE_KIND.iter().find(|(of, _)| *of == name);
    (alone.is_none_or(|(_, kind)| gvk.kind == *kind) && is_meant(&gvk.kind)).then(|| gvk.clone())
}

/// What to give for this subresource.
fn absent(of: &str, name: &str) -> String {
    let rows = REQUESTS.iter().filter(|[.., row]| *row == name);
    let mut objects: Vec<String> = rows.map(|[version, kind, ..]| format!("{kind} ({version})")).collect();
    if name == "scale" {
        objects.push(
            "Scale (autoscaling/v1), with `deployments/scale` or its like as the subresource".to_owned(),
        );
    }
    let slash = if of.is_empty() { "" } else { "/" };
    let asked = format!("no resource is a request for the subresource `{of}{slash}{name}`");
    if objects.is_empty() {
        return format!("{asked}: give an object of a kind that has it");
    }
    format!("{asked}: its object is a {}, with the name of what it is for", objects.join(" or "))
}

impl Loader {
    pub(super) fn settle_subresources(&mut self) {
        if let Err(why) = (self.extension.requests)(&mut self.bundle) {
            self.diagnostics.push(Diagnostic {
                code: Code::UnknownValue,
                severity: Severity::Error,
                message: why,
                span: None,
                hints: Vec::new(),
            });
        }
    }
}
