//! The arguments, with the names and the short forms of the original.
//!
//! In: the command line. Out: a [`Cli`]. `--table=false` is taken as Go's flags take it: as if `--table` was not there.

mod ask;
mod asking;
mod bundle;
mod cel;
mod check;
mod compare;
mod completion;
mod convert;
mod create;
mod elsewhere;
mod explain;
mod fix;
mod impact;
mod jp;
mod lenient;
mod mcp;
mod mesh;
mod psa;
mod psp;
mod serve;
mod sieve;
mod test;
mod usage;

pub(crate) use ask::Ask;
pub(crate) use asking::{AsHost, Asked};
pub(crate) use bundle::Bundle;
pub(crate) use cel::{Cel, CelCheck, CelCommand, CelEval, CelFunctions};
pub(crate) use check::{Check, CheckFormat};
pub(crate) use compare::{Compare, CompareGap, CompareOperation};
pub(crate) use completion::{Completion, Form};
pub(crate) use convert::{Convert, ConvertFormat, ConvertTo, Legacy};
pub(crate) use create::{
    Create, CreateClusterRole, CreateCommand, CreateException, CreateMetricsConfig, CreateTest,
    CreateUserInfo, CreateValues,
};
pub(crate) use elsewhere::Elsewhere;
pub(crate) use explain::{Explain, ExplainFormat};
pub(crate) use fix::{Fix, FixCommand, FixTest};
pub(crate) use impact::{CompareWhich, FailOn, Impact, ImpactFormat};
pub(crate) use jp::{Jp, JpCommand, JpParse, JpQuery};
pub(crate) use mcp::Mcp;
pub(crate) use mesh::{Mesh, MeshCommand, MeshFormat, MeshInject};
pub(crate) use psa::{
    CompileTarget, Format, Psa, PsaAdvise, PsaCheck, PsaCommand, PsaCompile, PsaLevel, PsaNamespace,
    PsaObjects,
};
pub(crate) use psp::{Psp, PspCheck, PspCommand};
pub(crate) use serve::Serve;
pub(crate) use sieve::{Sieve, SieveCheck, SieveCommand, SieveFiles, SieveFormat, SieveFunnel, SieveNarrow};
pub(crate) use test::{EVERY_ENTRY, Test};
pub(crate) use usage::hint;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;

/// Kyverno's verdicts on your machine: no cluster, no network, with the line that decided
#[derive(Parser)]
#[command(name = "podsieve", version, propagate_version = true, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// End a run that takes longer, with exit code 1 (2 of `compare`): `30s`, `5m`
    #[arg(long, global = true, value_name = "DURATION")]
    pub(crate) timeout: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  podsieve apply policy.yaml -r pod.yaml
  podsieve apply policies/ -r 'manifests/**/*.yaml' --table
  podsieve explain policy.yaml -r pod.yaml
  podsieve share open 'https://playground.kyverno.io/#/?content=…'

Verdicts, words, flags and exit codes are those of the `kyverno` command, so that \
`alias kyverno=podsieve` works in a CI job. What podsieve adds goes to standard error.";

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Evaluate policies against resources
    Apply(Box<Apply>),
    /// Explain why each rule decided as it did, and what would make it pass
    Explain(Explain),
    /// Run the tests of policies
    Test(Test),
    /// Bring test files of older forms into today's
    Fix(Fix),
    /// Check whether an API server and Kyverno take policies, bindings, exceptions and parameters
    Check(Check),
    /// Search for a request on which two policies decide differently
    Compare(Compare),
    /// Show which objects are decided otherwise once policies change
    Impact(Box<Impact>),
    /// Convert ClusterPolicies to policies in CEL, and compare each with its source
    Convert(Convert),
    /// List what a cluster without ClusterPolicies would lose
    Legacy(Legacy),
    /// Make one module for Kubewarden out of policies
    Bundle(Bundle),
    /// Show what cleanup policies and DeletingPolicies would delete, when, and why
    Cleanup(Cleanup),
    /// Try JMESPath expressions as policies see them
    Jp(Jp),
    /// Try CEL expressions as policies see them
    Cel(Cel),
    /// Write a file to start from: an exception, values, user info …
    Create(Create),
    /// Evaluate Pods against the Pod Security Standards, as Kubernetes' Pod Security Admission does
    Psa(Psa),
    /// Evaluate Pods against PodSecurityPolicies (removed in Kubernetes 1.25), with the RBAC that grants them
    Psp(Psp),
    /// Show how wide exemptions are: which other Pods get in, and the change that blocks them
    Sieve(Sieve),
    /// Show Pods as they arrive after injection by Istio or Linkerd
    Mesh(Mesh),
    /// Turn files into a Kyverno Playground link, and a link into files or verdicts
    Share(Share),
    /// Answer questions of other programs: JSON in, JSON out
    Ask(Ask),
    /// Answer agents by the Model Context Protocol, over standard input and output
    Mcp(Mcp),
    /// Answer tools of this machine over HTTP
    Serve(Serve),
    /// Print a completion script for a shell
    Completion(Completion),
    /// Print the version of podsieve, and the Kyverno release that it follows
    Version,
}

