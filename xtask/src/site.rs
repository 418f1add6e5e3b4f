//! The page as a folder of static files: `www/dist`.
//!
//! In: the wasm modules, `www/{index.html,icon.svg,css,js,…}`. Out: `index.html`, a few files beside it, `sw.js` with the
//! list of all files, and one folder `assets-HASH` with the rest, so that files of two versions never meet in a cache.

use std::fs;
use std::path::{Path, PathBuf};

use crate::kubernetes;
use crate::licenses;
use crate::lock;
use crate::node::{self, digest};
use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, step};
use crate::wasm;

/// Files that stand beside `index.html` as they are.
const BESIDE: [&str; 3] = ["icon.svg", "manifest.webmanifest", "404.html"];

/// The folder among the assets whose files load when they are first needed; no part of the first visit.
pub(crate) const LATE: &str = "late/";

/// The folder beside `index.html` with the documents; no part of any visit.
pub(crate) const DOCS: &str = "docs/";

/// The documents, as they are written: every host and browser shows a text.
fn documents(project: &Project, dist: &Path) -> Done {
    let docs = project.path("docs");
    let mut files = vec![project.path("README.md"), project.path("CHANGELOG.md"), project.path("LICENSE")];
    for entry in at(&docs, fs::read_dir(&docs))? {
        files.push(at(&docs, entry)?.path());
    }
    let to = dist.join(DOCS);
    at(&to, fs::create_dir_all(&to))?;
    let is_text = |file: &&PathBuf| file.extension().is_none_or(|ending| ending == "md") && file.is_file();
    for file in files.iter().filter(is_text) {
        let name = to.join(file.file_stem().unwrap_or_default()).with_extension("txt");
        at(&name, fs::copy(file, &name))?;
    }
    Ok(())
}

/// Where editors stand beside the verdicts: the width of `www/css/layout.css`.
const ROOM: &str = "(min-width: 900px)";

/// Builds everything; returns the folder to serve.
pub(crate) fn build(project: &Project, fast: bool) -> Done<PathBuf> {
    let _ours = lock::take(&project.target(wasm::LOCK))?;
    let folders =
        wasm::build(project, &[&wasm::APP, &wasm::VIEWS, &wasm::WORKER, &wasm::TOOLS, &wasm::COMPARE], fast)?;
    let staging = project.target("xtask/site");
    reset(&staging)?;
    step("esbuild: page, editor, worker, styles", || bundle(project, &staging))?;
    step("schemas of Kubernetes' kinds", || kubernetes::write(project, &staging.join(LATE)))?;
    for (folder, prefix) in
        folders.iter().zip(["app", "late/views", "evaluate", "late/whole", "late/comparison"])
    {
        let file = format!("{}_bg.wasm", prefix.trim_start_matches(LATE));
        let to = staging.join(format!("{prefix}_bg.wasm"));
        at(&to, fs::copy(folder.join(&file), &to))?;
    }
    samples(project, &staging)?;
    let dist = project.path("www/dist");
    step("write www/dist", || assemble(project, &staging, &dist))?;
    Ok(dist)
}

/// What comes when it is asked for: the texts of all samples by `GROUP/NAME` in `late/samples.json`, and what meshes inject.
fn samples(project: &Project, staging: &Path) -> Done {
    let mut files = Vec::new();
    read(&project.path("playground/samples"), "", &mut files)?;
    files.sort();
    let named = files.iter().filter_map(|(name, bytes)| {
        Some((name.strip_suffix(".md")?.to_owned(), String::from_utf8_lossy(bytes).into_owned().into()))
    });
    let texts: serde_json::Map<String, serde_json::Value> = named.collect();
    let to = staging.join(LATE).join("samples.json");
    at(&to, fs::write(&to, serde_json::Value::from(texts).to_string()))?;
    let to = staging.join(LATE).join("mesh.json");
    at(&to, fs::copy(project.path("engine/mesh/data/mesh.json"), &to)).map(drop)
}

/// What becomes a file of its own: the source, the file, and the engine of a worker.
const JOBS: [(&str, &str, Option<&str>); 9] = [
    ("js/boot.js", "app.js", None),
    ("js/runner.js", "runner.js", None),
    ("js/files.js", "files.js", None),
    ("js/worker.js", "worker.js", Some(wasm::WORKER.name)),
    ("js/worker.js", "late/worker.js", Some(wasm::TOOLS.name)),
    ("js/worker.js", "late/compare.js", Some(wasm::COMPARE.name)),
    ("js/late/zip.js", "late/zip.js", None),
    ("js/late/views.js", "late/views.js", None),
    ("css/page.css", "page.css", None),
];

