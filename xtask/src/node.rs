//! npm packages at the versions of the lock files.
//!
//! In: a folder with `package.json` and `package-lock.json`. Out: its `node_modules`, installed again only when the
//! lock has changed. Example: `node::install(&project, "www")`.

use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::process::Command;

use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, step};

/// Runs `npm ci` in the folder unless it was run for this very lock file.
pub(crate) fn install(project: &Project, folder: &str) -> Done {
    let lock_path = project.path(folder).join("package-lock.json");
    let lock = at(&lock_path, fs::read(&lock_path))?;
    let stamp_path = project.path(folder).join("node_modules/.installed");
    let stamp = digest([lock.as_slice()]);
    if fs::read_to_string(&stamp_path).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    check_version(project)?;
    step(format!("npm ci in {folder}"), || {
        let mut npm = Command::new("npm");
        npm.current_dir(project.path(folder)).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
        run_quiet(&mut npm, "is the npm registry within reach? Try again, or look at the lines above")?;
        at(&stamp_path, fs::write(&stamp_path, &stamp))
    })
}

/// The bundler that `www` pins.
pub(crate) fn esbuild(project: &Project) -> Command {
    let mut command = Command::new(project.path("www/node_modules/.bin/esbuild"));
    command.current_dir(project.path("www"));
    command
}

/// A short name for bytes; the same bytes, the same name.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    format!("{:016x}", hasher.finish())
}

fn check_version(project: &Project) -> Done {
    let printed = run_quiet(project.node(".").arg("--version"), "")?;
    let major: u32 =
        printed.trim().trim_start_matches('v').split('.').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    if major >= 20 {
        return Ok(());
    }
    Err(Failure::new(
        format!("Node {} is too old", printed.trim()),
        "install Node 20 or newer (https://nodejs.org)",
    ))
}
