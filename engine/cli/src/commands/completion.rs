//! `podsieve completion`: what a shell needs to complete commands and flags.
//!
//! In: the name of a shell. Out: a script for it, on standard output.

use crate::args::{self, Completion};
use crate::exit::Failure;
use crate::terminal;

/// Runs the command.
#[expect(clippy::unnecessary_wraps, reason = "all commands have one form")]
pub(crate) fn run(completion: &Completion) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(completion.shell, &mut args::command(), "podsieve", &mut script);
    terminal::document(&String::from_utf8_lossy(&script));
    Ok(0)
}