/// Makes `app.js`, `editor.js`, `codemirror.js`, `worker.js`, `page.css`, and what loads late.
fn bundle(project: &Project, staging: &Path) -> Done {
    let www = project.path("www");
    let app = project.target("xtask/app");
    // `#app` is what wasm-bindgen wrote; the style-mod alias is explained in the file it names.
    let aliases = [
        format!("--alias:#app={}", app.join("app.js").display()),
        format!("--alias:#views={}", project.target("xtask/views/views.js").display()),
        format!("--alias:style-mod={}", www.join("js/adopted-styles.js").display()),
    ];
    for (from, to, engine) in JOBS {
        let mut esbuild = node::esbuild(project);
        esbuild
            .args([from, "--bundle", "--minify", "--format=esm", "--target=es2022"])
            // These stay files of their own, so that they load beside the rest.
            .args([
                "--external:./editor.js",
                "--external:./files.js",
                "--external:./runner.js",
                "--external:./late/zip.js",
                "--external:./late/views.js",
                "--external:../editor.js",
                "--external:../runner.js",
                "--log-level=warning",
                "--legal-comments=none",
            ])
            .args(&aliases)
            // A module's own styles are a text that it puts on the page itself.
            .args((!from.starts_with("css/")).then_some("--loader:.css=text"))
            // Yew keeps numbers on the elements that it draws; two modules on one page must not read each other's.
            .args((from == "js/late/views.js").then_some("--mangle-props=^__yew_"))
            .args(engine.into_iter().flat_map(|name| engine_of(project, name)))
            .arg(format!("--outfile={}", staging.join(to).display()));
        run_quiet(&mut esbuild, "")?;
    }
    // What the editor shares with its late parts becomes a chunk of its own.
    let mut esbuild = node::esbuild(project);
    esbuild
        .args([
            "js/editor.js",
            "js/codemirror.js",
            "js/late/assist.js",
            "js/late/cel/colours.js",
            "--bundle",
            "--minify",
            "--format=esm",
            "--target=es2022",
        ])
        .args([
            "--external:./runner.js",
            "--external:../runner.js",
            "--splitting",
            "--outbase=js",
            "--chunk-names=chunk-[hash]",
            "--loader:.css=text",
        ])
        .args(["--log-level=warning", "--legal-comments=none"])
        .args(&aliases)
        .arg(format!("--outdir={}", staging.display()));
    run_quiet(&mut esbuild, "").map(drop)
}

/// The words that give a worker its engine: the module's JavaScript, and the name of the module beside it.
fn engine_of(project: &Project, name: &str) -> [String; 2] {
    let script = project.target("xtask").join(name).join(format!("{name}.js"));
    [format!("--alias:#engine={}", script.display()), format!("--define:__MODULE__=\"./{name}_bg.wasm\"")]
}

/// Puts the built files below a name made of their content, and the pages that refer to them beside it.
fn assemble(project: &Project, staging: &Path, dist: &Path) -> Done {
    let mut files = Vec::new();
    read(staging, "", &mut files)?;
    files.sort();
    let parts = files.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes.as_slice()]);
    let folder = format!("assets-{}", digest(parts));
    reset(dist)?;
    let assets = dist.join(&folder);
    for (name, bytes) in &files {
        let path = assets.join(name);
        let parent = path.parent().unwrap_or(&assets);
        at(parent, fs::create_dir_all(parent))?;
        at(&path, fs::write(&path, bytes))?;
    }
    let index = project.path("www/index.html");
    let html = at(&index, fs::read_to_string(&index))?;
    if !html.contains("./assets/") {
        return Err(Failure::new(
            "www/index.html refers to no `./assets/`",
            "name built files as ./assets/NAME there",
        ));
    }
    // The parts that the editor shares load beside it, not after it; on a phone, no editor is seen at first.
    let chunks = files.iter().filter(|(name, _)| name.starts_with("chunk-"));
    let preloads = chunks
        .map(|(name, _)| format!("<link rel=\"modulepreload\" media=\"{ROOM}\" href=\"./assets/{name}\">"));
    let html = html.replace("<!-- chunks -->", &preloads.collect::<String>());
    let html = html.replace("./assets/", &format!("./{folder}/"));
    at(&index, fs::write(dist.join("index.html"), html))?;
    for name in BESIDE {
        let from = project.path("www").join(name);
        at(&from, fs::copy(&from, dist.join(name)))?;
    }
    let others = dist.join(licenses::FILE);
    at(&others, fs::write(&others, licenses::of_page(project)?))?;
    documents(project, dist)?;
    service_worker(project, dist, &folder, &files)
}

/// The files of a folder and of the folders in it, by their names below it.
fn read(folder: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>)>) -> Done {
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            read(&path, &format!("{prefix}{name}/"), files)?;
        } else {
            files.push((format!("{prefix}{name}"), at(&path, fs::read(&path))?));
        }
    }
    Ok(())
}

/// Writes `sw.js` with the list of what it keeps; its content changes with every build, so browsers take it anew.
fn service_worker(project: &Project, dist: &Path, folder: &str, files: &[(String, Vec<u8>)]) -> Done {
    let path = project.path("www/js/sw.js");
    let script = at(&path, fs::read_to_string(&path))?;
    let (late, first): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|(name, _)| format!("./{folder}/{name}"))
        .partition(|path| path.starts_with(&format!("./{folder}/{LATE}")));
    let beside = BESIDE.iter().filter(|name| **name != "404.html").map(|name| format!("./{name}"));
    let list: Vec<String> = std::iter::once("./".to_owned()).chain(beside).chain(first).collect();
    let script = script
        .replace("__FOLDER__", &format!("{folder:?}"))
        .replace("__FILES__", &format!("{list:?}"))
        .replace("__LATE__", &format!("{late:?}"));
    let to = dist.join("sw.js");
    at(&to, fs::write(&to, script))
}

/// An empty folder.
pub(crate) fn reset(folder: &Path) -> Done {
    if folder.exists() {
        at(folder, fs::remove_dir_all(folder))?;
    }
    at(folder, fs::create_dir_all(folder))
}
