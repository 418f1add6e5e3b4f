//! The arguments of `podsieve check`.

use clap::{Args, ValueEnum};
use engine::load::Kubernetes;

const EXAMPLES: &str = "\
Examples:
  podsieve check policies/                        all policies and what goes with them
  podsieve check policies/ --kubernetes 1.30      as an API server of that release takes them
  podsieve check manifests/ --static-manifests    a folder that an API server reads when it starts
  podsieve check policies/ --output json          for programs

Exit codes: 1 if one of them is refused or cannot be read; otherwise 0.";

/// Check whether an API server and Kyverno take policies, bindings, exceptions and parameters
///
/// An API server says what it does not store of its own kinds and of parameters, Kyverno's webhook what it does not take, and the API
/// server what it does not take of the webhooks that Kyverno makes of policies in CEL.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Files, folders with all their subfolders, glob patterns, or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<String>,
    /// The release of Kubernetes whose API server is asked, `1.30` to `1.38`
    #[arg(long, value_name = "RELEASE", default_value_t)]
    pub(crate) kubernetes: Kubernetes,
    /// Check folders for `staticManifestsDir`, from which an API server since 1.37 reads policies when it starts: one file that it does
    /// not take stops it
    #[arg(long)]
    pub(crate) static_manifests: bool,
    /// How the answer is written
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: CheckFormat,
}

/// How the answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// A line for each problem, for people
    Text,
    /// One document, for programs
    Json,
}
