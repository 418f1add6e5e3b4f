//! What a first visit costs: every file of `www/dist`, raw, gzip and brotli, against the budgets.
//!
//! In: the built site. Out: a table; failure where a budget is exceeded.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, line};

/// Bytes after brotli: the whole page on a first visit.
const PAGE: u64 = 900_000;
/// Bytes after brotli: the engine's module with its glue.
const ENGINE: u64 = 600_000;

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
    let mut node = project.node(".");
    let printed = run_quiet(node.args(["-e", MEASURE]).args(&files), "")?;
    let (mut raw, mut gzip, mut brotli, mut engine) = (0, 0, 0, 0);
    line(format!("{:<40}{:>12}{:>12}{:>12}", "file", "raw", "gzip", "brotli"));
    for (file, row) in files.iter().zip(printed.lines()) {
        let mut numbers = row.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
        let (r, g, b) =
            (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let name = file.strip_prefix(&dist).unwrap_or(file).display().to_string();
        line(format!("{name:<40}{r:>12}{g:>12}{b:>12}"));
        raw += r;
        gzip += g;
        brotli += b;
        if name.ends_with("engine_bg.wasm") || name.ends_with("worker.js") {
            engine += b;
        }
    }
    line(format!("{:<40}{raw:>12}{gzip:>12}{brotli:>12}", "whole page, first visit"));
    let verdicts = [("engine with its glue", engine, ENGINE), ("whole page", brotli, PAGE)];
    for (what, size, budget) in verdicts {
        let word = if size <= budget { "within" } else { "OVER" };
        line(format!("{what}: {size} B brotli, {word} the budget of {budget} B"));
    }
    if verdicts.iter().any(|(_, size, budget)| size > budget) {
        return Err(Failure::new("a budget is exceeded", "ARCHITECTURE.md tells what each part costs"));
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Done {
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
