//! The arguments of `podsieve compare`.
//!
//! In: `compare old.yaml new.yaml --enforced`. Out: a [`Compare`].

use super::Format;
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  podsieve compare old.yaml new.yaml                        two policies
  podsieve compare policies/ policies-vpol/                 folders, paired by the names of files
  podsieve compare --pairs pairs.txt                        each line an old and a new path
  podsieve compare old.yaml new.yaml -r pods.yaml           objects to start from
  podsieve compare level:restricted restricted-policies/    a level of Pod Security against policies
  podsieve compare old.yaml new.yaml --write-test test/     a test on which the two differ
  podsieve compare old.yaml vpol.yaml --ignore-gaps all     ignore what every rewrite in CEL changes

Each request is evaluated by both sides, as in a cluster. `same`: they differ only in messages, comments or order. \
`no difference found`: no request showed a difference; the output says how far the search went, and promises nothing else.

Exit codes: 1 if a pair is different; 2 if none is and one cannot be compared or notices too few mistakes (`--min-noticed`), \
or if an argument or a file is wrong; otherwise 0.";

/// Search for a request on which two policies decide differently
///
/// Policies are ClusterPolicy, Policy, policies in CEL of Kyverno and of Kubernetes, PodSecurityPolicies, and levels of Pod Security
/// (`level:baseline`, `level:restricted@v1.30`).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Compare {
    /// The old policies: a file, a folder, or a level of Pod Security
    #[arg(value_name = "OLD", required_unless_present = "pairs")]
    pub(crate) old: Option<String>,
    /// The new policies
    #[arg(value_name = "NEW", required_unless_present = "pairs", requires = "old")]
    pub(crate) new: Option<String>,
    /// A file with an old and a new path on each line, relative to the file; a path with spaces in double quotes, `#` begins a comment
    #[arg(long, value_name = "FILE", conflicts_with_all = ["old", "new"])]
    pub(crate) pairs: Option<String>,
    /// Compare both folders as a whole, not file by file
    #[arg(long)]
    pub(crate) whole: bool,
    /// Objects to start from; may be given several times
    #[arg(short, long, value_name = "PATH", value_delimiter = ',')]
    pub(crate) resource: Vec<String>,
    /// Compare also the status of each rule, not only what a cluster does
    #[arg(long)]
    pub(crate) rules: bool,
    /// Compare as if the action of every policy were Enforce: what fails is refused
    #[arg(long)]
    pub(crate) enforced: bool,
    /// Ignore differences that come from the kinds of policies alone, or that only unusual texts show
    #[arg(long, value_name = "GAP", value_delimiter = ',')]
    pub(crate) ignore_gaps: Vec<CompareGap>,
    /// Operations that are tried; by default create and update, and delete if a policy names it
    #[arg(long, value_name = "OPERATION", value_delimiter = ',')]
    pub(crate) operations: Vec<CompareOperation>,
    /// How many requests are tried for each pair
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub(crate) max_requests: usize,
    /// How long each pair is searched
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) max_seconds: u64,
    /// How many small mistakes are put into the new policies, to measure how many of them the search notices
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub(crate) mutants: usize,
    /// For CI: exit with 2 if no difference is found and fewer of these mistakes are noticed
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) min_noticed: Option<u8>,
    /// The seed of random choices: the same seed gives the same answer
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Write tests that show the differences into this folder; several into folders in it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) write_test: Option<String>,
    /// Show all differences that were found, not only the first three of each pair
    #[arg(long)]
    pub(crate) all: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// What is done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareOperation {
    /// The object is created
    Create,
    /// The object is updated
    Update,
    /// The object is deleted
    Delete,
}

/// What kinds of policies differ in, whatever the policies say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareGap {
    /// All of them
    All,
    /// ClusterPolicies for Pods are asked about `pods/ephemeralcontainers`, policies in CEL must name it
    EphemeralContainers,
    /// Autogen extends ClusterPolicies to ReplicationControllers, but not policies in CEL
    ReplicationControllers,
    /// ClusterPolicies admit updates of objects that failed before, policies in CEL do not
    ExistingViolations,
    /// Images that cannot be read as references, so that no kubelet pulls them
    UnreadableImages,
    /// Texts of objects with `*` or `?`, which ClusterPolicies may read as wildcards
    Wildcards,
    /// ClusterPolicies put changed containers first, policies in CEL keep their order
    ElementOrder,
    /// `podSecurity` reads annotations of a CronJob at the template of its Jobs, policies in CEL do not
    JobAnnotations,
}
