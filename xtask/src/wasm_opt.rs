//! wasm-opt over the modules: what nobody calls goes, and what it can say shorter is said shorter.
//!
//! In: modules and the folders that wasm-bindgen wrote. Out: the same files, smaller after brotli. wasm-opt takes one core:
//! several modules go at once, and its answers are kept by the hash of what went in.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::node::digest;
use crate::project::{Project, run_quiet};
use crate::say::{Done, at, step};
use crate::wasm::{self, Module};

/// Only what leaves rustc's code in its order: each pass that lays locals, blocks or functions out anew, `-Oz` as a whole among
/// them, makes a module smaller and what travels larger (the page's engine: 1.67 MB and 551 kB after brotli with `-Oz`, 1.81 MB
/// and 513 kB so, at the same speed).
///
const OPTIMIZE: &[&str] = &[
    "--vacuum",
    "--dce",
    "--duplicate-function-elimination",
    "--optimize-instructions",
    "--remove-unused-brs",
    "--rse",
    "--vacuum",
    "--strip-debug",
];

/// The policy for Kubewarden is fetched once by a server, which compiles all of it: what lies there counts, a twentieth less so.
const SMALLEST: &[&str] = &["--strip-debug", "-Oz"];

/// What wasm-opt may use: all of it is in every browser since 2023, and rustc's output already needs the first five.
const FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
    "--strip-producers",
];

/// How many answers are kept of a module beside the newest.
const OLDER: usize = 4;

/// A module on its way.
struct Task<'a> {
    name: &'a str,
    /// The module, before and after.
    wasm: PathBuf,
    /// Where the answer is kept.
    kept: PathBuf,
    /// What is done with it.
    flags: Vec<&'static str>,
}

/// Replaces each module by its optimized form.
pub(crate) fn optimize(project: &Project, modules: &[&Module], folders: &[PathBuf]) -> Done {
    let cache = project.target("xtask/optimized");
    at(&cache, fs::create_dir_all(&cache))?;
    let tools = project.path("www/package-lock.json");
    let tools = at(&tools, fs::read(&tools))?;
    let mut tasks = Vec::new();
    for (module, folder) in modules.iter().zip(folders) {
        let wasm = folder.join(format!("{}_bg.wasm", module.name));
        let bytes = at(&wasm, fs::read(&wasm))?;
        let passes = if module.name == wasm::POLICY.name { SMALLEST } else { OPTIMIZE };
        let flags = [passes, FEATURES].concat();
        let key = digest([bytes.as_slice(), flags.join(" ").as_bytes(), tools.as_slice()]);
        let kept = cache.join(format!("{}-{key}.wasm", module.name));
        tasks.push(Task { name: module.name, wasm, kept, flags });
    }
    let missing: Vec<&Task<'_>> = tasks.iter().filter(|task| !task.kept.exists()).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|task| task.name).collect();
        step(format!("wasm-opt {}", names.join(", ")), || run_all(project, &missing))?;
    }
    for task in &missing {
        forget_old(&cache, task.name, &task.kept);
    }
    tasks.iter().try_for_each(|task| at(&task.wasm, fs::copy(&task.kept, &task.wasm)).map(drop))
}

/// As many at once as there are cores; each core takes the next that waits.
fn run_all(project: &Project, tasks: &[&Task<'_>]) -> Done {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || -> Done {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            run_one(project, task)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores.min(tasks.len())).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|fault| panic::resume_unwind(fault)))
    })
}

/// Under another name until it is whole, one of this run alone: a run that is broken off leaves nothing that looks finished.
fn run_one(project: &Project, task: &Task<'_>) -> Done {
    let fresh = task.kept.with_extension(format!("{}.new", std::process::id()));
    let mut node = project.node("www");
    node.arg("node_modules/binaryen/bin/wasm-opt").arg(&task.wasm).args(&task.flags).arg("-o").arg(&fresh);
    run_quiet(&mut node, "")?;
    at(&task.kept, fs::rename(&fresh, &task.kept))
}

/// Keeps the newest few results of a module and no more.
fn forget_old(cache: &Path, name: &str, newest: &Path) {
    let Ok(entries) = fs::read_dir(cache) else { return };
    let mut others: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path != newest && path.file_name().is_some_and(|f| f.to_string_lossy().starts_with(name))
        })
        .filter_map(|path| Some((fs::metadata(&path).ok()?.modified().ok()?, path)))
        .collect();
    others.sort();
    for (_, path) in others.iter().rev().skip(OLDER) {
        // A file that cannot be removed only takes room.
        drop(fs::remove_file(path));
    }
}
