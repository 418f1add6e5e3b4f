//! What Go's flags allow and clap does not, so that command lines written for the original run as they are.
//!
//! In: the command as it is declared. Out: the same, which also takes a flag twice and the flags of the original's log.

use clap::{Arg, ArgAction, Command};

/// The original's log, which is not written here, has a level, a place and a form.
// klog: the flags of k8s.io/klog/v2, under the names they have there.
const LOG_VALUES: [&str; 7] = [
    "vmodule",
    "log_backtrace_at",
    "log_dir",
    "log_file",
    "log_file_max_size",
    "stderrthreshold",
    "alsologtostderrthreshold",
];
const LOG_SWITCHES: [&str; 7] = [
    "add_dir_header",
    "alsologtostderr",
    "legacy_stderr_threshold_behavior",
    "logtostderr",
    "one_output",
    "skip_headers",
    "skip_log_headers",
];

/// The commands that the original has too; ours beside them may use the letters for something else.
const ORIGINALS: [&str; 5] = ["apply", "create", "jp", "test", "version"];

/// The command, as forgiving as the original's.
pub(super) fn lenient(command: Command) -> Command {
    let command = command.args(log());
    let with_log = |command: Command| command.args(log().map(|argument| argument.global(true)));
    let command = ORIGINALS.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_log));
    last_one_counts(command)
}

/// The flags of the log; they change nothing.
fn log() -> impl Iterator<Item = Arg> {
    let flag = |name: &'static str, action: ArgAction| Arg::new(name).long(name).action(action).hide(true);
    let values = LOG_VALUES.into_iter().map(move |name| flag(name, ArgAction::Set));
    let switches = LOG_SWITCHES.into_iter().map(move |name| flag(name, ArgAction::SetTrue));
    values.chain(switches).chain([flag("v", ArgAction::Set).short('v')])
}

/// A flag that is given again replaces itself, where it is not a list.
// Go: pflag.
fn last_one_counts(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let id = argument.get_id().clone();
        let is_single = matches!(argument.get_action(), ArgAction::Set | ArgAction::SetTrue);
        if is_single && !argument.is_positional() { argument.overrides_with(id) } else { argument }
    });
    command.mut_subcommands(last_one_counts)
}
