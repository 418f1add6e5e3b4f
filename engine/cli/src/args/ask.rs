//! The arguments of `podsieve ask`.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  podsieve ask --list                                   all questions, and what they answer
  podsieve ask apply < input.json                       one question: JSON in, JSON out
  podsieve ask --lines                                  question after question, a line each:
    {\"id\": 1, \"question\": \"apply\", \"input\": {\"policies\": [{\"name\": \"p\", \"text\": \"…\"}]}}
    {\"id\": 1, \"answer\": {…}}                            or {\"id\": 1, \"error\": \"…\"}

Inputs and answers are those of the npm package: its declarations name each field. With --lines policies \
are kept as they were loaded for as long as their texts stay the same, so a program that has many \
questions starts podsieve once.
Exit codes: 1 if the question or its input is none; otherwise 0, whatever the answer says.";

/// Answer questions of other programs: JSON in, JSON out
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ask {
    /// The question, such as `apply`; its input is read from standard input
    #[arg(value_name = "QUESTION", required_unless_present_any = ["list", "lines"])]
    pub(crate) question: Option<String>,
    /// List the questions
    #[arg(long, conflicts_with_all = ["question", "lines"])]
    pub(crate) list: bool,
    /// Read a question a line, and answer each with a line
    #[arg(long, conflicts_with = "question")]
    pub(crate) lines: bool,
}
