//! Subresources about which policies are asked, and the objects that requests for them hold.
//!
//! In: the policies as written. Out: the subresources that they name. A request for `pods/exec` is of a Pod and holds PodExecOptions.
//! Source: k8s.io/kubernetes/pkg/registry (`core/pod/rest/subresources.go`, `core/pod/storage`, `core/serviceaccount/storage`,
//! `apps/deployment/storage`). Ephemeral containers are added to Pods by updates that the search makes of Pods.

use crate::request::Operation;
use engine::policy::KindSelector;
use engine::resource::{Gvk, plural};
use engine_json::Value;

/// A subresource.
#[derive(Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Version and kind of what it is a part of.
    pub parent: (&'static str, &'static str),
    /// Its name.
    pub name: &'static str,
    /// Version and kind of the object of a request.
    pub object: (&'static str, &'static str),
    /// What is done with it.
    pub operation: Operation,
}

const POD: (&str, &str) = ("v1", "Pod");
const SCALE: (&str, &str) = ("autoscaling/v1", "Scale");

const fn row(
    parent: (&'static str, &'static str),
    name: &'static str,
    object: (&'static str, &'static str),
    operation: Operation,
) -> Subresource {
    Subresource { parent, name, object, operation }
}

static ALL: [Subresource; 13] = [
    row(POD, "exec", ("v1", "PodExecOptions"), Operation::Connect),
    row(POD, "attach", ("v1", "PodAttachOptions"), Operation::Connect),
    row(POD, "portforward", ("v1", "PodPortForwardOptions"), Operation::Connect),
    row(POD, "proxy", ("v1", "PodProxyOptions"), Operation::Connect),
    row(("v1", "Service"), "proxy", ("v1", "ServiceProxyOptions"), Operation::Connect),
    row(("v1", "Node"), "proxy", ("v1", "NodeProxyOptions"), Operation::Connect),
    row(POD, "eviction", ("policy/v1", "Eviction"), Operation::Create),
    row(POD, "binding", ("v1", "Binding"), Operation::Create),
    row(("v1", "ServiceAccount"), "token", ("authentication.k8s.io/v1", "TokenRequest"), Operation::Create),
    row(("apps/v1", "Deployment"), "scale", SCALE, Operation::Update),
    row(("apps/v1", "StatefulSet"), "scale", SCALE, Operation::Update),
    row(("apps/v1", "ReplicaSet"), "scale", SCALE, Operation::Update),
    row(("v1", "ReplicationController"), "scale", SCALE, Operation::Update),
];

/// The fields of what is connected by, in the form of the rows of the schema.
// k8s.io/api/core/v1/types.go: PodExecOptions and the like, which are read from the query of a request.
pub(crate) const OPTIONS: &str = "\
=v1 PodExecOptions core.v1.PodExecOptions
=v1 PodAttachOptions core.v1.PodAttachOptions
=v1 PodPortForwardOptions core.v1.PodPortForwardOptions
=v1 PodProxyOptions core.v1.ProxyOptions
=v1 ServiceProxyOptions core.v1.ProxyOptions
=v1 NodeProxyOptions core.v1.ProxyOptions
:core.v1.PodExecOptions
apiVersion s
kind s
command [s]
container s
stderr b
stdin b
stdout b
tty b
:core.v1.PodAttachOptions
apiVersion s
kind s
container s
stderr b
stdin b
stdout b
tty b
:core.v1.PodPortForwardOptions
apiVersion s
kind s
ports [n]
:core.v1.ProxyOptions
apiVersion s
kind s
path s
";

impl Subresource {
    /// The plural of what it is a part of, and its name: `pods/exec`.
    pub fn path(&self) -> String {
        format!("{}/{}", plural(self.parent.1), self.name)
    }

    /// Whether the objects of requests have metadata: what is connected by has none.
    pub(crate) fn has_metadata(&self) -> bool {
        self.operation != Operation::Connect
    }

    /// Whether a classic policy that names this kind is asked.
    fn is_of_kind(&self, text: &str) -> bool {
        let selector = KindSelector::parse(text);
        let parent = Gvk::new(self.parent.0, self.parent.1);
        selector.group.matches(&parent.group)
            && selector.version.matches(&parent.version)
            && selector.kind.matches(&parent.kind)
            && selector.subresource.matches(self.name)
    }

    /// Whether a policy in CEL that names this resource is asked.
    fn is_of_resource(&self, text: &str) -> bool {
        let Some((resource, name)) = text.split_once('/') else { return false };
        (resource == "*" || plural(self.parent.1) == resource) && (name == "*" || name == self.name)
    }
}

/// Whether requests are made for a kind of a classic policy that has a subresource.
pub(crate) fn is_kind_known(text: &str) -> bool {
    ALL.iter().any(|one| one.is_of_kind(text))
}

/// Whether requests are made for a resource of a policy in CEL that has a subresource.
pub(crate) fn is_resource_known(text: &str) -> bool {
    ALL.iter().any(|one| one.is_of_resource(text))
}

/// Whether a policy in CEL is asked about the ephemeral containers that are added to Pods.
pub(crate) fn names_ephemeral(policy: &Value) -> bool {
    let rules = policy.find(&["spec", "matchConstraints", "resourceRules"]).and_then(Value::as_array);
    let resources = rules.unwrap_or_default().iter().filter_map(|rule| rule.get("resources")?.as_array());
    let mut texts = resources.flatten().filter_map(Value::as_str);
    texts.any(|text| matches!(text, "pods/ephemeralcontainers" | "pods/*" | "*/ephemeralcontainers" | "*/*"))
}

/// The subresources that a text of a policy may mean: kinds and resources are told apart by their letters.
pub(crate) fn named(policies: &[&Value]) -> Vec<&'static Subresource> {
    let mut texts = Vec::new();
    for policy in policies {
        collect(policy, 0, &mut texts);
    }
    let is_named = |one: &&Subresource| {
        texts.iter().any(
            |(is_kind, text)| {
                if *is_kind { one.is_of_kind(text) } else { one.is_of_resource(text) }
            },
        )
    };
    ALL.iter().filter(is_named).collect()
}

/// How deep policies are looked into.
const MAX_DEPTH: usize = 12;

/// What stands in lists of kinds (`true`) and of resources.
fn collect<'v>(value: &'v Value, depth: usize, found: &mut Vec<(bool, &'v str)>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(map) => {
            for (key, item) in map.iter() {
                let texts = item.as_array().unwrap_or_default().iter().filter_map(Value::as_str);
                match key.as_str() {
                    "kinds" => found.extend(texts.map(|text| (true, text))),
                    "resources" if item.as_array().is_some() => {
                        found.extend(texts.map(|text| (false, text)));
                    }
                    _ => collect(item, depth + 1, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
