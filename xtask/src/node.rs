//! npm packages at the versions of the lock files.
//!
//! In: a folder with `package.json` and `package-lock.json`. Out: its `node_modules`, installed again only when the
//! lock has changed or another system has installed them. Example: `node::install(&project, "www")`.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::hash::{DefaultHasher, Hasher as _};
use std::process::Command;

use crate::project::{Project, run_quiet};
use crate::say::{Done, Failure, at, step};

/// What a Node that is missing or too old is answered with; README.md says the same.
pub(crate) const ADVICE: &str =
    "install Node 22.12 or newer, or 20.19 or newer of Node 20 (https://nodejs.org), and try again";

/// Runs `npm ci` in the folder unless it was run for this very lock file, on this kind of machine: packages bring programs
/// for the one that they are installed on.
pub(crate) fn install(project: &Project, folder: &str) -> Done {
    let lock_path = project.path(folder).join("package-lock.json");
    let lock = at(&lock_path, fs::read(&lock_path))?;
    let stamp_path = project.path(folder).join("node_modules/.installed");
    let stamp = digest([lock.as_slice(), OS.as_bytes(), ARCH.as_bytes()]);
    if fs::read_to_string(&stamp_path).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    check_version(project)?;
    step(format!("npm ci in {folder}"), || {
        let mut npm = Command::new("npm");
        npm.current_dir(project.path(folder)).args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
        // The tools are among these, and a person's settings (NODE_ENV=production, omit=dev) may leave them out.
        npm.args(["--include=dev", "--include=optional"]);
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
    if is_new_enough(printed.trim()) {
        return Ok(());
    }
    Err(Failure::new(format!("Node {} is too old", printed.trim()), ADVICE))
}

/// `^20.19.0 || >=22.12.0`: what vite and rolldown want by `tests/browser/package-lock.json`; no other package wants more.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (major == 20 && minor >= 19) || (major, minor) >= (22, 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_a_package_refuses_is_refused() {
        for old in ["v18.20.8", "v20.0.0", "v20.18.3", "v21.7.3", "v22.11.0", ""] {
            assert!(!is_new_enough(old), "{old}");
        }
        for new in ["v20.19.0", "v20.20.2", "v22.12.0", "v23.0.0", "v24.1.0"] {
            assert!(is_new_enough(new), "{new}");
        }
    }
}
