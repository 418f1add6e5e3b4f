//! `podsieve completion`: what a shell needs to complete commands and flags.
//!
//! In: the name of a shell. Out: a script for it, on standard output; of `man`, the manual pages, one after the other.

use crate::args::{self, Completion, Form};
use crate::exit::Failure;
use crate::terminal;
use clap::Command;
use clap_mangen::Man;

/// Runs the command.
pub(crate) fn run(completion: &Completion) -> Result<u8, Failure> {
    let mut script = Vec::new();
    let mut command = args::command();
    match completion.form {
        Form::Shell(shell) => clap_complete::generate(shell, &mut command, "podsieve", &mut script),
        Form::Man => {
            command.build();
            let written = pages(command, &mut script);
            written.map_err(|error| Failure(format!("the manual pages cannot be written: {error}")))?;
        }
    }
    terminal::document(&String::from_utf8_lossy(&script));
    Ok(0)
}

/// The page of a command, and behind it those of its own commands.
fn pages(command: Command, into: &mut Vec<u8>) -> std::io::Result<()> {
    let inner: Vec<Command> =
        command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned().collect();
    Man::new(command).render(into)?;
    inner.into_iter().try_for_each(|inner| pages(inner, into))
}
