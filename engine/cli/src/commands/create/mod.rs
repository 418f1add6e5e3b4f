//! `podsieve create`: files to begin with.
//!
//! In: the arguments. Out: what `kyverno create` writes, byte for byte, to standard output or into a file; exceptions of policies
//! in CEL are ours.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/commands/create.

mod exception;
mod text;

use crate::args::{Create, CreateCommand, CreateException};
use crate::exit::Failure;
use crate::files;
use crate::terminal;

/// Runs the command.
pub(crate) fn run(create: &Create) -> Result<u8, Failure> {
    let (output, text) = match &create.command {
        CreateCommand::Exception(arguments) if !arguments.policy_refs.is_empty() => {
            (&arguments.output, exception::of_policies(arguments))
        }
        CreateCommand::Exception(arguments) => {
            say_unusable(arguments);
            (&arguments.output, text::exception(arguments))
        }
        CreateCommand::MetricsConfig(arguments) => (&arguments.output, text::metrics_config(arguments)),
        CreateCommand::ClusterRole(arguments) => (&arguments.output, text::cluster_role(arguments)?),
        CreateCommand::UserInfo(arguments) => (&arguments.output, text::user_info(arguments)),
        CreateCommand::Values(arguments) => {
            say_old("values");
            (&arguments.output, text::values(arguments))
        }
        CreateCommand::Test(arguments) => {
            say_old("test");
            (&arguments.output, text::test(arguments))
        }
    };
    match output {
        Some(path) => files::overwrite(path, &text)?,
        None => terminal::document(&text),
    }
    Ok(0)
}

/// The original writes exceptions that it refuses to read.
fn say_unusable(arguments: &CreateException) {
    terminal::say(if arguments.any.is_empty() && arguments.all.is_empty() {
        "warning: Kyverno refuses an exception with an empty `match`: give --any, as in `--any kind=Pod,name=web`\n"
    } else {
        "warning: `kyverno create` writes filters that Kyverno refuses: put `resources:` above the `kinds`, `names` and \
         `namespaces` of each filter of `match`\n"
    });
}

/// The original writes forms that it refuses to read.
fn say_old(what: &str) {
    let kind = if what == "test" { "Test" } else { "Values" };
    let more = if what == "test" {
        "; `podsieve fix test` brings it into today's, `podsieve test --init` writes one that runs"
    } else {
        ""
    };
    terminal::say(&format!(
        "warning: this is the old form, as `kyverno create` writes it: to be used, the file needs `apiVersion: \
         cli.kyverno.io/v1alpha1` and `kind: {kind}`{more}\n"
    ));
}
