//! The licences of the works of others that the page, the npm package and the terminal client carry: crates compiled into them, npm packages
//! bundled into the editor.
//!
//! In: what `cargo metadata` says of the packages that are built, with the folders of the crates; `www/package-lock.json`
//! and `node_modules`. Out: one text, each licence once with the works that stand under it; a failure where a work has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::Project;
use crate::say::{Done, Failure, at};
use crate::wasm;

/// The file's name beside the page, and in the npm package.
pub(crate) const FILE: &str = "THIRD_PARTY_LICENSES.txt";

/// Read at build time, and no dependency of a module: the editor's schemas of Kubernetes' kinds are made of it.
const READ: &str = "k8s-openapi";
/// The package of the terminal client.
const CLIENT: &str = "engine-cli";
/// How deep in a work they are looked for.
const DEPTH: usize = 3;
/// How the files of a licence are called.
const FILES: [&str; 5] = ["license", "licence", "copying", "copyright", "notice"];

const HEAD: &str = "This is podsieve, under the Apache License 2.0 (LICENSE). It carries the works below, each under its own terms.\n\
    Of works that give a choice, what stands here is the choice that was made. What is compiled holds parts of the standard\n\
    library of Rust too (MIT OR Apache-2.0, Copyright (c) The Rust Project Contributors, https://www.rust-lang.org).\n";

/// What has to stand in the place of a file that a package forgot; `AUTHORS` stands for who made it.
const MIT: &str = "MIT License\n\nCopyright (c) AUTHORS\n\n\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation \
files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, \
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software \
is furnished to do so, subject to the following conditions:\n\n\
The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\n\
THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES \
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE \
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR \
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n";

/// A work of others.
pub(crate) struct Work {
    /// With its version.
    pub(crate) name: String,
    /// As SPDX writes it.
    pub(crate) license: String,
    authors: String,
    folder: PathBuf,
}

/// The text for the page: crates and npm packages.
pub(crate) fn of_page(project: &Project) -> Done<String> {
    let mut works = crates(project, wasm::TARGET, &["playground", "engine-wasm", "engine-wasm-compare"])?;
    works.extend(bundled(project)?);
    text(project, &works)
}

/// The text for the npm package as a library.
pub(crate) fn of_package(project: &Project) -> Done<String> {
    text(project, &of_library(project)?)
}

/// The text for the npm package with the terminal client, built for a target.
pub(crate) fn of_package_with_client(project: &Project, target: &str) -> Done<String> {
    let mut works = of_library(project)?;
    works.extend(works_of_client(project, target)?);
    text(project, &works)
}

/// The works in the terminal client.
pub(crate) fn works_of_client(project: &Project, target: &str) -> Done<Vec<Work>> {
    crates(project, target, &[CLIENT])
}

fn of_library(project: &Project) -> Done<Vec<Work>> {
    crates(project, wasm::TARGET, &["engine-wasm", "engine-wasm-cel", "engine-wasm-compare"])
}

/// The licences of works, each once.
pub(crate) fn text(project: &Project, works: &[Work]) -> Done<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for work in works {
        let license = license_of(project, work)?;
        texts.entry(license).or_default().push(format!("{} ({})", work.name, work.license));
    }
    let mut groups: Vec<(Vec<String>, String)> =
        texts.into_iter().map(|(text, names)| (names, text)).collect();
    for (names, _) in &mut groups {
        names.sort();
        names.dedup();
    }
    groups.sort();
    let rule = "=".repeat(78);
    let group = |(names, text): &(Vec<String>, String)| format!("\n{rule}\n{}\n\n{text}\n", names.join("\n"));
    Ok(HEAD.to_owned() + &groups.iter().map(group).collect::<String>())
}

/// The crates that end in what is built of these packages for a target, but for ours.
fn crates(project: &Project, target: &str, ours: &[&str]) -> Done<Vec<Work>> {
    let metadata = project.metadata(&["--locked", "--filter-platform", target])?;
    let list =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> =
        list(&metadata, "packages").into_iter().map(|package| (word(&package, "id"), package)).collect();
    let nodes: BTreeMap<String, Vec<Value>> = metadata
        .get("resolve")
        .map(|resolve| list(resolve, "nodes"))
        .unwrap_or_default()
        .into_iter()
        .map(|node| (word(&node, "id"), list(&node, "deps")))
        .collect();
    let is_wanted = |package: &&Value| {
        let name = word(package, "name");
        ours.contains(&name.as_str()) || name == READ
    };
    let mut waiting: Vec<String> =
        packages.values().filter(is_wanted).map(|package| word(package, "id")).collect();
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let mut works = Vec::new();
    while let Some(id) = waiting.pop() {
        let Some(package) = packages.get(&id) else { continue };
        if package.get("source").is_some_and(|source| !source.is_null()) {
            works.push(of_crate(package));
        }
        let is_built_in = |dependency: &&Value| {
            list(dependency, "dep_kinds").iter().any(|kind| kind.get("kind").is_none_or(Value::is_null))
        };
        // What is read as text brings nothing with it.
        let deps = nodes.get(&id).filter(|_| word(package, "name") != READ).into_iter().flatten();
        for next in deps.filter(is_built_in).map(|dependency| word(dependency, "pkg")) {
            let is_macro = packages.get(&next).is_some_and(is_procedural);
            if !is_macro && seen.insert(next.clone()) {
                waiting.push(next);
            }
        }
    }
    Ok(works)
}

