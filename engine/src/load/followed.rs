//! Which of the originals is followed where they differ, and of Kubernetes which release.

use std::fmt;
use std::str::FromStr;

/// Which of the originals is followed where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Host {
    /// The CLI: objects without a namespace get `default`, values and user info come from files.
    #[default]
    Cli,
    /// The Playground: no namespace is added, the configuration's filters apply, context comes from the state.
    Playground,
    /// A cluster, for policies in CEL: objects as an API server gives them, and what its webhooks would decide. All other
    /// policies are evaluated as by the CLI.
    Cluster,
}

impl Host {
    /// The host of this name.
    pub fn named(name: &str) -> Option<Host> {
        [Host::Cli, Host::Playground, Host::Cluster].into_iter().find(|host| host.as_str() == name)
    }

    /// The name that it has in inputs, flags and links.
    pub const fn as_str(self) -> &'static str {
        match self {
            Host::Cli => "cli",
            Host::Playground => "playground",
            Host::Cluster => "cluster",
        }
    }
}

/// A release of Kubernetes whose API server decides: `1.37`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kubernetes(u8);

impl Kubernetes {
    /// The oldest that is known: the first with ValidatingAdmissionPolicies in `v1`.
    pub const OLDEST: Kubernetes = Kubernetes(30);
    /// The newest that is known; it may be one that is not released yet.
    pub const NEWEST: Kubernetes = Kubernetes(38);
    /// The newest that is released.
    pub const RELEASED: Kubernetes = Kubernetes(37);

    /// The release `1.minor`, whether it is known or not.
    pub const fn minor(minor: u8) -> Self {
        Kubernetes(minor)
    }

    /// The release before this one.
    #[must_use]
    pub const fn before(self) -> Self {
        Kubernetes(self.0.saturating_sub(1))
    }

    /// Every release that is known, the oldest first.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::OLDEST.0..=Self::NEWEST.0).map(Kubernetes)
    }
}

impl Default for Kubernetes {
    fn default() -> Self {
        Self::RELEASED
    }
}

impl fmt::Display for Kubernetes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

impl FromStr for Kubernetes {
    type Err = String;

    /// Reads `1.37`, `v1.37` and `1.37.2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.strip_prefix('v').unwrap_or(text).split('.');
        let minor = match (parts.next(), parts.next().map(str::parse), parts.count()) {
            (Some("1"), Some(Ok(minor)), 0 | 1) => Some(Kubernetes(minor)),
            _ => None,
        };
        let known = minor.filter(|minor| (Self::OLDEST..=Self::NEWEST).contains(minor));
        known.ok_or_else(|| format!("known are the releases {} to {}", Self::OLDEST, Self::NEWEST))
    }
}

/// Which original decides: a host, and the release of Kubernetes where that is a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// The host.
    pub host: Host,
    /// The release.
    pub kubernetes: Kubernetes,
}

impl From<Host> for Followed {
    fn from(host: Host) -> Self {
        Followed { host, kubernetes: Kubernetes::RELEASED }
    }
}
