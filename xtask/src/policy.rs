//! The policy for Kubewarden as a file: `engine/kubewarden/dist/podsieve-policy.wasm`, from which `podsieve bundle` makes others.
//!
//! In: the guest. Out: the path of the module.

use std::fs;
use std::path::PathBuf;

use crate::project::Project;
use crate::say::{Done, Failure, at, step};
use crate::{lock, site, smaller, wasm};

/// The file, below the folder of the crate.
pub(crate) const FILE: &str = "engine/kubewarden/dist/podsieve-policy.wasm";

/// Builds the module.
pub(crate) fn build(project: &Project, fast: bool) -> Done<PathBuf> {
    let _ours = lock::take(&project.target(wasm::LOCK))?;
    let folders = wasm::build(project, &[&wasm::POLICY], fast)?;
    let to = project.path(FILE);
    let built = folders.first().map(|folder| folder.join(format!("{}_bg.wasm", wasm::POLICY.name)));
    let built = built.ok_or_else(|| Failure::new("there is no module", "build it again"))?;
    step("write engine/kubewarden/dist", || {
        site::reset(&project.path("engine/kubewarden/dist"))?;
        let module = at(&built, fs::read(&built))?;
        let module =
            if fast { module } else { smaller::smaller(&module).map_err(|error| Failure::new(error, ""))? };
        at(&to, fs::write(&to, module))
    })?;
    Ok(to)
}
