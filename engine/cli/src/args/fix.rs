//! The arguments of `podsieve fix`.
//!
//! In: the command line. Out: what is brought into today's form, and whether it is written.

use clap::{Args, Subcommand};

/// Bring files of older forms into today's
#[derive(Args)]
pub(crate) struct Fix {
    #[command(subcommand)]
    pub(crate) command: FixCommand,
}

/// What is brought into today's form.
#[derive(Subcommand)]
pub(crate) enum FixCommand {
    /// Test files from before Kyverno 1.15, with the values and user info that they name
    Test(FixTest),
}

const EXAMPLES: &str = "\
Examples:
  podsieve fix test .                          show what would change
  podsieve fix test . --save                   change the files; comments and layout stay
  podsieve fix test . --check                  for CI: exit code 1 if a file needs a change
  podsieve fix test . --file-name test.yaml    test files of another name";

/// Test files from before Kyverno 1.15, with the values and user info that they name
///
/// Kyverno 1.15 and later refuse a test file with `name`, or with `resource`, `namespace`, `status` or `patchedResource` in its results.
/// Each is brought into its new field; comments and layout stay.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FixTest {
    /// Folders, or test files
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) paths: Vec<String>,
    /// The name of test files
    #[arg(short, long, value_name = "NAME", default_value = "kyverno-test.yaml")]
    pub(crate) file_name: String,
    /// Write the changed files
    #[arg(long, conflicts_with = "check")]
    pub(crate) save: bool,
    /// End with exit code 1 if a file needs a change
    #[arg(long)]
    pub(crate) check: bool,
}
