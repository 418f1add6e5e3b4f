//! Answers of the Kubernetes API out of the objects that are at hand.
//!
//! In: a path such as `/api/v1/namespaces/default/secrets/db`. Out: the object, or a list of objects; or Kyverno's
//! words for what is not there.
//! Mirrors: pkg/clients/dclient/client.go rawAbsPathForFakeClient, with which the CLI serves `apiCall`.

use crate::resource::{Gvk, Resource, plural};
use engine_json::{Map, Str, Value};

/// Resources that the original's stand-in for a cluster knows even where it holds none of them.
// Kyverno: NewFakeDiscoveryClient.
const ALWAYS_KNOWN: &[&str] = &[
    "configmaps",
    "endpoints",
    "namespaces",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "daemonsets",
    "deployments",
    "statefulsets",
];

/// A path taken apart.
struct ApiPath<'a> {
    group: &'a str,
    version: &'a str,
    resource: &'a str,
    namespace: &'a str,
    name: &'a str,
}

/// The answer to a GET of this path.
pub(super) fn get<'o>(
    objects: &(impl Iterator<Item = &'o Resource> + Clone),
    path: &str,
) -> Result<Value, String> {
    let path = path.trim_start_matches('/');
    let wanted = parse(path).ok_or_else(|| format!("failed to parse path: {path}"))?;
    let is_kind = |object: &&Resource| {
        let gvk = &object.gvk;
        gvk.group == wanted.group && gvk.version == wanted.version && plural(&gvk.kind) == wanted.resource
    };
    let in_namespace =
        |object: &&Resource| wanted.namespace.is_empty() || object.namespace() == wanted.namespace;
    let gvk = objects.clone().find(is_kind);
    let guessed = || Gvk {
        group: Str::new(wanted.group),
        version: Str::new(wanted.version),
        kind: Str::from(singular(wanted.resource)),
    };
    let gvk = gvk.map_or_else(guessed, |object| object.gvk.clone());
    let api_version = match gvk.group.as_str() {
        "" => gvk.version.to_string(),
        group => format!("{group}/{}", gvk.version),
    };
    let mut found = objects.clone().filter(is_kind).filter(in_namespace);
    if wanted.name.is_empty() {
        // Kyverno: the stand-in of the cluster lists by namespace and name (client-go testing, filterByNamespace).
        let mut found: Vec<&Resource> = found.collect();
        found.sort_by_key(|object| (object.namespace(), object.name()));
        let items: Vec<Value> = found.into_iter().map(|object| object.value.clone()).collect();
        let entries = [
            ("apiVersion", Value::from(api_version)),
            ("items", Value::array(items)),
            ("kind", Value::from(format!("{}List", gvk.kind))),
            ("metadata", Map::from_iter([("resourceVersion", Value::from(""))]).into()),
        ];
        return Ok(entries.into_iter().collect::<Map>().into());
    }
    let object = found.find(|object| object.name() == wanted.name && object.namespace() == wanted.namespace);
    object.map(|object| object.value.clone()).ok_or_else(|| {
        let known = objects.clone().any(|object| is_kind(&object)) || ALWAYS_KNOWN.contains(&wanted.resource);
        let resource = match (known, wanted.group) {
            (false, _) => String::new(),
            (true, "") => wanted.resource.to_owned(),
            (true, group) => format!("{}.{group}", wanted.resource),
        };
        let name = wanted.name;
        format!("failed to get resource {api_version}/{}/{name}: {resource} \"{name}\" not found", gvk.kind)
    })
}

fn parse(path: &str) -> Option<ApiPath<'_>> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = |place: usize| parts.get(place).copied().unwrap_or("");
    let (group, rest) = match at(0) {
        "api" if parts.len() >= 2 => ("", 1),
        "apis" if parts.len() >= 3 => (at(1), 2),
        _ => return None,
    };
    let version = at(rest);
    // A namespace alone, without a resource behind it, is not a path to the original.
    let (namespace, from) = if at(rest + 1) == "namespaces" && !at(rest + 2).is_empty() {
        (at(rest + 2), rest + 3)
    } else {
        ("", rest + 1)
    };
    let (resource, name) = (at(from), at(from + 1));
    (!resource.is_empty()).then_some(ApiPath { group, version, resource, namespace, name })
}

/// The kind that a plural seems to mean.
// Kyverno: inferKindFromResourceName.
fn singular(resource: &str) -> String {
    let stem = resource.strip_suffix("ies").map(|stem| format!("{stem}y"));
    let stem = stem.or_else(|| resource.strip_suffix("es").map(str::to_owned));
    let stem =
        stem.or_else(|| resource.strip_suffix('s').map(str::to_owned)).unwrap_or_else(|| resource.to_owned());
    let mut chars = stem.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
