//! As whom policies are evaluated, and with which request: flags that every command has that decides.
//!
//! In: the command line. Out: a [`Host`], and a bundle whose requests are those that flags ask for.

use clap::{Args, ValueEnum};
use engine::Bundle;
use engine::json::Str;
use engine::load::{Extension, Followed, Host, Kubernetes, settle_subresources};
use engine::matching::UserInfo;
use engine::policy::PolicyKind;
use engine_celpolicy::{AS_WRITTEN, WITH_STEPS};
use engine_lenses::wire::Input;

/// As whom policies are evaluated.
#[derive(Args, Clone, Default)]
pub(crate) struct AsHost {
    /// As whom policies are evaluated
    #[arg(long, value_name = "HOST", conflicts_with = "as_cluster")]
    host: Option<HostName>,
    /// The same as --host cluster
    #[arg(long)]
    as_cluster: bool,
    /// Decide policies of Kubernetes as an API server of this release does, `1.30` to `1.38` (1.37 without it); implies --as-cluster
    #[arg(long, value_name = "RELEASE", conflicts_with = "host")]
    kubernetes: Option<Kubernetes>,
    /// In a cluster: evaluate objects as they are written, without what an API server fills in and leaves out
    #[arg(long)]
    as_written: bool,
}

/// Whose verdicts are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HostName {
    /// As `kyverno apply` and `kyverno test` decide; the default
    Cli,
    /// As the Kyverno Playground decides: no namespace is added, and Kyverno's resource filters count
    Playground,
    /// As a cluster decides: whole numbers are integers, objects of --old-resource are updated, namespaces, bindings and
    /// parameters count; policies of Kubernetes as an API server does
    Cluster,
}

impl AsHost {
    /// The host that a flag names.
    pub(crate) fn named(&self) -> Option<Host> {
        let is_cluster = self.as_cluster || self.kubernetes.is_some();
        let flag = if is_cluster { Some(HostName::Cluster) } else { self.host };
        flag.map(|name| match name {
            HostName::Cli => Host::Cli,
            HostName::Playground => Host::Playground,
            HostName::Cluster => Host::Cluster,
        })
    }

    /// Refuses what a command cannot follow that asks for a host alone.
    ///
    /// # Errors
    /// The flag that it does not have.
    pub(crate) fn refuse_release(&self) -> Result<(), String> {
        let flags = [("--kubernetes", self.kubernetes.is_some()), ("--as-written", self.as_written)];
        match flags.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => {
                Err(format!("{flag} is for apply, explain, test and cleanup: give --as-cluster alone"))
            }
            None => Ok(()),
        }
    }

    /// The same, where nobody says otherwise the terminal program.
    pub(crate) fn host(&self) -> Host {
        self.named().unwrap_or(Host::Cli)
    }

    /// The same with the release of Kubernetes, where nobody says otherwise as a cluster.
    pub(crate) fn followed_in_cluster(&self) -> Followed {
        Followed {
            host: self.named().unwrap_or(Host::Cluster),
            kubernetes: self.kubernetes.unwrap_or_default(),
        }
    }

    /// What evaluates policies in CEL, and whether objects are stored before policies see them.
    pub(crate) fn extension(&self) -> &'static Extension {
        if self.as_written { AS_WRITTEN } else { WITH_STEPS }
    }

    /// An input without texts that asks for the same.
    pub(crate) fn input(&self) -> Input {
        let kubernetes = self.kubernetes.map(|release| release.to_string());
        Input { host: Some(self.host().as_str().to_owned()), kubernetes, ..Input::default() }
    }

    /// The same with the release of Kubernetes.
    pub(crate) fn followed(&self) -> Followed {
        Followed { host: self.host(), kubernetes: self.kubernetes.unwrap_or_default() }
    }
}

/// With which request.
#[derive(Args, Default)]
pub(crate) struct Asked {
    /// What is done with the resources; else they are updated where --old-resource has them, and created where not
    #[arg(long, value_name = "OPERATION")]
    operation: Option<Operation>,
    /// The subresource that requests are for: `ephemeralcontainers`, `exec`, `eviction`, `deployments/scale`
    #[arg(long, value_name = "NAME")]
    subresource: Option<String>,
    /// Who asks: a name such as `jane` or `system:serviceaccount:NAMESPACE:NAME`, with the groups that an API server gives it
    #[arg(long, value_name = "NAME", conflicts_with = "userinfo")]
    user: Option<String>,
}

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPER")]
enum Operation {
    /// Creates
    Create,
    /// Updates
    Update,
    /// Deletes
    Delete,
    /// Connects, as `exec` does
    Connect,
}

impl Operation {
    const fn as_str(self) -> &'static str {
        match self {
            Operation::Create => "CREATE",
            Operation::Update => "UPDATE",
            Operation::Delete => "DELETE",
            Operation::Connect => "CONNECT",
        }
    }
}

impl Asked {
    /// Puts into the settings what the flags ask for.
    ///
    /// # Errors
    /// Why no resource is a request for the subresource.
    pub(crate) fn settle(&self, bundle: &mut Bundle) -> Result<(), String> {
        if let Some(operation) = self.operation {
            bundle.settings.ask_for(operation.as_str());
        }
        if let Some(name) = &self.user {
            bundle.settings.user = Some(authenticated(name));
        }
        if let Some(subresource) = &self.subresource {
            bundle.settings.subresource = Some(Str::from(subresource.as_str()));
            return settle_subresources(bundle).map_err(|why| format!("--subresource: {why}"));
        }
        Ok(())
    }

    /// Whether the whole of the resources has to be known for what the flags ask for.
    pub(crate) fn is_given(&self) -> bool {
        self.operation.is_some() || self.subresource.is_some() || self.user.is_some()
    }

    /// What a flag asks for that policies do not hear of as this host asks them.
    // Kyverno: pkg/admissionpolicy asks the policies of Kubernetes about creations; no policy in CEL is asked about a subresource.
    pub(crate) fn unheard(&self, bundle: &Bundle) -> Option<&'static str> {
        let has = |is_it: fn(&PolicyKind) -> bool| {
            bundle.policies.iter().any(|policy| policy.body.is_some() && is_it(&policy.kind))
        };
        if bundle.host == Host::Cluster {
            None
        } else if self.subresource.is_some() && has(|_| true) {
            Some("--subresource does not count for policies in CEL, as in `kyverno apply`: add --as-cluster")
        } else if self.operation.is_some() && has(|kind| kind.as_str().contains("AdmissionPolicy")) {
            Some(
                "--operation does not count for policies of Kubernetes, as in `kyverno apply`: add --as-cluster",
            )
        } else if !bundle.settings.subresources.is_empty() && self.subresource.is_none() && has(|_| true) {
            Some(
                "`subresources` of a values file do not count for policies in CEL, as in `kyverno apply`: add --as-cluster",
            )
        } else {
            None
        }
    }
}

/// A user with the groups that every cluster gives one of this name.
// Kubernetes: staging/src/k8s.io/apiserver/pkg/authentication/{serviceaccount,request/union}.
fn authenticated(name: &str) -> UserInfo {
    let mut groups = Vec::new();
    if let Some(account) = name.strip_prefix("system:serviceaccount:") {
        let namespace = account.split(':').next().unwrap_or_default();
        groups.push(Str::new_static("system:serviceaccounts"));
        groups.push(Str::from(format!("system:serviceaccounts:{namespace}")));
    }
    let everybody =
        if name == "system:anonymous" { "system:unauthenticated" } else { "system:authenticated" };
    groups.push(Str::new_static(everybody));
    UserInfo { username: Str::from(name), groups, ..UserInfo::default() }
}
