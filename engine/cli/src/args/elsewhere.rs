//! Flags of `apply` that ask a cluster, a registry or a server, or that only such runs need.
//!
//! In: the command line. Out: a cluster is asked; what only a registry or a server could answer is read and has no effect.

use clap::Args;

/// Flags of the original that ask a cluster, a registry or a server, or that only such runs need.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the original")]
pub(crate) struct Elsewhere {
    /// Evaluate what runs in a cluster, read by `kubectl proxy` page by page; nothing is written
    #[arg(short, long)]
    pub(crate) cluster: bool,
    /// With --cluster and --namespace: read kinds of the cluster too
    #[arg(long)]
    pub(crate) cluster_wide_resources: bool,
    /// With --cluster: ask a `kubectl proxy` that runs already: `unix:PATH` or `http://127.0.0.1:PORT`
    #[arg(long, value_name = "ADDRESS", requires = "cluster")]
    pub(crate) api: Option<String>,
    /// With --cluster: print what would be read, with the number of objects, and end
    #[arg(long, requires = "cluster")]
    pub(crate) dry_run: bool,
    #[arg(long, hide = true)]
    pub(crate) registry: bool,
    /// With --cluster: the file with the way to the cluster, as for kubectl
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<String>,
    /// With --cluster: the context of that file
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
    /// With --cluster: read this namespace alone
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
    #[arg(short = 'b', long, hide = true)]
    pub(crate) git_branch: Option<String>,
    #[arg(long, hide = true)]
    pub(crate) username: Option<String>,
    #[arg(long, hide = true)]
    pub(crate) password: Option<String>,
    #[arg(long, hide = true)]
    pub(crate) continue_on_fail: bool,
    #[arg(long, hide = true)]
    pub(crate) continue_on_error: bool,
    #[arg(long, hide = true)]
    pub(crate) show_performance: bool,
    #[arg(long, hide = true)]
    pub(crate) concurrent: Option<String>,
    /// With --cluster: how many objects a page has
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) batch_size: u16,
}
