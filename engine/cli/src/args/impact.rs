//! The arguments of `podsieve impact`.
//!
//! In: `impact main..HEAD policies/ -r rendered.yaml`. Out: an [`Impact`].

use super::{AsHost, Asked};
use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  podsieve impact old/ new/ -r rendered.yaml                two folders or files
  podsieve impact main..HEAD policies/ -r rendered.yaml     two commits of this repository
  podsieve impact main...HEAD policies/ -r manifests/       since HEAD left main: a pull request
  podsieve impact main policies/ -r manifests/              a commit, and the files as they are now
  helm template shop | podsieve impact main policies/ -r -  a chart
  podsieve impact main...HEAD policies/ -r app/ --write markdown=comment.md --write sarif=i.sarif

Commits are read with the installed git: nothing is checked out, run or fetched. A word that is a path is a path; write \
`refs/heads/x` for a branch that is called as a folder.

Exit codes: 0 if nothing is decided otherwise; 2 if something is (`--fail-on` says what counts); 1 if something cannot be read \
or decided, whatever else was found.";

/// Show which objects are decided otherwise once policies change
///
/// OLD and NEW are folders, files, or commits (`main..HEAD`) with the paths of policies in them. Policies that are the same on both
/// sides are not evaluated; exceptions and bindings beside policies count.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Impact {
    /// OLD NEW, or a range of commits and paths, or a commit and paths
    #[arg(value_name = "OLD NEW", required = true)]
    pub(crate) sides: Vec<String>,
    /// The objects: files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input; lists are opened
    #[arg(short, long, alias = "resources", value_name = "PATH", value_delimiter = ',', required = true)]
    pub(crate) resource: Vec<String>,
    /// Files of existing objects that mutate rules may change and generate rules may clone
    #[arg(long, alias = "target-resources", value_name = "PATH", value_delimiter = ',')]
    pub(crate) target_resource: Vec<String>,
    /// Files of the parameter objects (`params`) of policies in CEL
    #[arg(long, alias = "parameter-resources", value_name = "PATH", value_delimiter = ',')]
    pub(crate) parameter_resource: Vec<String>,
    /// Files of PolicyExceptions, for both sides
    #[arg(short, long, alias = "exceptions", value_name = "PATH", value_delimiter = ',')]
    pub(crate) exception: Vec<String>,
    /// Files of CustomResourceDefinitions, for the names and the schemas of custom kinds
    #[arg(long, value_name = "FILE", value_delimiter = ',', alias = "crd-path")]
    pub(crate) crd_paths: Vec<String>,
    /// A file with values for variables and labels of namespaces
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values_file: Option<String>,
    /// A file with user info: user name, groups, roles, cluster roles
    #[arg(short, long, value_name = "FILE")]
    pub(crate) userinfo: Option<String>,
    /// A file with the data of images that a registry would give: digests, manifests, signatures, attestations
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) image_data: Vec<String>,
    #[command(flatten)]
    pub(crate) by: AsHost,
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// Exit with 2 for these alone; other changes exit with 0
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<FailOn>,
    /// Exit with 0 also if something changes
    #[arg(long, conflicts_with = "fail_on")]
    pub(crate) exit_zero: bool,
    /// Show also what a cluster does not notice: other messages, rules that are newly skipped or checked
    #[arg(long)]
    pub(crate) all_changes: bool,
    /// Evaluate all policies twice, not only those that changed
    #[arg(long)]
    pub(crate) all: bool,
    /// How many rows of a policy are shown; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Which changed policies are searched for an object that shows the difference
    #[arg(long, value_name = "WHICH", default_value = "unshown")]
    pub(crate) compare: CompareWhich,
    /// How long all of them are searched
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) max_seconds: u64,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ImpactFormat,
    /// Write another form into a file as well: `markdown=comment.md`, `summary=FILE`, `json=FILE`, `sarif=FILE`, `sarif-new=FILE`
    #[arg(long, value_name = "FORM=FILE")]
    pub(crate) write: Vec<String>,
    /// The name in the first line of the Markdown, by which a comment is found again
    #[arg(long, value_name = "NAME", default_value = "impact")]
    pub(crate) name: String,
    /// How many characters the Markdown may have
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    pub(crate) max_characters: usize,
    /// Show messages about Secrets
    #[arg(long)]
    pub(crate) show_secrets: bool,
}

/// What ends with 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Any change that a cluster notices
    Changed,
    /// Requests that are refused now
    NewlyDenied,
    /// Failures that are reported now
    NewlyReported,
    /// Requests that are let in now
    NewlyAllowed,
    /// Policies that differ although no given object shows it
    Constructed,
}

/// Which pairs of policies are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareWhich {
    /// Those of which no object shows a change
    Unshown,
    /// All that changed
    All,
    /// None
    None,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImpactFormat {
    /// For people
    Text,
    /// For a comment on a pull request
    Markdown,
    /// For programs
    Json,
    /// SARIF 2.1.0 with `baselineState`
    Sarif,
}
