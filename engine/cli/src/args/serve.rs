//! The arguments of `podsieve serve`.

use super::AsHost;
use clap::Args;
use std::net::SocketAddr;

const EXAMPLES: &str = "\
Examples:
  podsieve serve policies/            on http://127.0.0.1:8080
  curl --data-binary @pod.yaml http://127.0.0.1:8080/v1alpha1/evaluate/Kubernetes

  POST /v1alpha1/evaluate/Kubernetes  what the policies decide about the objects in the body
                                      (JSON, HTTP, Envoy: about payloads of these modes)
  GET  /v1alpha1/policies             what is loaded, and its digest
  POST /explain, /compare, …          the questions of `podsieve ask --list`, JSON in and out
  GET  /healthz, /readyz              whether the server lives, and whether the files of now load

For tools on this machine: it listens on loopback alone, and pages of other origins are refused. It is no admission webhook; in a cluster \
`podsieve bundle` puts the same policies into Kubewarden.
Policies are read anew when their files change or on SIGHUP; a set that does not load takes the place of none.";

/// Answer tools of this machine over HTTP: verdicts of a set of policies, and every question of the library
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Policy files or folders (searched for YAML and JSON)
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<String>,
    /// Where to listen: an address of this machine alone
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub(crate) address: SocketAddr,
    #[command(flatten)]
    pub(crate) by: AsHost,
}
