//! Collects `samples/GROUP/NAME.md` into one list that `src/samples` reads: a new file is a new menu entry.
//!
//! Out: `samples.rs` in `OUT_DIR`: an array of (group, file name, title, first sentence, name of the first policy), and the text
//! of the newcomer's sample. The other texts come in one file of the page, when the first of them is chosen.

use std::fmt::Write as _;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The sample that a newcomer sees first: it comes with the page.
const FIRST: &str = "good-practice/require-labels";

/// A longer sentence ends at its first half.
const LONG: usize = 120;

fn main() -> Result<()> {
    let variable =
        |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::other(name.to_owned()));
    let folder = variable("CARGO_MANIFEST_DIR")?.join("samples");
    let mut code = String::from("pub(crate) const INDEX: &[(&str, &str, &str, &str, &str)] = &[\n");
    for group in entries(&folder)? {
        for file in entries(&group)? {
            if file.extension().is_some_and(|ending| ending == "md") {
                let (group, name) = (stem(&group), stem(&file));
                let text = fs::read_to_string(&file)?;
                let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
                let (line, policy) = (sentence_of(&text), policy_of(&text));
                writeln!(code, "({group:?}, {name:?}, {title:?}, {line:?}, {policy:?}),")
                    .map_err(Error::other)?;
            }
        }
    }
    code.push_str("];\n");
    writeln!(code, "pub(crate) const FIRST: &str = {FIRST:?};").map_err(Error::other)?;
    // Where the checkout lies is asked when this is compiled: several may share one target directory.
    let first = format!("/samples/{FIRST}.md");
    let text = format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {first:?}))");
    writeln!(code, "pub(crate) const FIRST_TEXT: &str = {text};").map_err(Error::other)?;
    fs::write(variable("OUT_DIR")?.join("samples.rs"), code)?;
    println!("cargo::rerun-if-changed=samples");
    Ok(())
}

/// What a folder holds, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The first sentence below the title: what the menu says of a sample.
fn sentence_of(text: &str) -> String {
    let prose = text.lines().skip(1).take_while(|line| !line.starts_with("```"));
    let prose = prose.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let mut sentence = prose.split_once(". ").map_or(prose.as_str(), |(sentence, _)| sentence);
    for border in ["; ", ": "] {
        if sentence.len() > LONG {
            sentence = sentence.split_once(border).map_or(sentence, |(begin, _)| begin);
        }
    }
    sentence.to_owned()
}

/// The name of the first policy of a sample.
fn policy_of(text: &str) -> &str {
    let block = text.split("```yaml policy\n").nth(1).unwrap_or_default();
    block.lines().find_map(|line| line.strip_prefix("  name: ")).unwrap_or_default()
}
