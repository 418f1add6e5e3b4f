//! The arguments of `podsieve explain`.

use clap::{Args, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  podsieve explain policy.yaml -r pod.yaml              the step that decided, with its lines
  podsieve explain policy.yaml -r pod.yaml --rule tag   one rule alone
  podsieve explain policy.yaml -r pod.yaml --tree       every step of the evaluation
  podsieve explain policy.yaml -r pod.yaml -o json      the same as data
  podsieve explain policy.yaml -r pod.yaml --image-data images.yaml
                                                        with what a registry would say of images

Each proposed edit was evaluated: with it the rule passes.
Exit codes: 1 if a given file cannot be used; otherwise 0, whatever the verdicts are.";

/// Explain why each rule decided as it did, and what would make it pass
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// Policy files, folders (searched for YAML and JSON), glob patterns, or `-` for standard input
    #[arg(value_name = "POLICY", required = true)]
    pub(crate) policies: Vec<String>,
    /// Resource files, folders, glob patterns, or `-` for standard input; may be given several times
    #[arg(
        short,
        long,
        alias = "resources",
        value_name = "PATH",
        value_delimiter = ',',
        required_unless_present_any = ["json", "http_payload", "envoy_payload"]
    )]
    pub(crate) resource: Vec<String>,
    /// JSON or YAML files of any shape, for policies in mode JSON
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) json: Vec<String>,
    /// JSON files of HTTP requests, for policies in mode HTTP
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) http_payload: Vec<String>,
    /// JSON files of Envoy requests, for policies in mode Envoy
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) envoy_payload: Vec<String>,
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
    pub(crate) by: super::AsHost,
    #[command(flatten)]
    pub(crate) asked: super::Asked,
    /// Files of CustomResourceDefinitions, for the names and the schemas of custom kinds
    #[arg(long, value_name = "FILE", value_delimiter = ',', alias = "crd-path")]
    pub(crate) crd_paths: Vec<String>,
    /// Files of PolicyExceptions
    #[arg(short, long, alias = "exceptions", value_name = "PATH", value_delimiter = ',')]
    pub(crate) exception: Vec<String>,
    /// A file with values for variables
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values_file: Option<String>,
    /// A file with the metadata of images (`kind: Context`), for imageRegistry context entries
    #[arg(long, value_name = "FILE")]
    pub(crate) context_file: Option<String>,
    /// A file with the data of images that a registry would give: digests, manifests, signatures, attestations
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) image_data: Vec<String>,
    /// A file with user info: user name, groups, roles, cluster roles
    #[arg(short, long, value_name = "FILE")]
    pub(crate) userinfo: Option<String>,
    /// Explain only the rule of this name
    #[arg(long, value_name = "RULE")]
    pub(crate) rule: Option<String>,
    /// Show every step of the evaluation
    #[arg(short = 'v', long, visible_alias = "verbose")]
    pub(crate) tree: bool,
    /// Do not look for edits that would make a refused resource pass
    #[arg(long)]
    pub(crate) no_edits: bool,
    /// Output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: ExplainFormat,
}

/// How an explanation is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For people
    Text,
    /// As the npm module gives it
    Json,
}
