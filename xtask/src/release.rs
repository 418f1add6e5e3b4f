//! `cargo xtask release X.Y.Z`: the version everywhere, and the changelog cut; with `--dry-run` in a copy below target.
//!
//! In: a version and a clean checkout. Out: changed files, and what is left for a person: nothing is committed, tagged or published here. The commands
//! that a release is built by are those of `cargo xtask dist`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::day::day;
use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, line};
use crate::site;

/// The heading of what is not released yet.
const NEXT: &str = "## Unreleased";
/// Where the version stands, and the text around it; `VERSION` is its place.
const PLACES: [(&str, &str); 7] = [
    ("Cargo.toml", "\nversion = \"VERSION\"\n"),
    ("Cargo.toml", "\", version = \"VERSION\" }\n"),
    ("engine/wasm/npm/package.json", "\"version\": \"VERSION\""),
    (".pre-commit-hooks.yaml", "\"podsieve@VERSION\""),
    ("docs/ci.md", "rev: vVERSION\n"),
    ("docs/ci.md", "npm install --global podsieve@VERSION\n"),
    ("README.md", "podsieve-VERSION.tgz"),
];

/// Prepares a release.
pub(crate) fn run(project: &Project, arguments: &[String]) -> Done {
    let (options, words): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|word| word.starts_with("--"));
    let usage = || {
        Failure::new(
            "a release has one version",
            "cargo xtask release X.Y.Z, with --dry-run to try it in a copy",
        )
    };
    let ([version], true) = (words.as_slice(), options.iter().all(|option| *option == "--dry-run")) else {
        return Err(usage());
    };
    let old = project.version()?;
    let is_newer = numbers(version).zip(numbers(&old)).is_some_and(|(new, old)| new > old);
    if !is_newer {
        return Err(Failure::new(
            format!("{version} does not come after {old}"),
            "give three numbers with dots between them",
        ));
    }
    let git =
        |folder: &Path, words: &[&str]| run_quiet(Command::new("git").current_dir(folder).args(words), "");
    let root = project.path(".");
    if !git(&root, &["status", "--porcelain"])?.is_empty() {
        return Err(Failure::new(
            "the checkout has changes that are not committed",
            "commit or undo them first",
        ));
    }
    let root = if options.is_empty() { root } else { copy(project)? };
    let notes = prepare(&root, (&old, version), &today())?;
    // The lock file names the version of each of our crates.
    let mut cargo = project.cargo();
    run_quiet(cargo.current_dir(&root).args(["update", "--quiet", "--workspace", "--offline"]), "")?;
    line(git(&root, &["diff", "--stat"])?);
    line(left_to_do(version, &notes, &project.address()?));
    if !options.is_empty() {
        line(format!("Nothing was changed here; the copy is {}.", root.display()));
    }
    Ok(())
}

/// The numbers of a version.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let numbers: Option<Vec<u32>> = version.split('.').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// A clone of the checkout.
fn copy(project: &Project) -> Done<PathBuf> {
    let to = project.target("xtask/release");
    site::reset(&to)?;
    let mut git = Command::new("git");
    git.args(["clone", "--quiet", "--shared"]).arg(project.path(".")).arg(&to);
    run_quiet(&mut git, "")?;
    Ok(to)
}

/// Writes the version into all its places and cuts the changelog; returns what is new.
fn prepare(root: &Path, (old, new): (&str, &str), day: &str) -> Done<String> {
    for (name, around) in PLACES {
        let path = root.join(name);
        let text = at(&path, fs::read_to_string(&path))?;
        let (before, after) = (around.replace("VERSION", old), around.replace("VERSION", new));
        if !text.contains(&before) {
            return Err(Failure::new(
                format!("{name} does not hold {before:?}"),
                "change PLACES in xtask/src/release.rs with it",
            ));
        }
        at(&path, fs::write(&path, text.replace(&before, &after)))?;
    }
    let path = root.join("CHANGELOG.md");
    let (text, notes) = cut(&at(&path, fs::read_to_string(&path))?, new, day)?;
    at(&path, fs::write(&path, text))?;
    Ok(notes)
}

/// The changelog with what was not released under its version, and these lines.
fn cut(text: &str, version: &str, day: &str) -> Done<(String, String)> {
    let missing = || {
        Failure::new(format!("CHANGELOG.md has no `{NEXT}`, or nothing stands under it"), "write what is new")
    };
    let (before, rest) = text.split_once(&format!("{NEXT}\n")).ok_or_else(missing)?;
    let notes = rest.split("\n## ").next().unwrap_or_default().trim();
    if notes.is_empty() {
        return Err(missing());
    }
    Ok((format!("{before}{NEXT}\n\n## {version}, {day}\n{rest}"), notes.to_owned()))
}

/// Today (UTC), such as `2026-12-01`.
fn today() -> String {
    day(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}

/// What a person does next, and what comes of it.
fn left_to_do(version: &str, notes: &str, address: &str) -> String {
    let lines = notes.lines().count();
    format!(
        "podsieve {version}: {lines} lines of CHANGELOG.md are its notes.\n\
         Left to do, by a person (docs/releasing.md):\n  \
         1. read `git diff`, then: git commit --all --message 'podsieve {version}'\n  \
         2. cargo xtask dist --all && cargo xtask test npx\n  \
         3. git tag --annotate v{version}, with the notes as its message; git push --follow-tags\n  \
         4. look at the five jobs `try`, then approve `publish`\n\
         What the tag publishes:\n  \
         {address}/releases/tag/v{version}   archives, SHA256SUMS, podsieve.cdx.json\n  \
         npm: podsieve@{version}\n  \
         image: the registry of the repository, {version} and latest"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_put_under_its_version() {
        let text = "# Changelog\n\n## Unreleased\n\n- one\n\n## 0.1.0, 2026-01-01\n\n- old\n";
        let (cut_text, notes) = cut(text, "0.2.0", "2026-12-01").unwrap();
        assert_eq!(notes, "- one");
        assert_eq!(
            cut_text,
            "# Changelog\n\n## Unreleased\n\n## 0.2.0, 2026-12-01\n\n- one\n\n## 0.1.0, 2026-01-01\n\n- old\n"
        );
        assert!(cut(&cut_text, "0.3.0", "2026-12-02").is_err());
    }

    #[test]
    fn versions_are_read() {
        assert!(numbers("0.10.0") > numbers("0.9.9"));
        assert!(["1.2", "1.2.3.4", "v1.2.3", "1.2.x"].iter().all(|text| numbers(text).is_none()));
    }
}
