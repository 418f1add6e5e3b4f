//! The policy for Kubewarden as a file: `engine/kubewarden/dist/podsieve-policy.wasm`, from which `podsieve bundle` makes others.
//!
//! In: the guest. Out: the path of the module.

use std::fs;
use std::path::PathBuf;

use crate::project::Project;
use crate::say::{Done, at, step};
use crate::{lock, site, wasm};

/// The file, below the folder of the crate.
pub(crate) const FILE: &str = "engine/kubewarden/dist/podsieve-policy.wasm";

/// Builds the module.
pub(crate) fn build(project: &Project, fast: bool) -> Done<PathBuf> {
    let _ours = lock::take(&project.target(wasm::LOCK))?;
    let folders = wasm::build(project, &[&wasm::POLICY], fast)?;
    let to = project.path(FILE);
    step("write engine/kubewarden/dist", || {
        site::reset(&project.path("engine/kubewarden/dist"))?;
        let built = folders.iter().map(|folder| folder.join(format!("{}_bg.wasm", wasm::POLICY.name)));
        built.take(1).try_for_each(|from| at(&from, fs::copy(&from, &to)).map(drop))
    })?;
    Ok(to)
}
