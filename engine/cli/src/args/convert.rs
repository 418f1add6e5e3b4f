//! The arguments of `podsieve convert` and `podsieve legacy`.
//!
//! In: `convert policies/ -o converted/`. Out: a [`Convert`] or a [`Legacy`].

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  podsieve convert policy.yaml               the policy in CEL, to standard output
  podsieve convert policies/ -o converted/   a file for each
  podsieve convert policies/ --check         for CI: writes nothing, says what it finds
  podsieve convert vpol.yaml --to ValidatingAdmissionPolicy
  cat policy.yaml | podsieve convert -

A policy is converted whole or not at all: what has no faithful form is named with its line. Each output is compared with its \
source, and the grade is printed; one that is found to decide differently is not written.

Exit codes: 1 if a policy is not converted or would decide differently once it is, or if a file is not YAML; 2, at once and with nothing \
written, if files that would be written are already there; otherwise 0.";

/// Rewrite ClusterPolicies, cleanup policies and exceptions in CEL
///
/// Rules that validate become ValidatingPolicies, rules that mutate MutatingPolicies, rules that generate GeneratingPolicies, and rules that verify images ImageValidatingPolicies. Cleanup policies become DeletingPolicies, and exceptions become exceptions for the new policies. Each is compared with its source, as by `podsieve compare`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    /// Policy files, folders, patterns, or `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<String>,
    /// Write a file for each policy into this folder; existing files are not overwritten
    #[arg(short, long, value_name = "DIR", conflicts_with = "check")]
    pub(crate) output: Option<String>,
    /// Write no policies, only report what would become of each
    #[arg(long)]
    pub(crate) check: bool,
    /// What to convert to: policies in CEL from classic ones, or ValidatingPolicies and ValidatingAdmissionPolicies from each other
    #[arg(long, value_name = "KIND", default_value = "cel")]
    pub(crate) to: ConvertTo,
    /// Do not compare the new policies with their source
    #[arg(long)]
    pub(crate) no_compare: bool,
    /// How many requests are tried for each policy
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub(crate) max_requests: usize,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ConvertFormat,
}

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertTo {
    /// Kyverno's classic kinds to its kinds in CEL
    Cel,
    /// ValidatingPolicies to policies of the API server, with bindings
    #[value(name = "ValidatingAdmissionPolicy", alias = "vap")]
    ValidatingAdmissionPolicy,
    /// Policies of the API server, with their bindings, to ValidatingPolicies
    #[value(name = "ValidatingPolicy", alias = "vpol")]
    ValidatingPolicy,
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConvertFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

const LEGACY_EXAMPLES: &str = "\
Examples:
  podsieve legacy policies/
  podsieve legacy policies/ --format json

Exit codes: 1 if something would be lost, or if a file is not YAML, otherwise 0.";

/// List what a cluster without ClusterPolicies would lose, and what replaces it
#[derive(Args)]
#[command(after_help = LEGACY_EXAMPLES)]
pub(crate) struct Legacy {
    /// Files, folders, patterns, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ConvertFormat,
}
