//! A path of the Kubernetes API taken apart.
//!
//! In: `/api/v1/namespaces/default/secrets/db`. Out: group, version, plural, namespace and name.
//! Mirrors: pkg/clients/dclient/client.go rawAbsPathForFakeClient.

/// A path taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ApiPath<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) resource: &'a str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> ApiPath<'a> {
    /// The parts of a path without its first slash; nothing where it is none to the original.
    pub(crate) fn parse(path: &'a str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        let at = |place: usize| parts.get(place).copied().unwrap_or("");
        let (group, rest) = match at(0) {
            "api" if parts.len() >= 2 => ("", 1),
            "apis" if parts.len() >= 3 => (at(1), 2),
            _ => return None,
        };
        let version = at(rest);
        // A namespace alone, without a resource behind it, is not a path to the original; one without a name is.
        let (namespace, from) = if at(rest + 1) == "namespaces" && parts.len() > rest + 2 {
            (at(rest + 2), rest + 3)
        } else {
            ("", rest + 1)
        };
        let (resource, name) = (at(from), at(from + 1));
        (!resource.is_empty()).then_some(ApiPath { group, version, resource, namespace, name })
    }

    /// Group, version and plural.
    pub(crate) fn plural(&self) -> (&'a str, &'a str, &'a str) {
        (self.group, self.version, self.resource)
    }
}
