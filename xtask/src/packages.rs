//! The library `podsieve` and the crates below it as packages: each holds what it is compiled of.
//!
//! In: the checkout. Out: nothing; failure where cargo cannot package a crate, or where a package lacks a file that its sources name. The
//! files were compiled a moment ago by the tests, so nothing is compiled anew here: that all of them are in the package is enough.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::{Project, run_loud, run_quiet};
use crate::say::{Done, Failure, at};

/// The library, and what it is made of.
const PACKAGES: [&str; 15] = [
    "engine-json",
    "engine-values",
    "engine-yaml",
    "engine-jmespath",
    "engine-cel",
    "engine-podsecurity",
    "engine-mesh",
    "engine",
    "engine-kubernetes",
    "engine-celpolicy",
    "engine-kinds",
    "engine-lenses",
    "engine-compare",
    "engine-convert",
    "podsieve",
];

/// What stands before the name of a file that is compiled too.
const NAMING: [&str; 4] = ["include_str!(\"", "include_bytes!(\"", "include!(\"", "#[path = \""];

/// Makes the packages and looks at what is in them.
pub(crate) fn check(project: &Project) -> Done {
    run_loud(project.cargo().args(["fetch", "--quiet", "--locked"]), "is there a network?")?;
    let mut cargo = project.cargo();
    // All that is needed is there now, and a registry that answers late or not at all is not a fault of the packages.
    cargo.args(["package", "--quiet", "--allow-dirty", "--offline", "--no-verify"]);
    for name in PACKAGES {
        cargo.args(["--package", name]);
    }
    run_loud(&mut cargo, "the lines above name the crate")?;
    let metadata = project.metadata(&["--no-deps", "--offline"])?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    packages.filter(|package| PACKAGES.iter().any(|name| *name == word(package, "name"))).try_for_each(
        |package| {
            let name = word(package, "name");
            let missing = missing(project, package)?;
            if missing.is_empty() {
                return Ok(());
            }
            let what = format!("the package {name} lacks {}", missing.join(", "));
            Err(Failure::new(what, "move what a crate is compiled of into its folder"))
        },
    )
}

/// What cargo says a package is compiled of, and what its sources name, without what is in it.
fn missing(project: &Project, package: &Value) -> Done<Vec<String>> {
    let manifest = word(package, "manifest_path");
    let folder = manifest.strip_suffix("Cargo.toml").unwrap_or(&manifest);
    let mut list = project.cargo();
    list.args(["package", "--list", "--allow-dirty", "--offline", "--package", &word(package, "name")]);
    let printed = run_quiet(&mut list, "")?;
    let files: BTreeSet<&str> = printed.lines().collect();
    let targets = package.get("targets").and_then(Value::as_array).into_iter().flatten();
    let mut needed: Vec<String> = targets
        .map(|target| word(target, "src_path"))
        .map(|path| path.strip_prefix(folder).unwrap_or(&path).to_owned())
        .collect();
    needed.extend(["README.md".to_owned(), "Cargo.toml".to_owned()]);
    for file in files.iter().filter(|file| Path::new(file).extension().is_some_and(|end| end == "rs")) {
        let path = Path::new(folder).join(file);
        needed.extend(named(file, &at(&path, fs::read_to_string(&path))?));
    }
    needed.retain(|file| !files.contains(file.as_str()));
    Ok(needed)
}

/// The files that a source names, relative to the package.
fn named(source: &str, text: &str) -> Vec<String> {
    let names = NAMING.iter().flat_map(|before| text.split(before).skip(1));
    let names = names.filter_map(|rest| rest.split('"').next());
    let folder = source.rsplit_once('/').map_or("", |(folder, _)| folder);
    names.map(|name| joined(folder, name)).collect()
}

/// A path from a folder on; one that leaves the package begins with `..` and is in none.
fn joined(folder: &str, name: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')).filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(&last)) if last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// A text of an object; empty where there is none.
fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_source_names_are_found() {
        let before = NAMING.map(|before| format!("{before}../data/a.txt\""));
        for text in &before {
            assert_eq!(named("src/b/c.rs", text), ["src/data/a.txt"], "{text}");
        }
        assert_eq!(named("src/lib.rs", &before.join("\n")).len(), NAMING.len());
        assert_eq!(named("build.rs", &before.concat())[0], "../data/a.txt");
        assert!(named("src/lib.rs", "include_bytes!(concat!(env!(\"OUT_DIR\"), \"/x\"))").is_empty());
    }
}
