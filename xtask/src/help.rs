//! What each command does and takes.
//!
//! In: a command's name, or none. Out: its help, or the list of all commands.

use crate::test;

/// A command as it is called, what it does, and what more there is to say.
struct Row {
    call: &'static str,
    about: &'static str,
    more: &'static str,
}

const fn row(call: &'static str, about: &'static str, more: &'static str) -> Row {
    Row { call, about, more }
}

const PORT: &str = "--port N   the port instead of 8080\n--fast     leaves out wasm-opt: larger modules, a slightly quicker build";
const FAST: &str = "--fast     leaves out wasm-opt: larger modules, a slightly quicker build";

const ROWS: [Row; 11] = [
    row("play [--port N] [--fast]", "build the page and serve it on http://127.0.0.1:8080", PORT),
    row(
        "build [--fast]",
        "build the page into www/dist, the npm package into engine/wasm/npm/dist, and the policy",
        FAST,
    ),
    row("policy [--fast]", "build the policy for Kubewarden alone, into engine/kubewarden/dist", FAST),
    row("test [GROUP…]", "run all tests, or some groups of them", "Groups: GROUPS."),
    row(
        "dist [PART…] [--all]",
        "build a release, or some parts of one, into target/dist",
        "Parts: npm (with the terminal client, for npx), archives, image.\n--all      archives for all machines, not for this one alone",
    ),
    row(
        "release X.Y.Z [--dry-run]",
        "write a version into all its places and cut the changelog",
        "Nothing is committed, tagged or published.\n--dry-run  in a copy below target",
    ),
    row("size", "sizes of every file that a visitor loads, against the budgets", ""),
    row(
        "shots [STATE]",
        "pictures of the page in its states, into target/shots",
        "A state is one of those that tests/browser/shots.mjs names.",
    ),
    row(
        "lighthouse [mobile]",
        "the median of five runs of Lighthouse, where that is installed",
        "LIGHTHOUSE names the program.",
    ),
    row(
        "strangers [COUNT [FIRST]]",
        "opens hostile links, 200 or so many, and measures what they do to the page",
        "The links are made from FIRST on, the same each time.",
    ),
    row("bench", "link to verdict and key press to verdict in headless Chromium", ""),
];

/// What stands below the list of all commands.
const END: &str = "\
--fast leaves out wasm-opt: larger modules, a slightly quicker build.
Groups of `test`: GROUPS.
`cargo xtask COMMAND --help` tells of one command.
Everything that is missing (the wasm target, npm packages at the versions of the lock files) is fetched by itself.";

/// Whether these arguments ask for help.
pub(crate) fn is_asked(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| ["help", "--help", "-h"].contains(&argument.as_str()))
}

/// All commands.
pub(crate) fn all() -> String {
    let width = ROWS.iter().map(|row| row.call.chars().count()).max().unwrap_or_default();
    let list: Vec<String> =
        ROWS.iter().map(|row| format!("cargo xtask {:<width$}  {}", row.call, row.about)).collect();
    let list = list.join("\n");
    with_groups(&format!("{list}\n\n{END}"))
}

/// One command; all of them where there is none of that name.
pub(crate) fn of(command: &str) -> String {
    let is_it = |row: &&Row| row.call.split(' ').next() == Some(command);
    ROWS.iter().find(is_it).map_or_else(all, |Row { call, about, more }| {
        with_groups(format!("cargo xtask {call}\n{about}\n\n{more}").trim_end())
    })
}

fn with_groups(text: &str) -> String {
    text.replace("GROUPS", &test::names())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_of_each_command_names_what_it_takes() {
        assert!(
            of("test").starts_with("cargo xtask test [GROUP…]\n") && of("test").contains("conformance, ")
        );
        assert!(of("play").contains("--port N") && !of("size").contains("--port"));
        assert_eq!(of("nothing"), all());
        assert_eq!(all().matches("cargo xtask ").count(), ROWS.len() + 1);
        assert!(is_asked(&["--help".to_owned()]) && !is_asked(&["npm".to_owned()]));
    }
}
