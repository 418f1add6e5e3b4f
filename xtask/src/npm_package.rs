//! The npm package as a folder: `engine/wasm/npm/dist`, ready for `npm pack`.
//!
//! In: the engine's module and the hand-written files of `engine/wasm/npm`. Out: a wasm file for each entry, its
//! loaders for browsers and bundlers (`index.js`) and for Node (`node.js`, `node.cjs`), types, README, LICENSE, the licences of
//! others.

use std::fs;
use std::path::PathBuf;

use crate::project::{Project, run_quiet};
use crate::say::{Done, at, step};
use crate::{licenses, lock, node, policy, site, wasm};

/// The files that are copied as they stand.
const WRITTEN: [&str; 23] = [
    "cel.d.ts",
    "cel.js",
    "cel-node.js",
    "cli.mjs",
    "wasi.mjs",
    "classic.d.ts",
    "classic.js",
    "classic-node.js",
    "compare.d.ts",
    "compare.js",
    "compare-node.js",
    "tools.d.ts",
    "tools.js",
    "tools-node.js",
    "package.json",
    "index.d.ts",
    "index.js",
    "node.js",
    "api.js",
    "element.js",
    "element-worker.js",
    "element.d.ts",
    "README.md",
];

/// Builds the package, and the policy for Kubewarden; returns the folder of the package.
pub(crate) fn build(project: &Project, fast: bool) -> Done<PathBuf> {
    let _ours = lock::take(&project.target(wasm::LOCK))?;
    let modules = [&wasm::CLASSIC, &wasm::ENGINE, &wasm::CEL, &wasm::COMPARE, &wasm::TOOLS];
    // The policy for Kubewarden is compiled of the same crates: in the same call of cargo, it costs no more than its own link.
    let mut folders = wasm::build(project, &[&modules[..], &[&wasm::POLICY]].concat(), fast)?;
    folders.split_off(modules.len()).iter().try_for_each(|folder| policy::write(project, folder))?;
    let dist = project.path("engine/wasm/npm/dist");
    step("write engine/wasm/npm/dist", || {
        site::reset(&dist)?;
        for (folder, module) in folders.iter().zip(modules.map(|module| module.name)) {
            for name in [format!("{module}.js"), format!("{module}_bg.wasm")] {
                let to = dist.join(&name);
                at(&to, fs::copy(folder.join(&name), &to))?;
            }
        }
        for name in WRITTEN {
            let from = project.path("engine/wasm/npm").join(name);
            at(&from, fs::copy(&from, dist.join(name)))?;
        }
        // What is rarely asked for is not part of the module: who asks gives it.
        let data = project.path("engine/mesh/data/mesh.json");
        at(&data, fs::copy(&data, dist.join("mesh.json")))?;
        // CommonJS has the same types under the ending that TypeScript wants for it.
        for name in ["index", "classic", "tools", "cel", "compare"] {
            let types = at(&dist, fs::read_to_string(dist.join(format!("{name}.d.ts"))))?;
            let types = types.replace("\"./index.js\"", "\"./index.cjs\"");
            at(&dist, fs::write(dist.join(format!("{name}.d.cts")), types))?;
        }
        let license = project.path("LICENSE");
        at(&license, fs::copy(&license, dist.join("LICENSE")))?;
        let others = dist.join(licenses::FILE);
        at(&others, fs::write(&others, licenses::of_package(project)?))?;
        common_js(project, &dist, "node")?;
        common_js(project, &dist, "classic-node")?;
        common_js(project, &dist, "cel-node")?;
        common_js(project, &dist, "compare-node")?;
        common_js(project, &dist, "tools-node")
    })?;
    Ok(dist)
}

/// Makes `NAME.cjs`, for `require`, of `NAME.js`.
fn common_js(project: &Project, dist: &std::path::Path, name: &str) -> Done {
    let mut esbuild = node::esbuild(project);
    esbuild
        .arg(dist.join(format!("{name}.js")))
        .args(["--bundle", "--platform=node", "--format=cjs", "--target=node18", "--log-level=warning"])
        .arg("--define:import.meta.url=here")
        .arg("--banner:js=const here = require('node:url').pathToFileURL(__filename).href;")
        .arg(format!("--outfile={}", dist.join(format!("{name}.cjs")).display()));
    run_quiet(&mut esbuild, "").map(drop)
}