/// Whether a crate runs in the compiler alone.
fn is_procedural(package: &Value) -> bool {
    let targets = package.get("targets").and_then(Value::as_array).into_iter().flatten();
    targets.filter_map(|target| target.get("kind")?.as_array()).flatten().any(|kind| kind == "proc-macro")
}

fn of_crate(package: &Value) -> Work {
    let authors =
        package.get("authors").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let authors: Vec<&str> = authors.map(|author| author.split(" <").next().unwrap_or(author)).collect();
    let name = word(package, "name");
    let folder =
        PathBuf::from(word(package, "manifest_path")).parent().map(Path::to_path_buf).unwrap_or_default();
    Work {
        license: word(package, "license"),
        authors: if authors.is_empty() { format!("the authors of {name}") } else { authors.join(", ") },
        name: format!("{name} {}", word(package, "version")),
        folder,
    }
}

/// The npm packages that are bundled: all of the lock file that are not for building alone.
fn bundled(project: &Project) -> Done<Vec<Work>> {
    let path = project.path("www/package-lock.json");
    let lock = json(&path)?;
    let packages = lock.get("packages").and_then(Value::as_object).into_iter().flatten();
    let shipped = packages.filter(|(place, entry)| !place.is_empty() && entry.get("dev").is_none());
    let work = |(place, _): (&String, &Value)| {
        let folder = project.path("www").join(place);
        let package = json(&folder.join("package.json"))?;
        let author = package.get("author");
        let authors =
            author.and_then(|author| author.get("name").or(Some(author))?.as_str()).unwrap_or_default();
        let name = word(&package, "name");
        Ok(Work {
            license: word(&package, "license"),
            authors: if authors.is_empty() { format!("the authors of {name}") } else { authors.to_owned() },
            name: format!("{name} {} (npm)", word(&package, "version")),
            folder,
        })
    };
    shipped.map(work).collect()
}

/// The words of a work's licence: its own files, of a choice those of MIT; else what its name stands for.
fn license_of(project: &Project, work: &Work) -> Done<String> {
    let mut files = named(&work.folder, DEPTH)?;
    files.sort();
    let is_named = |path: &&PathBuf, word: &str| path.to_string_lossy().to_lowercase().ends_with(word);
    if files.iter().any(|path| is_named(&path, "mit")) {
        files.retain(|path| {
            !is_named(&path, "apache") && !is_named(&path, "apache-2.0") && !is_named(&path, "unlicense")
        });
    }
    let mut texts = Vec::new();
    for path in &files {
        let text = at(path, fs::read_to_string(path))?.trim().replace("\r\n", "\n");
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if !texts.is_empty() {
        return Ok(texts.join("\n\n"));
    }
    if work.license.contains("MIT") {
        return Ok(MIT.replace("AUTHORS", &work.authors));
    }
    if work.license.contains("Apache-2.0") {
        let path = project.path("LICENSE");
        return Ok(at(&path, fs::read_to_string(&path))?.trim().to_owned());
    }
    Err(Failure::new(
        format!("{} ({}) comes without the words of its licence", work.name, work.license),
        "add them to xtask/src/licenses.rs, or leave the work out",
    ))
}

/// The files of a licence in a folder and below it: what a work carries of others has its own.
fn named(folder: &Path, depth: usize) -> Done<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        if path.is_dir() && depth > 0 && name != "node_modules" {
            found.extend(named(&path, depth - 1)?);
        } else if path.is_file()
            && FILES.iter().any(|start| name.starts_with(start))
            && path.extension().is_none_or(|ending| ending != "rs")
        {
            found.push(path);
        }
    }
    Ok(found)
}

fn json(path: &Path) -> Done<Value> {
    let text = at(path, fs::read_to_string(path))?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("{}: {error}", path.display()), ""))
}

/// A text of an object; empty where there is none.
fn word(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}
