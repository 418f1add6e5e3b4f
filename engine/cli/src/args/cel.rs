//! The arguments of `podsieve cel`.
//!
//! In: the command line. Out: one struct a command.

use clap::builder::ArgPredicate;
use clap::{Args, Subcommand};
use engine::load::Kubernetes;

/// The kind that an API server decides by itself.
const KIND: &str = "ValidatingAdmissionPolicy";

const EVAL_EXAMPLES: &str = "\
Examples:
  podsieve cel eval 'object.spec.containers.all(c, c.image.contains(\"@\"))' -r pod.yaml
  podsieve cel eval 'quantity(\"1Gi\").compareTo(quantity(limit))' --var limit='2Gi' -o json
  kubectl get pod web -o yaml | podsieve cel eval 'object.metadata.labels' -r -";

const CHECK_EXAMPLES: &str = "\
Examples:
  podsieve cel check 'object.spec.replicas > 2'
  podsieve cel check -f policy.yaml
  podsieve cel check 'cidr(\"10.0.0.0/8\").isMask()' --kubernetes 1.36";

const FUNCTIONS_EXAMPLES: &str = "\
Examples:
  podsieve cel functions
  podsieve cel functions isLessThan --kind ValidatingAdmissionPolicy";

/// Try CEL expressions as policies see them
#[derive(Args)]
pub(crate) struct Cel {
    #[command(subcommand)]
    pub(crate) command: CelCommand,
}

/// What to do with expressions.
#[derive(Subcommand)]
pub(crate) enum CelCommand {
    /// Evaluate an expression against a resource
    #[command(after_help = EVAL_EXAMPLES)]
    Eval(CelEval),
    /// Check expressions, or those of policies, for errors
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CelCheck),
    /// List the functions that expressions may call
    #[command(after_help = FUNCTIONS_EXAMPLES)]
    Functions(CelFunctions),
}

/// An expression over a resource.
#[derive(Args)]
pub(crate) struct CelEval {
    /// The expression
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expression: String,
    /// The resource, YAML or JSON; its first document is `object`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) resource: Option<String>,
    #[command(flatten)]
    pub(crate) of: CelKind,
    /// Another variable, with its value as YAML
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) var: Vec<String>,
    /// How the value is written: yaml or json
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) output: String,
}

/// Expressions to look at.
#[derive(Args)]
pub(crate) struct CelCheck {
    /// Expressions
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expressions: Vec<String>,
    /// Policy files: every expression in them is checked
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) file: Vec<String>,
    #[command(flatten)]
    pub(crate) of: CelKind,
}

/// Functions to list.
#[derive(Args)]
pub(crate) struct CelFunctions {
    /// Names of functions; by default all of them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    #[command(flatten)]
    pub(crate) of: CelKind,
}

/// Whose expressions they are.
#[derive(Args)]
pub(crate) struct CelKind {
    /// The kind of policy whose functions and variables expressions may use
    #[arg(
        long,
        value_name = "KIND",
        default_value = "ValidatingPolicy",
        default_value_if("kubernetes", ArgPredicate::IsPresent, KIND)
    )]
    pub(crate) kind: String,
    /// Look at expressions as an API server of this release does, `1.30` to `1.38`; for kinds of Kubernetes
    #[arg(long, value_name = "RELEASE")]
    pub(crate) kubernetes: Option<Kubernetes>,
}
