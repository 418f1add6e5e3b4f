//! The arguments of `podsieve psp`.
//!
//! In: `psp check -f cluster/ --kubernetes-version 1.18`. Out: a [`Psp`].

use super::Format;
use clap::{Args, Subcommand};

/// Evaluate Pods against PodSecurityPolicies (removed in Kubernetes 1.25), with the RBAC that grants them
#[derive(Args)]
pub(crate) struct Psp {
    #[command(subcommand)]
    pub(crate) command: PspCommand,
}

/// What to ask.
#[derive(Subcommand)]
pub(crate) enum PspCommand {
    /// Show which policy admits each Pod, or the message with which it is refused
    #[command(after_help = EXAMPLES)]
    Check(PspCheck),
}

const EXAMPLES: &str = "\
Examples:
  podsieve psp check -f cluster/   policies, roles, bindings and Pods in one folder
  podsieve psp check -f psp.yaml -f rbac.yaml -f istio-cni.yaml --kubernetes-version 1.18
  podsieve psp check -f psp.yaml -f pod.yaml --user alice --group developers

Pods of a DaemonSet, a Deployment and the like are evaluated as their controller makes them. Where no role or \
binding is among the files, everybody may use every policy, and the output says so.

Exit codes: 1 if a Pod is refused, or if a file cannot be read or a policy cannot be used; otherwise 0.";

/// `psp check`.
#[derive(Args)]
pub(crate) struct PspCheck {
    /// Files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input; may be given several times
    #[arg(short, long = "filename", value_name = "PATH", required = true, value_delimiter = ',')]
    pub(crate) filename: Vec<String>,
    /// The release of Kubernetes, at most 1.24, the last one with PodSecurityPolicies; the messages changed with 1.19
    #[arg(long, value_name = "VERSION", default_value = "1.24")]
    pub(crate) kubernetes_version: String,
    /// The user who creates the Pods that no controller creates
    #[arg(long, value_name = "NAME", default_value = "", conflicts_with = "service_account")]
    pub(crate) user: String,
    /// A group of that user; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) group: Vec<String>,
    /// The service account that creates these Pods instead of a user: `namespace:name`
    #[arg(long, value_name = "NAMESPACE:NAME")]
    pub(crate) service_account: Option<String>,
    /// Evaluate what is written: a Pod without a service account does not get `default`
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}
