//! The arguments of `podsieve bundle`.
//!
//! In: `bundle policies/ -o policy.wasm`. Out: a [`Bundle`].

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  podsieve bundle policies/ -o policy.wasm             a module that holds these policies
  podsieve bundle policies/ --settings settings.yaml   with a level of Pod Security, an action
  podsieve bundle policies/ --manifest                 a ClusterAdmissionPolicy, and no module
  podsieve bundle --check policy.wasm requests/        what a module answers to requests

The module without policies is made by `cargo xtask policy` (engine/kubewarden/dist/podsieve-policy.wasm); it is looked for beside \
podsieve itself, or where --module says.

Exit codes: 1 if policies cannot be used, or if a request is refused or not answered by --check; otherwise 0.";

/// Make one module for Kubewarden out of policies
///
/// The module decides in a cluster what `podsieve apply` decides here, in the words of Kyverno's webhooks. Its metadata and a README are
/// written beside it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bundle {
    /// Policy files, folders, patterns, or `-` for standard input; with --check files of requests
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// The module to write; NAME.metadata.yml and NAME.README.md come beside it
    #[arg(short, long, value_name = "FILE", default_value = "policy.wasm")]
    pub(crate) output: String,
    /// Exceptions that the module holds
    #[arg(short, long, value_name = "FILE")]
    pub(crate) exception: Vec<String>,
    /// Settings that the module holds besides: podSecurity, namespaceLabels, action, failurePolicy
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<String>,
    /// The module without policies
    #[arg(long, value_name = "FILE")]
    pub(crate) module: Option<String>,
    /// Print a ClusterAdmissionPolicy for the module, and write nothing
    #[arg(long)]
    pub(crate) manifest: bool,
    /// Where the module will be pulled from, for the manifest
    #[arg(long, value_name = "URL", default_value = "registry://registry.example.com/policy:v1")]
    pub(crate) from: String,
    /// Ask this module about requests, and write nothing
    #[arg(long, value_name = "MODULE", conflicts_with = "manifest")]
    pub(crate) check: Option<String>,
}
