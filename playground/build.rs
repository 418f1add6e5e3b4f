//! Collects `samples/GROUP/NAME.md` into one list that `src/samples.rs` reads: a new file is a new menu entry.
//!
//! Out: `samples.rs` in `OUT_DIR`, an array of (group, file name, text).

use std::fmt::Write as _;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<()> {
    let variable =
        |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| Error::other(name.to_owned()));
    let folder = variable("CARGO_MANIFEST_DIR")?.join("samples");
    let mut code = String::from("pub(crate) const FILES: &[(&str, &str, &str)] = &[\n");
    for group in entries(&folder)? {
        for file in entries(&group)? {
            if file.extension().is_some_and(|ending| ending == "md") {
                let (group, name) = (stem(&group), stem(&file));
                writeln!(
                    code,
                    "({group:?}, {name:?}, include_str!({path:?})),",
                    path = file.display().to_string()
                )
                .map_err(Error::other)?;
            }
        }
    }
    code.push_str("];\n");
    fs::write(variable("OUT_DIR")?.join("samples.rs"), code)?;
    println!("cargo::rerun-if-changed=samples");
    Ok(())
}

/// What a folder holds, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}
