//! What a server has: its resources, by group, version and kind.
//!
//! In: an API. Out: a list of resources, and groups of which nothing is known because what serves them does not answer.

use crate::api::{Api, Refusal};
use engine_json::Value;

/// A resource of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiResource {
    /// Empty for the core.
    pub group: String,
    /// The version.
    pub version: String,
    /// Whether the server prefers this version of the group.
    pub is_preferred: bool,
    /// `pods`
    pub plural: String,
    /// `Pod`
    pub kind: String,
    /// Whether its objects are in namespaces.
    pub is_namespaced: bool,
    /// Whether it can be listed.
    pub is_listed: bool,
}

impl ApiResource {
    /// `pods`, `deployments.apps`
    pub fn name(&self) -> String {
        if self.group.is_empty() { self.plural.clone() } else { format!("{}.{}", self.plural, self.group) }
    }

    /// The path of its list, of one namespace or of all.
    pub fn path(&self, namespace: Option<&str>) -> String {
        let root = if self.group.is_empty() {
            format!("/api/{}", self.version)
        } else {
            format!("/apis/{}/{}", self.group, self.version)
        };
        match namespace.filter(|_| self.is_namespaced) {
            Some(namespace) => format!("{root}/namespaces/{namespace}/{}", self.plural),
            None => format!("{root}/{}", self.plural),
        }
    }
}

/// What the server is asked for: all groups in one answer.
const ACCEPT: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                      application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

/// The resources of a server, and what is wrong with groups.
///
/// # Errors
/// Why the server does not say.
pub fn discover(api: &Api) -> Result<(Vec<ApiResource>, Vec<String>), Refusal> {
    let (mut found, mut stale) = (Vec::new(), Vec::new());
    for path in ["/api", "/apis"] {
        let list = api.get(path, ACCEPT)?;
        if list.find_str(&["kind"]) != "APIGroupDiscoveryList" {
            let message = format!(
                "{path}: the server does not list its resources in one answer; Kubernetes 1.27 and later do"
            );
            return Err(Refusal { status: 200, message });
        }
        for group in items(&list, "items") {
            let name = group.find_str(&["metadata", "name"]);
            for (at, version) in items(group, "versions").iter().enumerate() {
                let number = version.find_str(&["version"]);
                if version.find_str(&["freshness"]) == "Stale" {
                    stale.push(format!(
                        "{name}/{number}: what serves this group does not answer: its kinds are not read"
                    ));
                }
                found.extend(items(version, "resources").iter().map(|resource| ApiResource {
                    group: name.to_owned(),
                    version: number.to_owned(),
                    is_preferred: at == 0,
                    plural: resource.find_str(&["resource"]).to_owned(),
                    kind: resource.find_str(&["responseKind", "kind"]).to_owned(),
                    is_namespaced: resource.find_str(&["scope"]) == "Namespaced",
                    is_listed: items(resource, "verbs").iter().any(|verb| verb.as_str() == Some("list")),
                }));
            }
        }
    }
    // Names go into paths.
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    };
    found.retain(|resource| {
        is_name(&resource.plural)
            && is_name(&resource.version)
            && (resource.group.is_empty() || is_name(&resource.group))
    });
    Ok((found, stale))
}

fn items<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).unwrap_or_default()
}
