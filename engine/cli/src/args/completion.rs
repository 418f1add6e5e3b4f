//! What `podsieve completion` can write.
//!
//! In: the name of a shell, or `man`, which only archives need. Out: which of them.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use clap_complete::Shell;

const COMPLETION_EXAMPLES: &str = "\
Examples:
  podsieve completion bash > ~/.local/share/bash-completion/completions/podsieve
  podsieve completion zsh > ~/.zfunc/_podsieve
  podsieve completion fish > ~/.config/fish/completions/podsieve.fish";

/// Completion for a shell.
#[derive(Args)]
#[command(after_help = COMPLETION_EXAMPLES)]
pub(crate) struct Completion {
    /// Which shell
    #[arg(value_name = "SHELL")]
    pub(crate) form: Form,
}

/// A form of the arguments' names.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// What a shell completes.
    Shell(Shell),
    /// Manual pages, one after the other.
    Man,
}

impl ValueEnum for Form {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: &[Form] = &[
            Form::Shell(Shell::Bash),
            Form::Shell(Shell::Elvish),
            Form::Shell(Shell::Fish),
            Form::Shell(Shell::PowerShell),
            Form::Shell(Shell::Zsh),
            Form::Man,
        ];
        ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Form::Shell(shell) => shell.to_possible_value(),
            Form::Man => Some(PossibleValue::new("man").hide(true)),
        }
    }
}
