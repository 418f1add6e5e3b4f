//! The rules of the house, held on every source file of the repository.
//!
//! In: the repository. Out: all breaches at once, each with its file and line. What may break a rule stands in a list
//! below, with its reason.

mod examples;
mod map;
mod module_order;
mod page_words;

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Lines a file may have.
const MAX_LINES: usize = 500;
/// Lines a function may have.
const MAX_FUNCTION: usize = 70;

/// Functions that may be longer, each with the reason.
const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[];

/// Folders that hold no source of ours.
const PASSED_OVER: &[&str] = &["target", "node_modules", "dist", ".git", ".cargo", "pkg"];

struct Source {
    /// Relative to the repository, with `/`.
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), &root(), 0, extension, &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty());
    found
}

fn collect(root: &Path, folder: &Path, depth: usize, extension: &str, found: &mut Vec<Source>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if depth < 12 && !PASSED_OVER.contains(&name.as_str()) {
                collect(root, &path, depth + 1, extension, found);
            }
        } else if path.extension().is_some_and(|known| known == extension) {
            let inner = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            found.push(Source { path: inner, text: std::fs::read_to_string(&path).unwrap_or_default() });
        }
    }
}

/// Fails with all breaches, if there are any.
#[track_caller]
fn none(breaches: &str) {
    assert!(breaches.is_empty(), "\n{breaches}");
}

#[test]
fn a_file_begins_with_what_it_is_for() {
    let mut breaches = String::new();
    for source in sources("rs") {
        if !source.text.starts_with("//! ") {
            let _ = writeln!(
                breaches,
                "{}:1: begins without `//!`: say what goes in and what comes out",
                source.path
            );
        }
    }
    none(&breaches);
}

#[test]
fn a_file_is_short_enough_to_read() {
    let mut breaches = String::new();
    for source in sources("rs") {
        let lines = source.text.lines().count();
        if lines > MAX_LINES {
            let _ = writeln!(
                breaches,
                "{}: {lines} lines, at most {MAX_LINES}: split it by meaning",
                source.path
            );
        }
    }
    none(&breaches);
}

#[test]
fn a_function_fits_a_screen() {
    let mut breaches = String::new();
    for source in sources("rs") {
        for (name, line, length) in functions(&source.text) {
            let is_named =
                LONG_FUNCTIONS.iter().any(|(path, known, _)| *path == source.path && *known == name);
            if length > MAX_FUNCTION && !is_named {
                let _ = writeln!(
                    breaches,
                    "{}:{line}: `{name}` has {length} lines, at most {MAX_FUNCTION}",
                    source.path
                );
            }
        }
    }
    none(&breaches);
}

/// Name, first line and length of each function, said by rustfmt's layout: a function ends with the `}` that stands
/// as far in as its first line.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        // `pub(crate) fn` and `pub(super) fn` are functions as `pub fn` is.
        let code = code.strip_prefix("pub(").and_then(|rest| Some(rest.split_once(") ")?.1)).unwrap_or(code);
        let words = code.split(['(', '<']).next().unwrap_or("");
        let Some(name) = words.strip_prefix("fn ").or_else(|| words.split(" fn ").nth(1)) else { continue };
        let is_function = words.split_whitespace().all(|word| {
            matches!(word, "pub" | "fn" | "const" | "async" | "extern")
                || word.starts_with("pub")
                || word == name
        });
        if !is_function || code.starts_with("//") || code.starts_with('"') {
            continue;
        }
        let close = format!("{}}}", " ".repeat(indent));
        let length = lines
            .iter()
            .skip(at)
            .position(|line| *line == close || line.ends_with("{}") || is_declared(line, indent))
            .map_or(1, |end| end + 1);
        found.push((name.trim().to_owned(), at + 1, length));
    }
    found
}

/// Whether a function without a body ends here, as one of JavaScript's does.
fn is_declared(line: &str, indent: usize) -> bool {
    let code = line.trim_start();
    line.len() - code.len() == indent
        && code.ends_with(';')
        && (code.starts_with(')') || code.contains("fn "))
}

#[test]
fn no_word_stands_for_work_undone() {
    // Put together, so that this file does not name them itself.
    let words = [["TO", "DO"].concat(), ["FIX", "ME"].concat(), ["XX", "X"].concat()];
    let marks = [["#[ig", "nore"].concat(), ["should", "_panic"].concat(), ["#![al", "low"].concat()];
    let mut breaches = String::new();
    for source in sources("rs") {
        for (at, line) in source.text.lines().enumerate() {
            let has_word =
                words.iter().any(|word| line.split(|c: char| !c.is_alphanumeric()).any(|part| part == word));
            if has_word || marks.iter().any(|mark| line.contains(mark.as_str())) {
                let _ = writeln!(breaches, "{}:{}: {}", source.path, at + 1, line.trim());
            }
        }
    }
    none(&breaches);
}

#[test]
fn no_path_of_a_machine_is_committed() {
    let places = [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat(), ["/ho", "me/"].concat()];
    let mut breaches = String::new();
    for extension in ["rs", "md", "toml", "js", "html", "css", "json"] {
        for source in sources_or_none(extension) {
            for (at, line) in source.text.lines().enumerate() {
                if places.iter().any(|place| line.contains(place.as_str())) {
                    let _ = writeln!(breaches, "{}:{}: {}", source.path, at + 1, line.trim());
                }
            }
        }
    }
    none(&breaches);
}

