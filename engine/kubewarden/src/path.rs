//! Paths of the Kubernetes API, which name plurals, for a host that wants kinds.
//!
//! In: `/api/v1/namespaces/shop/configmaps/{{name}}`. Out: `v1`, `ConfigMap`, the namespace and the name.

use engine::resource::plural;
use engine_celpolicy::patch::published_types;

/// What a path asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked<'p> {
    /// Group and version.
    pub(crate) api_version: String,
    /// The kind.
    pub(crate) kind: String,
    /// The namespace; empty for all, and for what is of none.
    pub(crate) namespace: &'p str,
    /// The name; empty for a list.
    pub(crate) name: &'p str,
}

impl<'p> Asked<'p> {
    /// Reads a path; nothing where it asks for anything but objects of Kubernetes' own kinds: of other kinds the plural is not enough.
    pub(crate) fn read(path: &'p str) -> Option<Self> {
        let path = path.trim_start_matches('/');
        let parts: Vec<&str> = path.split('/').collect();
        let (api_version, rest) = match parts.as_slice() {
            ["api", version, rest @ ..] => ((*version).to_owned(), rest),
            ["apis", group, version, rest @ ..] => (format!("{group}/{version}"), rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
            rest => ("", rest),
        };
        let (resource, name) = match rest {
            [resource] => (*resource, ""),
            [resource, name] => (*resource, *name),
            _ => return None,
        };
        // A list that is cut, or chosen of, is another one.
        if resource.contains('?') || name.contains('?') {
            return None;
        }
        let kind = kind(&api_version, resource)?;
        Some(Asked { api_version, kind, namespace, name })
    }
}

/// The version and the kind that a path asks for, whatever is still to be put into it.
pub fn kind_of_path(path: &str) -> Option<(String, String)> {
    Asked::read(path).map(|asked| (asked.api_version, asked.kind))
}

/// The kind of a plural.
fn kind(api_version: &str, resource: &str) -> Option<String> {
    kinds(api_version).find(|kind| plural(kind) == resource).map(str::to_owned)
}

/// Whether a kind is one of Kubernetes' own.
pub(crate) fn is_published(api_version: &str, kind: &str) -> bool {
    kinds(api_version).any(|known| known == kind)
}

/// Kubernetes' own kinds of a group and version.
fn kinds(api_version: &str) -> impl Iterator<Item = &'static str> {
    let rows = published_types().lines().filter_map(|line| line.strip_prefix('=')?.split_once(' '));
    let of_version = rows.filter(move |(version, _)| *version == api_version);
    of_version.filter_map(|(_, rest)| rest.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::{Asked, kind_of_path};

    #[test]
    fn paths_are_taken_apart() {
        let asked = Asked::read("/api/v1/namespaces/shop/configmaps/settings").unwrap();
        assert_eq!((asked.api_version.as_str(), asked.kind.as_str()), ("v1", "ConfigMap"));
        assert_eq!((asked.namespace, asked.name), ("shop", "settings"));
        let of = |path: &str| kind_of_path(path).map(|(version, kind)| format!("{version} {kind}"));
        assert_eq!(of("/api/v1/namespaces/{{request.namespace}}").as_deref(), Some("v1 Namespace"));
        assert_eq!(
            of("/apis/networking.k8s.io/v1/ingresses").as_deref(),
            Some("networking.k8s.io/v1 Ingress")
        );
        assert_eq!(of("/apis/example.com/v1/widgets"), None);
        assert_eq!(of("/api/v1/pods?labelSelector=a"), None);
        assert_eq!(of("/version"), None);
    }
}
