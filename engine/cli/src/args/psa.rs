//! The arguments of `podsieve psa`.
//!
//! In: `psa check -f manifests/ --level baseline --version v1.31`. Out: a [`Psa`].

use clap::{Args, Subcommand, ValueEnum};

/// Evaluate Pods against the Pod Security Standards, as Kubernetes' Pod Security Admission does
#[derive(Args)]
pub(crate) struct Psa {
    #[command(subcommand)]
    pub(crate) command: PsaCommand,
}

/// What to ask.
#[derive(Subcommand)]
pub(crate) enum PsaCommand {
    /// Check Pods and workloads by level and version
    #[command(after_help = CHECK_EXAMPLES, disable_version_flag = true)]
    Check(PsaCheck),
    /// Show what the API server answers in each namespace, by its labels and the cluster's configuration
    #[command(after_help = NAMESPACE_EXAMPLES, disable_version_flag = true)]
    Namespace(PsaNamespace),
    /// Show how strict each namespace could be, and what to change for the next level
    #[command(after_help = ADVISE_EXAMPLES, disable_version_flag = true)]
    Advise(PsaAdvise),
    /// Write a level with exemptions as policies: ValidatingPolicies, a ValidatingAdmissionPolicy, a ClusterPolicy
    #[command(after_help = COMPILE_EXAMPLES, disable_version_flag = true)]
    Compile(PsaCompile),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  podsieve psa check -f manifests/                      each object's level, what fails above it
  podsieve psa check -f manifests/ --level restricted   exit code 1 if something does not satisfy it
  podsieve psa check -f pod.yaml --level baseline --version v1.26
  helm template chart | podsieve psa check -f - --level baseline --format sarif

Exit codes: 1 if --level is given and an object does not satisfy it, or if a file cannot be read; otherwise 0.";

const NAMESPACE_EXAMPLES: &str = "\
Examples:
  podsieve psa namespace -f cluster/                        labels come from Namespaces in the files
  podsieve psa namespace -f app/ --label enforce=baseline   as if every namespace had this label
  podsieve psa namespace -f app/ --label prod:enforce=restricted --label prod:enforce-version=v1.31
  podsieve psa namespace -f app/ --admission-config config.yaml --user alice

Exit codes: 1 if something is refused, or if a file cannot be read; otherwise 0.";

const ADVISE_EXAMPLES: &str = "\
Example:
  podsieve psa advise -f manifests/

Exit codes: 1 if a file cannot be read; otherwise 0.";

const COMPILE_EXAMPLES: &str = "\
Examples:
  podsieve psa compile level.yaml --to vap         a policy of Kubernetes with its binding
  podsieve psa compile --level restricted          a ValidatingPolicy for each check
  podsieve psa compile policy.yaml --to vap        of a ClusterPolicy with a podSecurity rule

A level in YAML; only `level` must be there, `exclude` is that of a podSecurity rule:
  name: restricted-with-mesh
  level: restricted
  version: v1.32
  action: Deny
  exclude:
  - controlName: Capabilities
    images: ['docker.io/istio/proxyv2:*']
    restrictedField: spec.initContainers[*].securityContext.capabilities.add
    values: [NET_ADMIN, NET_RAW]
  exemptions: {namespaces: [kube-system]}

Exit codes: 1 if a file cannot be compiled, otherwise 0.";

/// The objects, and how they are looked at.
#[derive(Args)]
pub(crate) struct PsaObjects {
    /// Files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input; may be given several times
    #[arg(short, long = "filename", value_name = "PATH", required = true, value_delimiter = ',')]
    pub(crate) filename: Vec<String>,
    /// The version of the Pod Security Standards: `latest`, or `v1.N`
    #[arg(long, value_name = "VERSION", default_value = "latest")]
    pub(crate) version: String,
    /// Evaluate what is written, without the defaults that an API server fills in
    #[arg(long)]
    pub(crate) as_written: bool,
    /// Evaluate Pods as they arrive after injection by a mesh: `istio@1.27,cni`; workloads are evaluated as written, and so
    /// are their Pods as they arrive
    #[arg(long, value_name = "MESH[@VERSION][,OPTION…]")]
    pub(crate) mesh: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people, with files and lines
    Text,
    /// The whole answer, as the npm module gives it
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
}

/// A level that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PsaLevel {
    /// Forbids known privilege escalations
    Baseline,
    /// Forbids what baseline forbids, and asks for a hardened Pod
    Restricted,
}

/// `psa check`.
#[derive(Args)]
pub(crate) struct PsaCheck {
    #[command(flatten)]
    pub(crate) objects: PsaObjects,
    /// The level to check; without it, the highest level of each object is shown
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<PsaLevel>,
}

/// `psa namespace`.
#[derive(Args)]
pub(crate) struct PsaNamespace {
    #[command(flatten)]
    pub(crate) objects: PsaObjects,
    /// Evaluate as if this label were set: `enforce=baseline` on every namespace, `prod:warn=restricted` on one
    #[arg(short, long, value_name = "[NAMESPACE:]NAME=VALUE", value_delimiter = ',')]
    pub(crate) label: Vec<String>,
    /// The cluster's configuration: an AdmissionConfiguration or a PodSecurityConfiguration
    #[arg(long, value_name = "FILE")]
    pub(crate) admission_config: Option<String>,
    /// The user who makes the request, for the exemptions in the configuration
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) user: String,
}

/// `psa advise`.
#[derive(Args)]
pub(crate) struct PsaAdvise {
    #[command(flatten)]
    pub(crate) objects: PsaObjects,
}

/// `psa compile`.
#[derive(Args)]
pub(crate) struct PsaCompile {
    /// Files with levels, or with ClusterPolicies that have podSecurity rules; folders, glob
    /// patterns, or `-` for standard input
    #[arg(value_name = "FILE", conflicts_with = "level")]
    pub(crate) files: Vec<String>,
    /// A level without exemptions, instead of files
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<PsaLevel>,
    /// The version of the Pod Security Standards for --level: `latest`, or `v1.N`
    #[arg(long, value_name = "VERSION", default_value = "latest", requires = "level")]
    pub(crate) version: String,
    /// What to write
    #[arg(long, value_name = "TARGET", default_value = "vpol")]
    pub(crate) to: CompileTarget,
}

/// What a level becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompileTarget {
    /// ValidatingPolicies of Kyverno, one for each check
    Vpol,
    /// A ValidatingAdmissionPolicy of Kubernetes with its binding
    Vap,
    /// A ClusterPolicy with a podSecurity rule
    Classic,
    /// A ClusterPolicy with a rule in CEL for each check, which decides as Kubernetes in every version
    ClassicCel,
}
