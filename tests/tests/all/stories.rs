//! The stories of `docs/stories`: each describes a way from beginning to end, and each command in it is run. So are those of
//! `docs/cel.md` and `docs/kubernetes-releases.md`.
//!
//! In: Markdown with ```` ```yaml NAME.yaml ```` for the files of a folder, and ```` ```console ```` with `$ podsieve …`, what
//! that prints on standard output (behind `2>&1` what it says about mistakes too), and after `$ echo $?` its exit code. Out: a failure where the program says something
//! else. `UPDATE=1` writes what it says into the story. Blocks of other kinds are prose.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use tests::program::{self, Scratch};

/// A command of a story, and where what it printed stands in the text.
struct Command {
    arguments: Vec<String>,
    /// Whether what it says about mistakes is shown too.
    is_all_shown: bool,
    from: usize,
    to: usize,
}

#[derive(Default)]
struct Story {
    files: Vec<(String, String)>,
    commands: Vec<Command>,
}

fn read(text: &str) -> Story {
    let mut story = Story::default();
    let mut open: Option<(String, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(info) = line.trim_end().strip_prefix("```") else { continue };
        match open.take() {
            None => open = Some((info.trim().to_owned(), at)),
            Some((info, from)) => block(&mut story, &info, text.get(from..start).unwrap_or(""), from),
        }
    }
    story
}

fn block(story: &mut Story, info: &str, body: &str, from: usize) {
    match info.split_once(' ') {
        Some(("yaml", name)) => story.files.push((name.to_owned(), body.to_owned())),
        None if info == "console" => {
            let first = body.lines().next().unwrap_or("");
            let Some(arguments) = first.strip_prefix("$ podsieve ") else { return };
            let shown = arguments.strip_suffix(" 2>&1");
            let (arguments, is_all_shown) = (words(shown.unwrap_or(arguments)), shown.is_some());
            let (from, to) = (from + first.len() + 1, from + body.len());
            story.commands.push(Command { arguments, is_all_shown, from, to });
        }
        _ => {}
    }
}

/// The words of a command, as a shell takes them apart; those in single quotes are kept as they are.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    for (at, part) in line.split('\'').enumerate() {
        let is_quoted = at % 2 == 1;
        for c in part.chars() {
            if c.is_whitespace() && !is_quoted {
                is_new = true;
                continue;
            }
            if is_new {
                words.push(String::new());
            }
            is_new = false;
            if let Some(word) = words.last_mut() {
                word.push(c);
            }
        }
    }
    words
}

/// What the program prints, and its exit code, as a console shows both.
fn said(podsieve: &Path, story: &Story, command: &Command) -> Result<String, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    for (name, text) in &story.files {
        scratch.write(name, text).map_err(|error| error.to_string())?;
    }
    let arguments: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
    let output = program::run(podsieve, scratch.path(), &arguments, "").map_err(|error| error.to_string())?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if command.is_all_shown {
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    let code = output.status.code().unwrap_or(-1);
    Ok(format!("{}\n$ echo $?\n{code}\n", trimmed.join("\n")))
}

fn stories() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let entries = std::fs::read_dir(docs.join("stories")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.extend(["cel.md", "kubernetes-releases.md"].map(|name| docs.join(name)));
    found.sort();
    found
}

#[test]
fn the_commands_of_the_stories_say_what_the_stories_show() {
    let Some(podsieve) = program::find_or_skip() else { return };
    let is_update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let stories = stories();
    assert!(!stories.is_empty(), "there is no story");
    let mut wrong = String::new();
    for path in stories {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let story = read(&text);
        assert!(!story.commands.is_empty(), "{}: no command", path.display());
        let mut updated = text.clone();
        // From the end, so that the places before stay where they are.
        for command in story.commands.iter().rev() {
            let expected = text.get(command.from..command.to).unwrap_or("");
            let got = said(&podsieve, &story, command).unwrap_or_else(|error| error);
            if got != expected {
                let shown = command.arguments.join(" ");
                let _ =
                    writeln!(wrong, "{}: podsieve {shown}\nexpected\n{expected}\ngot\n{got}", path.display());
                updated.replace_range(command.from..command.to, &got);
            }
        }
        if is_update && updated != text {
            std::fs::write(&path, updated).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
    assert!(is_update || wrong.is_empty(), "{wrong}UPDATE=1 writes what was got into the story");
}
