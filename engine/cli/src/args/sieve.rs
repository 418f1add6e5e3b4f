//! The arguments of `podsieve sieve`.
//!
//! In: `sieve check policies/ pods/ --max-width 0`. Out: a [`Sieve`].

use clap::{Args, Subcommand, ValueEnum};

/// Show how wide exemptions are: which other Pods get in, and the change that blocks them
#[derive(Args)]
pub(crate) struct Sieve {
    #[command(subcommand)]
    pub(crate) command: SieveCommand,
}

/// What to ask.
#[derive(Subcommand)]
pub(crate) enum SieveCommand {
    /// Try other Pods against every exemption in the files, and show which of them get in
    #[command(after_help = CHECK_EXAMPLES, disable_version_flag = true)]
    Check(SieveCheck),
    /// Show the ways to let a refused workload in, from the widest to the narrowest, each with its width
    #[command(after_help = FUNNEL_EXAMPLES, disable_version_flag = true)]
    Funnel(SieveFunnel),
    /// Write the narrowest exemption for a refused workload
    #[command(after_help = NARROW_EXAMPLES, disable_version_flag = true)]
    Narrow(SieveNarrow),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  podsieve sieve check policies/                           Pods are made of what each exemption says
  podsieve sieve check policies/ exceptions/ pods.yaml     with the Pods that they are meant for
  podsieve sieve check policies/ pods.yaml --max-width 2   let no more than two attackers in
  podsieve sieve check policies/ pods.yaml --not-meant-for Pod/shop/miner
  podsieve sieve check namespaces.yaml --admission-config psa.yaml

An attacker is a Pod that is admitted with the exemption and refused without it, though the exemption is not \
meant for it. The width of an exemption is the number of attackers that anybody who may create Pods can make.

Exit codes: 0 if no exemption is wider than --max-width, 1 if one is or was not tried, 2 if the files cannot be used.";

const FUNNEL_EXAMPLES: &str = "\
Examples:
  podsieve sieve funnel policy.yaml pod.yaml
  podsieve sieve funnel pod.yaml --level baseline        where there is no policy yet
  podsieve sieve funnel policy.yaml pod.yaml --changes   with what each system writes

Exit codes: 0, or 2 if the files cannot be used.";

const NARROW_EXAMPLES: &str = "\
Examples:
  podsieve sieve narrow policy.yaml pod.yaml
  podsieve sieve narrow policy.yaml pod.yaml --form exception --expires 720h -o exception.yaml
  podsieve sieve narrow policy.yaml pod.yaml --exact-images

Exit codes: 0, 1 if nothing is refused or no exemption lets it in, 2 if the files cannot be used.";

/// The files, and how the answer is written.
#[derive(Args)]
pub(crate) struct SieveFiles {
    /// Files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input: policies, exceptions,
    /// Namespaces, Pods, in any order
    #[arg(value_name = "FILE", required_unless_present = "resource")]
    pub(crate) files: Vec<String>,
    /// Files, folders or glob patterns that hold resources alone
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) resource: Vec<String>,
    /// The cluster's configuration of Pod Security Admission
    #[arg(long, value_name = "FILE")]
    pub(crate) admission_config: Option<String>,
    /// A file with the labels of namespaces and values for variables
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values_file: Option<String>,
    /// A file with user info: user name, groups, roles, cluster roles
    #[arg(short, long, value_name = "FILE")]
    pub(crate) userinfo: Option<String>,
    #[command(flatten)]
    pub(crate) by: super::AsHost,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: SieveFormat,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SieveFormat {
    /// For people, with files and lines
    Text,
    /// The whole answer, as the npm module gives it
    Json,
}

/// `sieve check`.
#[derive(Args)]
pub(crate) struct SieveCheck {
    #[command(flatten)]
    pub(crate) files: SieveFiles,
    /// The widest exemption that is accepted
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) max_width: u32,
    /// Show each attacker as a diff against the legitimate Pod
    #[arg(long)]
    pub(crate) diff: bool,
    /// A Pod that the exemptions are meant for, whatever its name, labels or comments call it
    #[arg(long, value_name = "KIND/NAMESPACE/NAME")]
    pub(crate) meant_for: Vec<String>,
    /// A Pod in the files that no exemption is meant for: an exemption that lets it in is wide
    #[arg(long, value_name = "KIND/NAMESPACE/NAME")]
    pub(crate) not_meant_for: Vec<String>,
}

/// A level that stands in for a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SieveLevel {
    /// The baseline level
    Baseline,
    /// The restricted level
    Restricted,
}

impl SieveLevel {
    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SieveLevel::Baseline => "baseline",
            SieveLevel::Restricted => "restricted",
        }
    }
}

/// `sieve funnel`.
#[derive(Args)]
pub(crate) struct SieveFunnel {
    #[command(flatten)]
    pub(crate) files: SieveFiles,
    /// Also evaluate this level of the Pod Security Standards, as a podSecurity rule
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<SieveLevel>,
    /// Show what each system writes, and who gets in with it
    #[arg(long)]
    pub(crate) changes: bool,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SieveForm {
    /// A PolicyException
    Exception,
    /// An exclude of the podSecurity rule
    PodSecurity,
    /// A condition in the rule's foreach
    Rule,
}

impl SieveForm {
    /// Its name in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            SieveForm::Exception => "exception",
            SieveForm::PodSecurity => "podSecurity",
            SieveForm::Rule => "rule",
        }
    }
}

/// `sieve narrow`.
#[derive(Args)]
pub(crate) struct SieveNarrow {
    #[command(flatten)]
    pub(crate) files: SieveFiles,
    /// Also evaluate this level of the Pod Security Standards, as a podSecurity rule
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<SieveLevel>,
    /// The form to write; by default, all that are possible
    #[arg(long, value_name = "FORM")]
    pub(crate) form: Option<SieveForm>,
    /// When the PolicyException expires: a date, or a duration such as `720h`
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    /// Exempt exactly the images as they are written, not any tag of their repositories
    #[arg(long)]
    pub(crate) exact_images: bool,
    /// Write the objects to this file; where there are several forms, those of the first
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
}