fn sources_or_none(extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), &root(), 0, extension, &mut found);
    // Samples and cases show what stands in images and manifests.
    found.retain(|source| !source.path.starts_with("tests/suite/") && !source.path.contains("/samples/"));
    found
}

/// Programs of tests beside `all`, each with the reason.
const FURTHER_PROGRAMS: &[(&str, &str)] = &[("tests/tests/suite.rs", "names its tests after files")];

/// Each program is linked by itself, and cargo runs one after the other: a core has nothing to do at the end of each.
#[test]
fn a_crate_has_one_test_program() {
    let mut breaches = String::new();
    for source in sources("rs") {
        let Some((package, file)) = source.path.rsplit_once("/tests/") else { continue };
        let is_program =
            !file.contains('/') || (file.matches('/').count() == 1 && file.ends_with("/main.rs"));
        let is_named = FURTHER_PROGRAMS.iter().any(|(path, _)| *path == source.path);
        if is_program
            && file != "all/main.rs"
            && !is_named
            && root().join(package).join("Cargo.toml").is_file()
        {
            let _ = writeln!(breaches, "{}: make it a module of {package}/tests/all/main.rs", source.path);
        }
    }
    none(&breaches);
}

/// Each dependency has a sentence above it: what it does, and why not us.
#[test]
fn each_dependency_has_its_reason() {
    let mut breaches = String::new();
    for source in sources("toml").iter().filter(|source| source.path.ends_with("Cargo.toml")) {
        let is_root = source.path == "Cargo.toml";
        let mut section = "";
        let mut before = "";
        for (at, line) in source.text.lines().enumerate() {
            let line = line.trim();
            let is_new_section = line.starts_with('[');
            if is_new_section {
                section = line;
            }
            let is_dependency = if is_new_section {
                section.contains("dependencies.")
            } else {
                // The lines of a list or table that goes on are not dependencies of their own.
                section.ends_with("dependencies]")
                    && !line.is_empty()
                    && !line.starts_with(['#', ']', '}', '"'])
            };
            if is_dependency && !is_root && !before.starts_with('#') {
                let _ = writeln!(breaches, "{}:{}: `{line}` has no comment above it", source.path, at + 1);
            }
            before = line;
        }
    }
    none(&breaches);
}

/// Every diagnostic code says what it means where it is declared, and no two have one name on screen.
#[test]
fn each_diagnostic_code_is_explained() {
    let all = sources("rs");
    let diag = all.iter().find(|source| source.path == "engine/src/diag.rs").unwrap();
    let names: Vec<&str> = diag
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Code::")?.split_once(" => \""))
        .map(|(_, name)| name.trim_end_matches("\","))
        .collect();
    let declared =
        diag.text.split_once("pub enum Code {").and_then(|(_, rest)| rest.split_once("\n}")).unwrap().0;
    let declared = declared.lines().filter(|line| line.ends_with(',')).count();
    assert!(declared > 0 && names.len() == declared, "{} names are found of {declared} codes", names.len());
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len(), "two codes have one name");
    let docs = std::fs::read_to_string(root().join("docs/diagnostics.md")).unwrap_or_default();
    let missing: String = names
        .iter()
        .filter(|name| !docs.contains(&format!("`{name}`")))
        .fold(String::new(), |all, name| all + &format!("docs/diagnostics.md does not explain `{name}`\n"));
    none(&missing);
}

/// A text about the release that is followed, or about nothing else that has its number: what a document says of Kyverno's
/// releases, and what a program prints of them.
fn releases(text: &str) -> Vec<&str> {
    let behind = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default().trim_end_matches('.')
    };
    text.match_indices("Kyverno 1.").map(|(at, _)| behind(at + "Kyverno ".len())).collect()
}

/// Where the release stands that a document must not leave behind.
const ABOUT_THE_RELEASE: &[&str] = &[
    "README.md",
    "docs/README.md",
    "docs/limits.md",
    "docs/following-a-release.md",
    "engine/wasm/npm/README.md",
];

#[test]
fn documents_name_the_release_that_is_followed() {
    let mut breaches = String::new();
    for source in sources("md") {
        let named = releases(&source.text);
        // What was recorded, was recorded by a release.
        let is_history = source.path == "CHANGELOG.md" || source.path.starts_with("tests/recorded/");
        for other in named.iter().filter(|named| **named != engine::KYVERNO_VERSION && !is_history) {
            let _ = writeln!(breaches, "{}: names Kyverno {other}, another release", source.path);
        }
        if ABOUT_THE_RELEASE.contains(&source.path.as_str()) && named.is_empty() {
            let _ = writeln!(breaches, "{}: does not name the release", source.path);
        }
    }
    none(&breaches);
}

#[test]
fn one_constant_names_the_release_that_is_followed() {
    let mut breaches = String::new();
    let (short, _) = engine::KYVERNO_VERSION.rsplit_once('.').unwrap_or_default();
    let release = format!("\"{}\"", engine::KYVERNO_VERSION);
    for source in sources("rs") {
        for (at, line) in source.text.lines().enumerate() {
            let (code, _) = line.split_once("//").unwrap_or((line, ""));
            let is_constant = source.path == "engine/src/lib.rs" && code.contains("KYVERNO_VERSION");
            let names = code.contains(&release) || code.contains(&format!("Kyverno {short}"));
            if names && !is_constant {
                let _ = writeln!(
                    breaches,
                    "{}:{}: names the release: use `KYVERNO_VERSION`",
                    source.path,
                    at + 1
                );
            }
        }
    }
    none(&breaches);
}
