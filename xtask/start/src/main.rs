//! The first words of `cargo xtask`: what is going to happen, about how long it takes and how much disk it needs.
//!
//! In: the arguments of `cargo xtask`. Out: these words, and then whatever the build tool does with the arguments. The tool
//! takes minutes to compile the first time, and cargo is silent meanwhile; this program depends on nothing and is there
//! within a second. Example: `cargo xtask play`.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// What is said before a command that takes its time.
const PLAY: &str = "\
cargo xtask play: builds the page and serves it on http://127.0.0.1:8080.
The first time this takes five to ten minutes on two cores, and 2 GB of disk (target/ and www/node_modules/); after that
seconds where nothing has changed, else about two minutes.";
const BUILD: &str = "\
cargo xtask build: builds the page and the npm package.
The first time this takes five to ten minutes on two cores, and 2 GB of disk (target/ and www/node_modules/).";
const TEST: &str = "\
cargo xtask test: runs the tests. All of them take half an hour on two cores the first time, and 5 GB of disk;
`cargo xtask test --help` names the groups that can be run alone.";
const DIST: &str = "\
cargo xtask dist: builds what is published, optimized as a whole. That takes a quarter of an hour on two cores for this machine, as long again for npm,
more than an hour with --all, and 3 GB of disk (target/).";
const COMPILING: &str = "The build tool itself is compiled first, which takes a minute or two.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(words) = words(&arguments, is_built()) {
        say(&words);
    }
    // With the features of the whole workspace: what else is built then compiles none of its crates a second time.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo).args(["build", "--quiet", "--workspace", "--bin", "xtask"]).status();
    match built {
        Ok(status) if status.success() => {}
        other => return code(other, "cargo"),
    }
    let mut tool = Command::new(tool());
    // As `cargo run` would set it.
    if let Some(own) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) {
        tool.env("CARGO_MANIFEST_DIR", own.parent().unwrap_or(&own));
    }
    code(tool.args(&arguments).status(), "the build tool")
}

/// How a program ended.
fn code(status: std::io::Result<ExitStatus>, program: &str) -> ExitCode {
    match status {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            say(&format!("error: {program} could not be started: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The build tool: it lies beside this program.
fn tool() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.parent().unwrap_or(Path::new(".")).join(format!("xtask{}", std::env::consts::EXE_SUFFIX))
}

/// Whether the build tool was compiled before.
fn is_built() -> bool {
    tool().is_file()
}

/// What is said first; nothing where the answer comes at once.
fn words(arguments: &[String], is_built: bool) -> Option<String> {
    let asks_for_help =
        arguments.iter().any(|argument| ["--help", "-h", "help"].contains(&argument.as_str()));
    let about = match arguments.first().map(String::as_str) {
        Some("play") if !asks_for_help => Some(PLAY),
        Some("build") if !asks_for_help => Some(BUILD),
        Some("dist") if !asks_for_help => Some(DIST),
        Some("test") if !asks_for_help && arguments.len() == 1 => Some(TEST),
        _ => None,
    };
    let compiling = (!is_built).then_some(COMPILING);
    let said: Vec<&str> = about.into_iter().chain(compiling).collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

#[expect(clippy::print_stderr, reason = "this is where the program speaks")]
fn say(words: &str) {
    eprintln!("{words}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(arguments: &[&str], is_built: bool) -> String {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        words(&arguments, is_built).unwrap_or_default()
    }

    #[test]
    fn what_takes_minutes_is_announced_with_its_time_and_its_disk() {
        for command in ["play", "build", "dist", "test"] {
            let words = said(&[command], true);
            assert!(words.contains("on two cores") && words.contains("GB of disk"), "{words}");
            assert!(said(&[command], false).ends_with(COMPILING));
        }
        assert!(said(&["play", "--port", "8081"], true).starts_with("cargo xtask play"));
    }

    #[test]
    fn what_is_there_at_once_is_not() {
        for arguments in
            [&["help"][..], &["test", "--help"], &["play", "-h"], &["size"], &["test", "npm"], &[]]
        {
            assert_eq!(said(arguments, true), "");
        }
        assert_eq!(said(&["help"], false), COMPILING);
    }
}