const APPLY_EXAMPLES: &str = "\
Examples:
  podsieve apply policy.yaml -r pod.yaml                   one policy, one resource
  podsieve apply policies/ -r resources/                   folders
  podsieve apply policies/ -r 'manifests/**/*.yaml' -t     a glob pattern; all verdicts in a table
  helm template chart | podsieve apply policies/ -r -      resources from standard input
  podsieve apply policy.yaml -r pod.yaml -f values.yaml    values for variables
  podsieve apply policy.yaml -r pod.yaml --explain         why each verdict came about, with lines
  podsieve apply policies/ -r app/ --report-format sarif   for code scanning in CI
  podsieve apply policies/ --cluster                       what runs in a cluster, live
  kubectl get pods -A -o json | podsieve apply policies/ -r - --open-lists
                                                           what runs in a cluster, item by item

Exit codes: 1 if a rule fails or cannot be decided, or if a given file cannot be used; the number of \
--warn-exit-code if the worst is a warning; otherwise 0.";

/// Evaluate policies against resources
///
/// Prints the verdicts that `kyverno apply` prints. Policies are files, folders, glob patterns or `-`.
#[derive(Args)]
#[command(after_help = APPLY_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the original")]
pub(crate) struct Apply {
    /// Policy files, folders with all their subfolders, glob patterns, or `-` for standard input
    #[arg(value_name = "POLICY")]
    pub(crate) policies: Vec<String>,

