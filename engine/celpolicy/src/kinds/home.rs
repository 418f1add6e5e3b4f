//! The namespace that a policy of a namespace is for.
//!
//! In: a question, and the policy's namespace. Out: whether the resource is of another one.

use engine::body::Asked;
use engine::load::Host;

/// Whether a policy of a namespace is for another one than that of the resource, where a host looks at that: the CLI does not.
pub(super) fn is_elsewhere(asked: &Asked<'_>, namespace: &str) -> bool {
    let resource = asked.resource;
    let is_namespace = resource.gvk.group.is_empty() && resource.kind() == "Namespace";
    let theirs = match asked.host {
        Host::Cli => return false,
        // Kubernetes: a request for a Namespace is one in that Namespace.
        Host::Cluster if is_namespace => resource.name(),
        Host::Cluster | Host::Playground => resource.namespace(),
    };
    !namespace.is_empty() && theirs != namespace
}
