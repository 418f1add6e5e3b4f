//! The arguments of `podsieve create`.
//!
//! In: the command line. Out: one struct a thing that is made. A list of texts is cut at its commas where the original
//! cuts it.

use clap::{ArgAction, Args, Subcommand};

/// Write a file to start from
#[derive(Args)]
pub(crate) struct Create {
    #[command(subcommand)]
    pub(crate) command: CreateCommand,
}

const EXCEPTION_EXAMPLES: &str = "\
Examples:
  podsieve create exception web --policy-rules require-labels,check-team --any kind=Pod,name=web
  podsieve create exception web --policy-refs ValidatingPolicy/p --condition \"object.kind == 'Pod'\"";

const USER_INFO_EXAMPLES: &str = "\
Example:
  podsieve create user-info --username alice --group developers -o userinfo.yaml";

const VALUES_EXAMPLES: &str = "\
Example:
  podsieve create values --global request.operation=UPDATE --ns-selector shop,team=a -o values.yaml";

/// What is made.
#[derive(Subcommand)]
pub(crate) enum CreateCommand {
    /// A PolicyException
    #[command(after_help = EXCEPTION_EXAMPLES)]
    Exception(CreateException),
    /// The ConfigMap that selects the namespaces whose metrics Kyverno keeps
    MetricsConfig(CreateMetricsConfig),
    /// A ClusterRole that gives Kyverno's controllers more rights
    ClusterRole(CreateClusterRole),
    /// A test file of the old form; `podsieve test --init` writes one that runs
    Test(CreateTest),
    /// A file with user info
    #[command(after_help = USER_INFO_EXAMPLES)]
    UserInfo(CreateUserInfo),
    /// A file with values for variables
    #[command(after_help = VALUES_EXAMPLES)]
    Values(CreateValues),
}

/// A PolicyException.
#[derive(Args)]
pub(crate) struct CreateException {
    /// Its name
    pub(crate) name: String,
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Its namespace
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub(crate) namespace: String,
    /// Whether it counts in background scans
    #[arg(
        short,
        long,
        value_name = "BOOL",
        action = ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_value_t = true,
        default_missing_value = "true"
    )]
    pub(crate) background: bool,
    /// The policy and the rules that it exempts from: `policy,rule-1,rule-2`
    #[arg(long, value_name = "POLICY,RULE…", required_unless_present = "policy_refs")]
    pub(crate) policy_rules: Vec<String>,
    /// The policy in CEL that it exempts from, `ValidatingPolicy/require-labels`: writes an exception of `policies.kyverno.io`
    #[arg(long, value_name = "KIND/NAME", value_parser = policy_ref, conflicts_with_all = ["policy_rules", "background", "any", "all"])]
    pub(crate) policy_refs: Vec<(String, String)>,
    /// With `--policy-refs`: an expression in CEL that is true of what is exempt
    #[arg(long, value_name = "CEL", requires = "policy_refs")]
    pub(crate) condition: Vec<String>,
    /// With `--policy-refs`: an image that the policy lets through
    #[arg(long, value_name = "IMAGE", requires = "policy_refs")]
    pub(crate) image: Vec<String>,
    /// With `--policy-refs`: a value that the policy lets through
    #[arg(long, value_name = "VALUE", requires = "policy_refs")]
    pub(crate) allowed_value: Vec<String>,
    /// Resources of which one must match: `kind=Pod,name=web-*,namespace=dev,operation=CREATE`
    #[arg(long, value_name = "FILTER")]
    pub(crate) any: Vec<String>,
    /// Resources that must all match
    #[arg(long, value_name = "FILTER")]
    pub(crate) all: Vec<String>,
}

/// The kinds that an exception of policies in CEL can name.
const POLICIES_IN_CEL: [&str; 10] = [
    "ValidatingPolicy",
    "NamespacedValidatingPolicy",
    "MutatingPolicy",
    "NamespacedMutatingPolicy",
    "GeneratingPolicy",
    "NamespacedGeneratingPolicy",
    "DeletingPolicy",
    "NamespacedDeletingPolicy",
    "ImageValidatingPolicy",
    "NamespacedImageValidatingPolicy",
];