    /// Resource files, a folder, a glob pattern, or `-` for standard input; may be given several times
    #[arg(short, long, alias = "resources", value_name = "PATH", value_delimiter = ',')]
    pub(crate) resource: Vec<String>,
    /// Read resources as streams: the items of a `List` or of a list of a kind, one object a line, objects one after the other, as
    /// JSON or YAML; dumps by their shape; all paths, folders with all their subfolders
    #[arg(long)]
    pub(crate) open_lists: bool,
    /// What lines of --report-format ndjson call the cluster
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) cluster_name: String,
    /// Leave passes and skips out of --report-format ndjson; the counts hold them
    #[arg(long)]
    pub(crate) failures_only: bool,
    /// Do not count a pass that rests on an assumed answer, such as an empty list where no objects are given
    #[arg(long)]
    pub(crate) strict: bool,
    /// Files of the objects before the update: resources of the same kind and name count as updated, not as created
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub(crate) old_resource: Vec<String>,
    /// Files of existing objects that mutate rules may change and generate rules may clone
    #[arg(long, alias = "target-resources", value_name = "PATH", value_delimiter = ',')]
    pub(crate) target_resource: Vec<String>,
    /// Files of the parameter objects (`params`) of policies in CEL
    #[arg(long, alias = "parameter-resources", value_name = "PATH", value_delimiter = ',')]
    pub(crate) parameter_resource: Vec<String>,
    #[command(flatten)]
    pub(crate) by: AsHost,
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// JSON or YAML files of any shape, for policies in mode JSON; instead of --resource
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) json: Vec<String>,
    /// JSON files of HTTP requests, for policies in mode HTTP
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) http_payload: Vec<String>,
    /// JSON files of Envoy requests, for policies in mode Envoy
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) envoy_payload: Vec<String>,
    /// Files of CustomResourceDefinitions: the plural names and the schemas of custom kinds, which policies in CEL match and mutate
    #[arg(long, value_name = "FILE", value_delimiter = ',', alias = "crd-path")]
    pub(crate) crd_paths: Vec<String>,
    /// Files of PolicyExceptions
    #[arg(short, long, alias = "exceptions", value_name = "PATH", value_delimiter = ',')]
    pub(crate) exception: Vec<String>,
    /// Take PolicyExceptions from the resource files instead
    #[arg(long, alias = "exceptions-with-resources")]
    pub(crate) exceptions_within_resources: bool,
    /// Take PolicyExceptions from the policy files too
    #[arg(long)]
    pub(crate) exceptions_within_policies: bool,
    /// A file with values for variables
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values_file: Option<String>,
    /// Values for variables: `request.operation=UPDATE,other=1`
    #[arg(short, long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(crate) set: Vec<String>,
    /// A file with the metadata of images (`kind: Context`), for imageRegistry context entries
    #[arg(long, value_name = "FILE")]
    pub(crate) context_file: Option<String>,
    /// A file with user info: user name, groups, roles, cluster roles
    #[arg(short, long, value_name = "FILE")]
    pub(crate) userinfo: Option<String>,

    /// A file with the data of images that a registry would give: digests, manifests, signatures, attestations
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) image_data: Vec<String>,

    /// Evaluate Pods as they arrive after injection by a mesh: `istio@1.27,cni`; workloads are evaluated as written, and so
    /// are their Pods as they arrive
    #[arg(long, value_name = "MESH[@VERSION][,OPTION…]")]
    pub(crate) mesh: Option<String>,

    /// Count failures of policies with action Audit as warnings
    #[arg(long)]
    pub(crate) audit_warn: bool,
    /// Exit with this code if there are warnings and nothing worse
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) warn_exit_code: i64,
    /// Exit with the code of --warn-exit-code also if nothing passed
    #[arg(long)]
    pub(crate) warn_no_pass: bool,
    /// End with exit code 1 before anything is evaluated if a policy or exception is of a deprecated kind
    #[arg(long)]
    pub(crate) warnings_as_errors: bool,

    /// Show all verdicts as a table
    #[arg(short, long)]
    pub(crate) table: bool,
    /// Show messages in the table
    #[arg(long)]
    pub(crate) detailed_results: bool,
    /// Print a report of all verdicts instead of text
    #[arg(short, long)]
    pub(crate) policy_report: bool,
    /// Which report; any but the default implies --policy-report
    #[arg(long, value_name = "KIND")]
    pub(crate) report_format: Option<ReportFormat>,
    /// How reports and exceptions are written
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) output_format: String,
    /// Print a PolicyException for each failure instead of text
    #[arg(long)]
    pub(crate) generate_exceptions: bool,
    /// How long generated exceptions are valid, such as `1h30m`; 0 for no end
    #[arg(long, value_name = "DURATION", default_value = "720h", allow_hyphen_values = true)]
    pub(crate) generated_exception_ttl: String,
    /// Write mutated and generated objects to this file or folder
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<String>,
    /// Print only the mutated objects, to pipe them to kubectl
    #[arg(short = 'i', long)]
    pub(crate) stdin: bool,
    /// Explain each verdict step by step, with the lines of policy and resource
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show the rules that autogen makes for controllers of Pods, or why it makes none
    #[arg(long)]
    pub(crate) show_autogen: bool,
    /// Show which fields a GitOps tool will see as drift, and the `ignoreDifferences` for Argo CD
    #[arg(long)]
    pub(crate) drift: bool,
    /// Warn of fields and values that an API server would reject, in resources and in patterns
    #[arg(long)]
    pub(crate) check_resources: bool,
    /// No colours
    #[arg(long)]
    pub(crate) remove_color: bool,

    #[command(flatten)]
    pub(crate) elsewhere: Elsewhere,
}

/// Which report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// openreports.io, as `kyverno apply --policy-report` prints it
    Openreports,
    /// wgpolicyk8s.io/v1alpha2 PolicyReport and ClusterPolicyReport, one for each resource, as in a cluster
    Wgpolicy,
    /// JUnit XML, for CI servers
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// One line of JSON a verdict, written as it is decided; the last line has the counts
    Ndjson,
}

const CLEANUP_EXAMPLES: &str = "\
Examples:
  podsieve cleanup cleanup.yaml -r pods.yaml
  kubectl get pod -A -o json | jq -r '.items[] | \"---\", tojson' | podsieve cleanup cleanup.yaml -r -
  podsieve cleanup cleanup.yaml -r pods.yaml --at 2026-12-24T02:00:00Z   as if it were then

Exit codes: 1 if something cannot be decided or read; otherwise 0. Nothing is deleted.";

/// Show what cleanup policies and DeletingPolicies would delete, when, and why
#[derive(Args)]
#[command(after_help = CLEANUP_EXAMPLES)]
pub(crate) struct Cleanup {
    /// Files, folders or glob patterns with `CleanupPolicy`, `ClusterCleanupPolicy` or `DeletingPolicy`
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<String>,
    /// The objects of the cluster: files, a folder, a glob pattern, or `-` for standard input
    #[arg(short, long, alias = "resources", value_name = "PATH", value_delimiter = ',', required = true)]
    pub(crate) resource: Vec<String>,
    /// A file with the labels of namespaces and values for variables
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values_file: Option<String>,
    /// Evaluate as if it were this time
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) by: AsHost,
}

/// Turn files into a Kyverno Playground link, and a link into files or verdicts
#[derive(Args)]
pub(crate) struct Share {
    #[command(subcommand)]
    pub(crate) command: ShareCommand,
}

