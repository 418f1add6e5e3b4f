//! The kinds that a rule names.
//!
//! In: a kind as Kyverno writes it, `apps/v1/Deployment`. Out: its group, version and plural, and what says which namespace a request is about.

use crate::expressions::types::Types;
use crate::refusal::{Class, Converted, refuse};
use engine::resource::{Gvk, is_cluster_scoped, plural};
use engine_json::Path;

/// The controllers that both ways of making rules for templates know.
pub(crate) const CONTROLLERS: [&str; 6] =
    ["CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"];

/// Whether objects of a kind are Pods, or templates of them that autogen knows.
pub(crate) fn is_pod_or_controller(kind: &str) -> bool {
    kind == "Pod" || CONTROLLERS.contains(&kind)
}

/// A kind of objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) group: String,
    /// The version whose fields are known.
    pub(crate) version: String,
    /// The version that is asked for: `*` where the source names a group in every version.
    pub(crate) asked: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    /// Whether the plural is made of the kind's name, and not known.
    pub(crate) is_guessed: bool,
}

impl Kind {
    /// Its group and version as objects write them.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// Reads a kind.
pub(crate) fn kind(text: &str, path: &Path, schema: &Types<'_>) -> Converted<Kind> {
    let mut parts: Vec<&str> = text.split('/').collect();
    let kind = parts.pop().unwrap_or("");
    let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase()) || kind == "*";
    if !is_kind || kind.contains('.') {
        return refuse(Class::Match, path, format!("`{text}` names a subresource"));
    }
    if text == "*" {
        return Ok(Kind {
            group: "*".into(),
            version: "*".into(),
            asked: "*".into(),
            plural: "*".into(),
            name: "*".into(),
            is_guessed: false,
        });
    }
    if kind.contains(['*', '?']) {
        return refuse(Class::Match, path, format!("`{text}` is a wildcard of kinds"));
    }
    let (group, version) = match parts.as_slice() {
        [] => ("*", "*"),
        [version] => ("*", *version),
        [group, version] => (*group, *version),
        _ => return refuse(Class::Match, path, format!("`{text}` is not a kind")),
    };
    let glob = |pattern: &str, text: &str| engine::value::wildcard::matches(pattern, text);
    let is_young = |version: &str| version.contains("alpha") || version.contains("beta");
    // A kind without a group is found in the version that is served; one with a group and `*` is for old versions too.
    let is_every = version == "*" && !matches!(group, "" | "*");
    let known = schema
        .schema()
        .kinds()
        .filter(|(_, name)| *name == kind)
        .map(|(version, kind)| Gvk::new(version, kind))
        .filter(|gvk| glob(group, &gvk.group) && glob(version, &gvk.version))
        .min_by_key(|gvk| (is_young(&gvk.version), gvk.group.contains("extensions")));
    Ok(match known {
        Some(gvk) => Kind {
            group: gvk.group.to_string(),
            version: gvk.version.to_string(),
            asked: if is_every { "*".into() } else { gvk.version.to_string() },
            plural: plural(kind),
            name: kind.into(),
            is_guessed: false,
        },
        None => Kind {
            group: group.into(),
            version: version.into(),
            asked: version.into(),
            plural: engine_compare::plurals::plural(kind),
            name: kind.into(),
            is_guessed: true,
        },
    })
}

/// Whether all of them are known to be in a namespace.
pub(crate) fn are_in_namespace(kinds: &[Kind]) -> bool {
    let is_in_namespace = |kind: &Kind| {
        !kind.is_guessed && kind.name != "*" && !is_cluster_scoped(&kind.api_version(), &kind.name)
    };
    !kinds.is_empty() && kinds.iter().all(is_in_namespace)
}

/// The namespace of what is known to be in one.
pub(crate) const OF_NAMESPACED: &str = "request.namespace";

/// The namespace of what a request is about. An admission request leaves it out for what is in none, and Kyverno takes a Namespace for one that is in
/// itself, which only an admission request says too.
// Kyverno: pkg/utils/match/namespace.go
pub(crate) fn namespace_of(kinds: &[Kind], metadata: &str) -> String {
    let is_namespace = |kind: &Kind| kind.name == "Namespace" && kind.group.is_empty();
    if !kinds.is_empty() && kinds.iter().all(is_namespace) {
        format!("{metadata}.name")
    } else if are_in_namespace(kinds) {
        OF_NAMESPACED.to_owned()
    } else {
        "request.?namespace.orValue('')".to_owned()
    }
}
