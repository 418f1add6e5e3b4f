//! The arguments of `podsieve jp`.
//!
//! In: the command line. Out: one struct a command.

use clap::{Args, Subcommand};

const QUERY_EXAMPLES: &str = "\
Examples:
  podsieve jp query -i pod.yaml 'spec.containers[].image'
  kubectl get pod web -o yaml | podsieve jp query 'metadata.labels'
  podsieve jp query -i pod.yaml -q expression.jp";

const PARSE_EXAMPLES: &str = "\
Example:
  podsieve jp parse 'spec.containers[0].image || `none`'";

const FUNCTION_EXAMPLES: &str = "\
Examples:
  podsieve jp function
  podsieve jp function regex_match truncate";

/// Try JMESPath expressions as policies see them
#[derive(Args)]
pub(crate) struct Jp {
    #[command(subcommand)]
    pub(crate) command: JpCommand,
}

/// What to do with expressions.
#[derive(Subcommand)]
pub(crate) enum JpCommand {
    /// Evaluate expressions against a document
    #[command(after_help = QUERY_EXAMPLES)]
    Query(JpQuery),
    /// Show the syntax tree of expressions
    #[command(after_help = PARSE_EXAMPLES)]
    Parse(JpParse),
    /// List Kyverno's functions
    #[command(after_help = FUNCTION_EXAMPLES)]
    Function(JpFunction),
}

/// Expressions over a document.
#[derive(Args)]
pub(crate) struct JpQuery {
    /// Expressions
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expressions: Vec<String>,
    /// The document, YAML or JSON; standard input by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) input: Option<String>,
    /// Files with one expression each
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) query: Vec<String>,
    /// JSON on one line
    #[arg(short, long)]
    pub(crate) compact: bool,
    /// Strings without quotes
    #[arg(short, long)]
    pub(crate) unquoted: bool,
}

/// Expressions to take apart.
#[derive(Args)]
pub(crate) struct JpParse {
    /// Expressions
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expressions: Vec<String>,
    /// Files with one expression each
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) file: Vec<String>,
}

/// Functions to list.
#[derive(Args)]
pub(crate) struct JpFunction {
    /// Names of functions; by default all of them
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
}