const SHARE_ENCODE_EXAMPLES: &str = "\
Example:
  podsieve share encode --policy policy.yaml --resource pod.yaml --context context.yaml";

const SHARE_DECODE_EXAMPLES: &str = "\
Examples:
  podsieve share decode 'https://playground.kyverno.io/#/?content=…'
  podsieve share decode 'https://playground.kyverno.io/#/?content=…' -o issue-1234/
  podsieve share decode - < link.txt";

const SHARE_OPEN_EXAMPLES: &str = "\
Example:
  podsieve share open 'https://playground.kyverno.io/#/?content=…' --explain

Exit codes: those of `podsieve apply`.";

/// What to do with a link.
#[derive(Subcommand)]
pub(crate) enum ShareCommand {
    /// Print the link that opens these files
    #[command(after_help = SHARE_ENCODE_EXAMPLES)]
    Encode(Box<ShareEncode>),
    /// Print the files in a link, or write them into a folder
    #[command(after_help = SHARE_DECODE_EXAMPLES)]
    Decode(ShareDecode),
    /// Evaluate what is in a link, as the link says or else as the Playground would
    #[command(after_help = SHARE_OPEN_EXAMPLES)]
    Open(ShareOpen),
}

/// The texts of a link.
#[derive(Args)]
pub(crate) struct ShareEncode {
    /// Policy files; several are joined into one
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) policy: Vec<String>,
    /// Resource files; several are joined into one
    #[arg(short, long, value_name = "FILE")]
    pub(crate) resource: Vec<String>,
    /// The resources before an update
    #[arg(long, value_name = "FILE")]
    pub(crate) old_resource: Vec<String>,
    /// The Playground's context: user, operation, variables
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Vec<String>,
    /// Kyverno's ConfigMap
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<String>,
    /// Custom resource definitions
    #[arg(long, value_name = "FILE")]
    pub(crate) crd: Vec<String>,
    /// Objects that the policies may look up
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_resource: Vec<String>,
    /// PolicyExceptions
    #[arg(short, long, value_name = "FILE")]
    pub(crate) exception: Vec<String>,
    /// The page that the link opens
    #[arg(long, value_name = "URL", default_value = "https://playground.kyverno.io/")]
    pub(crate) page: String,
}

/// A link to read.
#[derive(Args)]
pub(crate) struct ShareDecode {
    /// The link, a part of it, or `-` for standard input
    pub(crate) link: String,
    /// Write each file into this folder; existing files are not overwritten
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<String>,
}

/// A link to evaluate.
#[derive(Args)]
pub(crate) struct ShareOpen {
    /// The link, a part of it, or `-` for standard input
    pub(crate) link: String,
    /// Explain each verdict step by step, with the lines of policy and resource
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) by: AsHost,
}

/// The whole command line.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Reads the command line.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let command = lenient::lenient(Cli::command());
    let plain = without_switch_values(arguments, &switches(&command));
    Cli::from_arg_matches(&command.try_get_matches_from(plain)?)
}

/// Whether a command line is one of `compare`, also where the rest of it does not parse.
pub(crate) fn is_compare(arguments: impl Iterator<Item = OsString>) -> bool {
    let read = Cli::command().ignore_errors(true).try_get_matches_from(arguments);
    read.is_ok_and(|read| read.subcommand_name() == Some("compare"))
}

/// The flags that are on or off, as `--name` and `-n`, of all commands.
fn switches(command: &clap::Command) -> Vec<String> {
    let switch = |argument: &&clap::Arg| matches!(argument.get_action(), clap::ArgAction::SetTrue);
    let names = command.get_arguments().filter(switch).flat_map(|argument| {
        let long = argument.get_long_and_visible_aliases().unwrap_or_default();
        let hidden = argument.get_all_aliases().unwrap_or_default();
        let long = long.into_iter().chain(hidden).map(|name| format!("--{name}"));
        long.chain(argument.get_short().map(|name| format!("-{name}"))).collect::<Vec<_>>()
    });
    names.chain(command.get_subcommands().flat_map(switches)).collect()
}

/// `--table=true` becomes `--table`, and `--table=false` goes.
// Go: pflag, strconv.ParseBool.
fn without_switch_values(arguments: impl Iterator<Item = OsString>, switches: &[String]) -> Vec<OsString> {
    let plain = |argument: OsString| {
        let text = argument.to_string_lossy().into_owned();
        match text.split_once('=') {
            Some((name, value)) if switches.iter().any(|switch| switch == name) => match value {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(OsString::from(name)),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => None,
                _ => Some(argument),
            },
            _ => Some(argument),
        }
    };
    arguments.filter_map(plain).collect()
}
