//! What a first visit costs: every file of `www/dist`, raw, gzip and brotli, and of the npm package, against the budgets; late files apart.
//!
//! In: the built site and package. Out: a table; failure where a budget is exceeded, or where a module names a folder of the
//! machine that built it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{self, Project, run_quiet};
use crate::say::{Done, Failure, at, line};
use crate::site::{DOCS, LATE};
use crate::{licenses, policy};

/// Bytes after brotli: the whole page on a first visit.
const PAGE: u64 = 950_000;
/// Bytes after brotli: an engine with its glue, as npm's main entry has it, and as `podsieve/classic` does.
const ENGINE: u64 = 950_000;
const CLASSIC: u64 = 650_000;
/// Bytes of the policy for Kubewarden, as it is and after brotli. What is wanted is 2,000,000: the tables of what an API server refuses
/// took it to 2,106,542, and it must not grow until they cost less.
const POLICY: u64 = 2_110_000;
const POLICY_SENT: u64 = 750_000;

/// Bytes after brotli: all that a first visit fetches, with what comes once the page is idle.
const IDLE: u64 = 1_500_000;
/// What comes late but not at a first visit's idle moment (`www/js/sw.js`).
const NOT_IDLE: [&str; 2] = ["whole_bg.wasm", "comparison_bg.wasm"];

/// Node has brotli and gzip; the tool needs no other compressor. Prints raw, gzip and brotli sizes, one file a line.
const MEASURE: &str = "const z=require('node:zlib'),fs=require('node:fs');\
for(const f of process.argv.slice(1)){const b=fs.readFileSync(f);\
const q={params:{[z.constants.BROTLI_PARAM_QUALITY]:11,[z.constants.BROTLI_PARAM_SIZE_HINT]:b.length}};\
console.log(b.length,z.gzipSync(b,{level:9}).length,z.brotliCompressSync(b,q).length)}";

/// Prints the table.
pub(crate) fn print(project: &Project) -> Done {
    let dist = project.path("www/dist");
    if !dist.join("index.html").is_file() {
        return Err(Failure::new("there is no built page", "run `cargo xtask build` first"));
    }
    let mut files = Vec::new();
    collect(&dist, &mut files)?;
    files.sort();
    let npm = project.path("engine/wasm/npm/dist");
    if !npm.join("engine.js").is_file() {
        return Err(Failure::new("there is no built package", "run `cargo xtask build` first"));
    }
    files.extend(modules_of(&npm));
    files.extend(Some(project.path(policy::FILE)).filter(|file| file.is_file()));
    let mut node = project.node(".");
    let printed = run_quiet(node.args(["-e", MEASURE]).args(&files), "")?;
    let (mut first, mut late, mut engine, mut classic, mut idle) = ([0; 3], [0; 3], 0, 0, 0);
    line(format!("{:<48}{:>10}{:>10}{:>10}", "file", "raw", "gzip", "brotli"));
    for (file, row) in files.iter().zip(printed.lines()) {
        let mut numbers = row.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
        let sizes = [(); 3].map(|()| numbers.next().unwrap_or(0));
        let [_, _, brotli] = sizes;
        if let Ok(name) = file.strip_prefix(&npm) {
            line(row_of(&format!("npm: {}", name.display()), sizes));
            match name.to_str() {
                Some("engine_bg.wasm" | "engine.js") => engine += brotli,
                Some("classic_engine_bg.wasm" | "classic_engine.js") => classic += brotli,
                _ => {}
            }
            continue;
        }
        if file.ends_with(policy::FILE) {
            line(row_of("policy for Kubewarden", sizes));
            let [raw, _, brotli] = sizes;
            if raw > POLICY || brotli > POLICY_SENT {
                return Err(Failure::new(
                    "the policy for Kubewarden exceeds its budget",
                    "docs/kubewarden.md has its figures",
                ));
            }
            continue;
        }
        let name = file.strip_prefix(&dist).unwrap_or(file).display().to_string();
        if name.starts_with(DOCS) {
            continue;
        }
        line(row_of(&name, sizes));
        idle += if NOT_IDLE.iter().any(|heavy| name.ends_with(heavy)) || name == licenses::FILE {
            0
        } else {
            brotli
        };
        let is_late = name.contains(&format!("/{LATE}")) || name == licenses::FILE;
        let sum = if is_late { &mut late } else { &mut first };
        for (all, one) in sum.iter_mut().zip(sizes) {
            *all += one;
        }
    }
    line(row_of("loaded late, not counted", late));
    line(row_of("whole page, first visit", first));
    let [_, _, brotli] = first;
    let verdicts = [
        ("npm's main entry", engine, ENGINE),
        ("npm's classic entry", classic, CLASSIC),
        ("whole page", brotli, PAGE),
        ("first visit until it is idle", idle, IDLE),
    ];
    for (what, size, budget) in verdicts {
        let word = if size <= budget { "within" } else { "OVER" };
        line(format!("{what}: {size} B brotli, {word} the budget of {budget} B"));
    }
    if verdicts.iter().any(|(_, size, budget)| size > budget) {
        return Err(Failure::new("a budget is exceeded", "ARCHITECTURE.md says what each part costs"));
    }
    let modules = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "wasm"));
    name_no_machine(modules, &places(project))
}

/// The modules of the npm package, each with its JavaScript.
fn modules_of(npm: &Path) -> impl Iterator<Item = PathBuf> {
    let names = ["engine", "classic_engine", "expressions", "comparison", "whole"];
    let files = names.into_iter().flat_map(|name| [format!("{name}_bg.wasm"), format!("{name}.js")]);
    files.map(|name| npm.join(name))
}

/// Where the compiler finds sources, with a name behind each: a folder as short as `/src` is part of many paths.
fn places(project: &Project) -> Vec<String> {
    let home = project::cargo_home();
    let fetched = home.iter().flat_map(|home| ["registry", "git"].map(|below| home.join(below)));
    let ours = ["engine", "playground"].map(|below| project.path(below));
    let made = project.target("wasm32-unknown-unknown");
    fetched.chain(ours).chain([made]).map(|place| format!("{}/", place.display())).collect()
}

/// Texts of panics name source files: with the folders of a machine in them they show it to everybody, and two machines
/// build different modules.
fn name_no_machine<'a>(modules: impl Iterator<Item = &'a PathBuf>, places: &[String]) -> Done {
    for module in modules {
        let bytes = at(module, fs::read(module))?;
        let text = String::from_utf8_lossy(&bytes);
        if let Some(place) = places.iter().find(|place| text.contains(place.as_str())) {
            return Err(Failure::new(
                format!("{} names {place}", module.display()),
                "`remapped` in xtask/src/wasm.rs is what cuts such paths; build again",
            ));
        }
    }
    Ok(())
}

/// A row of the table.
fn row_of(name: &str, [raw, gzip, brotli]: [u64; 3]) -> String {
    format!("{name:<48}{raw:>10}{gzip:>10}{brotli:>10}")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
