//! The policy for Kubewarden as a file: `engine/kubewarden/dist/podsieve-policy.wasm`, from which `podsieve bundle` makes others.
//!
//! In: the guest. Out: the path of the module.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::Project;
use crate::say::{Done, at, step};
use crate::{lock, site, wasm};

/// The file, below the folder of the crate.
pub(crate) const FILE: &str = "engine/kubewarden/dist/podsieve-policy.wasm";

/// Builds the module.
pub(crate) fn build(project: &Project, fast: bool) -> Done<PathBuf> {
    let _ours = lock::take(&project.target(wasm::LOCK))?;
    let folders = wasm::build(project, &[&wasm::POLICY], fast)?;
    folders.iter().try_for_each(|folder| write(project, folder))?;
    Ok(project.path(FILE))
}

/// Puts the built module where it is looked for.
pub(crate) fn write(project: &Project, built: &Path) -> Done {
    let built = built.join(format!("{}_bg.wasm", wasm::POLICY.name));
    step("write engine/kubewarden/dist", || {
        site::reset(&project.path("engine/kubewarden/dist"))?;
        at(&built, fs::copy(&built, project.path(FILE))).map(drop)
    })
}