/// Reads `KIND/NAME`.
///
/// # Errors
/// What is wrong with it, and the forms that are known.
fn policy_ref(text: &str) -> Result<(String, String), String> {
    let (kind, name) = text
        .split_once('/')
        .filter(|(_, name)| !name.is_empty())
        .ok_or("it has the form `KIND/NAME`, for example `ValidatingPolicy/require-labels`")?;
    if !POLICIES_IN_CEL.contains(&kind) {
        return Err(format!(
            "`{kind}` is not a kind of a policy in CEL; known are {}; for rules of a ClusterPolicy there is `--policy-rules`",
            POLICIES_IN_CEL.join(", ")
        ));
    }
    Ok((kind.to_owned(), name.to_owned()))
}

/// A ConfigMap for metrics.
#[derive(Args)]
pub(crate) struct CreateMetricsConfig {
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Its name
    #[arg(short, long, default_value = "kyverno-metrics")]
    pub(crate) name: String,
    /// Its namespace
    #[arg(long, value_name = "NAME", default_value = "kyverno")]
    pub(crate) namespace: String,
    /// Namespaces that count
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) include: Vec<String>,
    /// Namespaces that do not count
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
}

/// A ClusterRole.
#[derive(Args)]
pub(crate) struct CreateClusterRole {
    /// The middle of its name
    pub(crate) name: String,
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// The API group of the resources
    #[arg(short = 'g', long, value_name = "GROUP", required = true)]
    pub(crate) api_groups: String,
    /// What may be done, or `all`
    #[arg(long, value_name = "VERB", required = true)]
    pub(crate) verbs: Vec<String>,
    /// With which resources
    #[arg(long, value_name = "RESOURCE", required = true)]
    pub(crate) resources: Vec<String>,
    /// Which of Kyverno's controllers may do it
    #[arg(long, value_name = "CONTROLLER", default_value = "background-controller")]
    pub(crate) controllers: Vec<String>,
}

/// A test file.
#[derive(Args)]
pub(crate) struct CreateTest {
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Its name
    #[arg(short, long, default_value = "test-name")]
    pub(crate) name: String,
    /// Policy files
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) policy: Vec<String>,
    /// Resource files
    #[arg(short, long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) resource: Vec<String>,
    /// A file with values for variables
    #[arg(short = 'f', long, value_name = "FILE", default_value = "")]
    pub(crate) values: String,
    /// What passes: `policy,rule,resource,namespace,kind`
    #[arg(long, value_name = "RESULT")]
    pub(crate) pass: Vec<String>,
    /// What fails
    #[arg(long, value_name = "RESULT")]
    pub(crate) fail: Vec<String>,
    /// What is skipped
    #[arg(long, value_name = "RESULT")]
    pub(crate) skip: Vec<String>,
}

/// Who asks.
#[derive(Args)]
pub(crate) struct CreateUserInfo {
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// The user's name
    #[arg(short, long, value_name = "NAME", default_value = "")]
    pub(crate) username: String,
    /// A role
    #[arg(short, long, value_name = "NAMESPACE:NAME", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// A cluster role
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) cluster_role: Vec<String>,
    /// A group
    #[arg(short, long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) group: Vec<String>,
}

/// Values.
#[derive(Args)]
pub(crate) struct CreateValues {
    /// Write to this file; standard output by default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    /// Labels of a namespace: `name,label=value`
    #[arg(short = 'n', long, value_name = "NAME,LABEL=VALUE")]
    pub(crate) ns_selector: Vec<String>,
    /// A value for every policy
    #[arg(short, long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(crate) global: Vec<String>,
    /// Values for a rule: `policy,rule,name=value`
    #[arg(long, value_name = "POLICY,RULE,NAME=VALUE")]
    pub(crate) rule: Vec<String>,
    /// Values for a resource: `policy,resource,name=value`
    #[arg(long, value_name = "POLICY,RESOURCE,NAME=VALUE")]
    pub(crate) resource: Vec<String>,
}
