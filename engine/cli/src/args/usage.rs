//! What to type instead of arguments that do not parse, where clap does not say it.
//!
//! In: the error. Out: a line for standard error: the commands of a group that was called without one, the flag of a
//! file that was given without one.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt::Write as _;

/// The hint, with its line break; empty where there is none.
pub(crate) fn hint(error: &clap::Error, root: &clap::Command) -> String {
    let described = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return String::new() };
    let usage = usage.to_string();
    let given = described(ContextKind::InvalidArg);
    // `Usage: podsieve explain --resource <PATH> <POLICY>...`
    if error.kind() == ErrorKind::MissingRequiredArgument && given.contains("--resource <") {
        let command = usage.split_whitespace().nth(2).unwrap_or_default();
        return format!(
            "\n  tip: resources are given with -r: `podsieve {command} policy.yaml -r pod.yaml`\n"
        );
    }
    if error.kind() != ErrorKind::UnknownArgument || given.is_empty() {
        return String::new();
    }
    // `Usage: podsieve psa check [OPTIONS] --filename <PATH>`
    let words = usage.split_whitespace().skip(2);
    let words: Vec<&str> = words.take_while(|word| !word.starts_with(['-', '<', '['])).collect();
    let mut command = root;
    for word in &words {
        let Some(inner) = command.find_subcommand(word) else { return String::new() };
        command = inner;
    }
    let called = format!("podsieve {}", words.join(" "));
    let mut hint = String::new();
    if command.is_subcommand_required_set() && !words.is_empty() {
        let names: Vec<&str> =
            command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help").collect();
        let first = names.first().copied().unwrap_or_default();
        let _ = writeln!(
            hint,
            "\n  tip: a command comes first, as in `{called} {first} {given} …`: {}",
            names.join(", ")
        );
    } else if command.get_positionals().next().is_none() && !given.starts_with('-') {
        let takes_files = |argument: &&clap::Arg| argument.get_id() == "filename";
        if let Some(short) = command.get_arguments().find(takes_files).and_then(clap::Arg::get_short) {
            let _ = writeln!(hint, "\n  tip: files are given with -{short}: `{called} -{short} {given}`");
        }
    }
    hint
}

#[cfg(test)]
mod tests {
    /// Below the flags stand examples, each on one line, and sentences, which the terminal wraps where it is narrow.
    #[test]
    fn no_line_of_help_is_broken_twice() {
        fn check(command: &clap::Command, way: &str) {
            let words = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let lines: Vec<&str> = words.lines().collect();
            for line in lines.iter().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() <= 100, "{way}: {line}");
            }
            for pair in lines.windows(2) {
                let [first, second] = pair else { continue };
                let goes_on = !first.is_empty() && !second.is_empty() && !second.starts_with(' ');
                assert!(!goes_on || first.starts_with(' ') || first.ends_with('.'), "{way}: {first}");
            }
            command.get_subcommands().for_each(|inner| check(inner, &format!("{way} {}", inner.get_name())));
        }
        check(&crate::args::command(), "podsieve");
    }
}
