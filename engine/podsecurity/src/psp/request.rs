//! What the admission of PodSecurityPolicy is asked, and in which release of Kubernetes.
//!
//! In: `1.18`. Out: a [`Release`] that knows what that release did otherwise.

use super::User;
use engine_json::Value;

/// A minor release of Kubernetes, from which words and rules follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u32);

impl Default for Release {
    /// 1.24, the last release with PodSecurityPolicy.
    fn default() -> Self {
        Release::LAST
    }
}

impl Release {
    /// The last release that has PodSecurityPolicy.
    pub const LAST: Release = Release(24);

    /// Why nothing is evaluated in the name of this release: it no longer has PodSecurityPolicy.
    pub fn refused(self) -> Option<String> {
        let Release(minor) = self;
        (self.0 > Self::LAST.0).then(|| {
            format!(
                "Kubernetes 1.{minor} has no PodSecurityPolicy: it was removed in 1.25, and Pod Security Admission is in \
                 its place (`podsieve psa check`)"
            )
        })
    }

    /// The release of a text such as `1.18`, `v1.18` or `1.18.20`.
    pub fn parse(text: &str) -> Option<Release> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let (major, minor) = (parts.next()?, parts.next()?);
        (major == "1").then(|| minor.parse().ok().map(Release)).flatten()
    }

    /// Whether messages say which plugin speaks and which of its passes.
    pub(super) fn names_plugin(self) -> bool {
        self.0 >= 19
    }

    /// Whether `seccompProfile` fields count beside the annotations, and `docker/default` is `runtime/default`.
    pub(super) fn has_seccomp_fields(self) -> bool {
        self.0 >= 19
    }

    /// Whether a policy that allows secrets also allows the projected volume of a service account token.
    pub(super) fn knows_token_volumes(self) -> bool {
        self.0 >= 19
    }

    /// Whether `net.ipv4.ip_unprivileged_port_start` is a safe sysctl.
    pub(super) fn has_safe_port_start(self) -> bool {
        self.0 >= 22
    }
}

/// What is done with the Pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is made: a policy may change it.
    Create,
    /// It is changed: a policy must accept it as it is.
    Update,
}

/// One request for a Pod itself; nobody asked about templates, nor about subresources.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The operation.
    pub operation: Operation,
    /// The name in the request, or empty.
    pub name: String,
    /// The namespace of the request.
    pub namespace: String,
    /// Who asks.
    pub user: User,
    /// The Pod.
    pub pod: &'r Value,
    /// The Pod as it was before an update.
    pub old_pod: Option<&'r Value>,
}

impl<'r> Request<'r> {
    /// A request to make a Pod.
    pub fn create(pod: &'r Value, namespace: &str, user: User) -> Request<'r> {
        let name = pod.find_str(&["metadata", "name"]).to_owned();
        Request {
            operation: Operation::Create,
            name,
            namespace: namespace.to_owned(),
            user,
            pod,
            old_pod: None,
        }
    }
}
