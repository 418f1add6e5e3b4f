//! The map of the repository leads somewhere: each path that ARCHITECTURE.md and CONTRIBUTING.md name is there.
//!
//! In: both documents. Out: each path in back-ticks that is not there, with its line; a table *I want to change … | look at …* that
//! is short, or has a row without a path. A path is said from the root, or from the folder that the heading above it names.

use std::fmt::Write;

use super::{none, root};

/// The documents.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Rows that the table has at least.
const MIN_ROWS: usize = 30;
/// How each of its parts begins.
const HEAD: &str = "| I want to change … | look at … |";

/// Endings of files, for names without a folder.
const ENDINGS: [&str; 13] =
    ["rs", "md", "txt", "json", "js", "mjs", "ts", "css", "toml", "html", "yml", "yaml", "gz"];

/// What a build makes: not there in a clone.
const BUILT: [&str; 3] = ["www/dist", "engine/wasm/npm/dist", "engine/kubewarden/dist"];

/// The texts between back-ticks of a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// `a/{b,c}.rs` as `a/b.rs` and `a/c.rs`.
fn opened(text: &str) -> Vec<String> {
    let parts = text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (inner, after))) = parts else { return vec![text.to_owned()] };
    inner.split(',').flat_map(|one| opened(&format!("{before}{}{after}", one.trim()))).collect()
}

/// The part of a path before what stands for any name: `docs/*.md`, `samples/GROUP/NAME.md`.
fn certain(path: &str) -> String {
    let is_any = |part: &str| {
        let letters = part.split('.').next().unwrap_or(part);
        let is_name = letters.len() > 1 && letters.chars().all(|c| c.is_ascii_uppercase() || c == '-');
        part.contains('*') || (is_name && !root().join(part).exists())
    };
    path.split('/').take_while(|part| !is_any(part)).collect::<Vec<_>>().join("/")
}

/// Whether a text between back-ticks is a path: below a folder of the repository, a folder with its `/`, or a file by its ending.
fn is_path(text: &str) -> bool {
    if text.contains(|c: char| c.is_whitespace() || "()=<>:;$…".contains(c)) {
        return false;
    }
    let (first, rest) = text.split_once('/').unwrap_or((text, ""));
    let ending = text.rsplit_once('.').map_or("", |(name, ending)| if name.is_empty() { "" } else { ending });
    let is_below = text.contains('/') && !first.is_empty() && root().join(first).is_dir();
    is_below || (text.ends_with('/') && rest.is_empty()) || ENDINGS.contains(&ending)
}

/// The paths of a document that are not there.
fn missing(document: &str, text: &str) -> String {
    let mut breaches = String::new();
    let mut home = root();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            home = quoted(line).next().map_or_else(root, |folder| root().join(folder));
        }
        let paths = quoted(line).filter(|text| is_path(text)).flat_map(opened);
        for path in paths.filter(|path| !BUILT.iter().any(|built| path.starts_with(built))) {
            let path = certain(&path);
            if !root().join(&path).exists() && !home.join(&path).exists() {
                let _ = writeln!(breaches, "{document}:{}: there is no {path}", at + 1);
            }
        }
    }
    breaches
}

/// The rows of the table, which is in parts, one an area.
fn rows(text: &str) -> Vec<&str> {
    let parts = text.split(HEAD).skip(1);
    parts.flat_map(|part| part.lines().skip(2).take_while(|line| line.starts_with('|'))).collect()
}

#[test]
fn each_path_of_the_map_exists() {
    let mut breaches = String::new();
    for document in DOCUMENTS {
        breaches += &missing(document, &std::fs::read_to_string(root().join(document)).unwrap());
    }
    none(&breaches);
}

#[test]
fn the_map_says_where_changes_are_made() {
    let text = std::fs::read_to_string(root().join(DOCUMENTS[0])).unwrap();
    let rows = rows(&text);
    assert!(rows.len() >= MIN_ROWS, "{} rows", rows.len());
    let lost: Vec<_> = rows.iter().filter(|row| !quoted(row).any(is_path)).collect();
    assert!(lost.is_empty(), "rows without a path: {lost:?}");
}

#[test]
fn paths_of_a_document_are_found() {
    let text = "## `tests`\n`src/{lib,no}.rs`, `suite/**/*.md`, `src/NO.rs`, `engine/json/`, `a/b`, `k8s.io/api`, `none/`, `README.md`";
    assert_eq!(missing("m", text), "m:2: there is no src/no.rs\nm:2: there is no none/\n");
}
