//! The arguments of `podsieve mcp`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  podsieve mcp                              for files below the working directory
  podsieve mcp --root policies --root apps  for files below these folders

A client starts it with a line such as {\"command\": \"podsieve\", \"args\": [\"mcp\"]}.
Every tool reads and none writes; no network is asked, and no file outside the roots is opened.";

/// Answer agents by the Model Context Protocol, over standard input and output
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mcp {
    /// A folder whose files tools may read; may be given several times
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: Vec<String>,
}
