//! The arguments of `podsieve test`.
//!
//! In: the command line. Out: a [`Test`].

use clap::Args;

const TEST_EXAMPLES: &str = "\
Examples:
  podsieve test .                                           all tests below this folder
  podsieve test policies/ more/ --fail-only                 several folders, only the failures
  podsieve test . -t policy=require-labels,rule=*           one policy
  podsieve test . --detailed-results -o junit               for CI servers
  podsieve test . --strict                                  what was not evaluated fails
  podsieve test --init tests/ -p policy.yaml -r pods.yaml   a test file with today's verdicts
  podsieve test . --mutants                                 mistakes that no test notices
  podsieve test . --mutants --write-tests more/             and tests that notice them

Exit codes: 1 if a test fails, cannot run, or is not supported yet; with --strict also if one passes without having \
been evaluated; with --min-noticed also if too few mistakes are noticed; otherwise 0.";

/// The selector that every entry matches.
pub(crate) const EVERY_ENTRY: &str = "policy=*,rule=*,resource=*";

/// Run the tests of policies
///
/// Looks for `kyverno-test.yaml` files below folders and prints what `kyverno test` prints.
#[derive(Args, Default)]
#[command(after_help = TEST_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the original")]
pub(crate) struct Test {
    /// Folders, or test files
    #[arg(value_name = "FOLDER", required_unless_present = "init")]
    pub(crate) paths: Vec<String>,
    /// Write a test file with today's verdicts into the folder
    #[arg(id = "init", long = "init")]
    pub(crate) is_init: bool,
    #[command(flatten)]
    pub(crate) init: Init,
    #[command(flatten)]
    pub(crate) mutants: Mutants,
    /// The name of test files
    #[arg(short, long, value_name = "NAME", default_value = "kyverno-test.yaml")]
    pub(crate) file_name: String,
    /// Which entries are tested
    #[arg(
        short = 't',
        long = "test-case-selector",
        visible_alias = "filter",
        value_name = "KEY=PATTERN,…",
        default_value = EVERY_ENTRY
    )]
    pub(crate) selector: String,
    /// json, yaml, markdown or junit instead of a table
    #[arg(short, long, value_name = "FORMAT", default_value = "")]
    pub(crate) output_format: String,
    /// Show only what fails
    #[arg(long)]
    pub(crate) fail_only: bool,
    /// Show messages
    #[arg(long)]
    pub(crate) detailed_results: bool,
    /// Fail if there is no test
    #[arg(long)]
    pub(crate) require_tests: bool,
    /// End with exit code 1 at the first test with a policy or exception of a deprecated kind
    #[arg(long)]
    pub(crate) warnings_as_errors: bool,
    /// Fail for what passes without having been evaluated: excluded resources, rules and resources that do not exist
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) by: super::AsHost,
    #[command(flatten)]
    pub(crate) asked: super::Asked,
    /// Files of the objects before the update, for all tests: resources of the same kind and name count as updated
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    pub(crate) old_resource: Vec<String>,
    /// Files with the data of images that a registry would give, for all tests
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) image_data: Vec<String>,
    /// No colours
    #[arg(long)]
    pub(crate) remove_color: bool,
    #[arg(short = 'b', long, hide = true)]
    pub(crate) git_branch: Option<String>,
    #[arg(long, hide = true)]
    pub(crate) registry: bool,
}

/// What a new test file is about.
#[derive(Args, Default)]
pub(crate) struct Init {
    /// With --init: policy files or folders
    #[arg(short, long, value_name = "PATH", value_delimiter = ',', requires = "init")]
    pub(crate) policy: Vec<String>,
    /// With --init: resource files
    #[arg(short, long, value_name = "PATH", value_delimiter = ',', requires = "init")]
    pub(crate) resource: Vec<String>,
    /// With --init: files of existing objects that mutate rules may change
    #[arg(long, value_name = "PATH", value_delimiter = ',', requires = "init")]
    pub(crate) target_resource: Vec<String>,
    /// With --init: files of PolicyExceptions
    #[arg(short, long, value_name = "PATH", value_delimiter = ',', requires = "init")]
    pub(crate) exception: Vec<String>,
    /// With --init: a file with values for variables
    #[arg(long, value_name = "FILE", requires = "init")]
    pub(crate) values: Option<String>,
    /// With --init: a file with user info
    #[arg(short, long, value_name = "FILE", requires = "init")]
    pub(crate) userinfo: Option<String>,
}

/// Mistakes put into the policies of tests on purpose.
#[derive(Args, Default)]
pub(crate) struct Mutants {
    /// Put mistakes into the policies one by one, and show those that no test notices with the smallest object that shows each
    #[arg(id = "mutants", long = "mutants", conflicts_with = "init")]
    pub(crate) is_wanted: bool,
    /// With --mutants: how many mistakes are put into a policy at most, spread over it
    #[arg(long = "max-mutants", value_name = "N", default_value_t = 50, requires = "mutants")]
    pub(crate) most: usize,
    /// With --mutants: how long objects that show mistakes are searched in all
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "mutants")]
    pub(crate) max_seconds: u64,
    /// With --mutants: fail if fewer than this share of the mistakes is noticed
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100), requires = "mutants")]
    pub(crate) min_noticed: Option<u8>,
    /// With --mutants: write a test for each mistake that is not noticed into folders in this one; no file is overwritten
    #[arg(long, value_name = "FOLDER", requires = "mutants")]
    pub(crate) write_tests: Option<String>,
}
