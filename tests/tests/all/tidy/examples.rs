//! Examples in the documentation of a crate are tests of it: rustdoc runs them, or `tests/all/examples.rs` holds them, word for word.
//!
//! In: the sources and manifests of the crates. Out: each line of an example that no test holds, with its file.

use std::fmt::Write;

use super::{none, root, sources};

/// The lines of the examples in a source, without what marks them; blocks of another language (```` ```text ````) are none.
fn examples(source: &str) -> Vec<&str> {
    let documentation = source.lines().map(str::trim_start).map(|line| {
        ["//! ", "/// ", "//!", "///"].into_iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim)
    });
    let (mut found, mut block) = (Vec::new(), None);
    for line in documentation {
        block = match (line, block) {
            (None, _) => None,
            (Some("```"), None) => Some(true),
            (Some(line), None) if line.starts_with("```") => Some(false),
            (Some(line), Some(_)) if line.starts_with("```") => None,
            (Some(line), Some(true)) => {
                found.push(line);
                Some(true)
            }
            (_, block) => block,
        };
    }
    found.retain(|line| !line.is_empty());
    found
}

/// What is left where rustfmt may break a line.
fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn each_example_is_a_test() {
    let mut breaches = String::new();
    let all = sources("rs");
    for manifest in sources("toml").iter().filter(|manifest| manifest.text.contains("\ndoctest = false")) {
        let Some(folder) = manifest.path.strip_suffix("Cargo.toml") else { continue };
        let held = std::fs::read_to_string(root().join(folder).join("tests/all/examples.rs"));
        let held = without_blanks(&held.unwrap_or_default());
        let own = format!("{folder}src/");
        for source in all.iter().filter(|source| source.path.starts_with(&own)) {
            for line in examples(&source.text).iter().filter(|line| !held.contains(&without_blanks(line))) {
                let _ = writeln!(breaches, "{}: not in {folder}tests/all/examples.rs: {line}", source.path);
            }
        }
    }
    none(&breaches);
}

#[test]
fn lines_of_examples_are_found() {
    let source = "//! Head.\n//!\n//! ```\n//! let a = 1;\n//!\n//! ```\n//! ```text\n//! b\n//! ```\nfn f() {}\n    /// ```\n    /// c\n    /// ```\n";
    assert_eq!(examples(source), ["let a = 1;", "c"]);
}
