//! The npm package with the terminal client in it, packed: `npx podsieve` and `npm install podsieve`.
//!
//! In: the package of `npm_package`, and the terminal client as a module of WASI. Out: `target/dist/podsieve-VERSION.tgz`. The module may ask its host
//! (`engine/wasm/npm/wasi.mjs`) for the functions that this has, and for no other.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::{Project, run_loud, run_quiet};
use crate::say::{Done, Failure, at, line, loud_step, step};
use crate::{licenses, npm_package, wasm};

/// The target of the terminal client.
pub(crate) const TARGET: &str = "wasm32-wasip1";
const PROFILE: &str = "wasi";
const PACKAGE: &str = "engine-cli";
/// The module's name in the package.
const FILE: &str = "podsieve.wasm";
/// What the first thread of a program has: what is nested deep is read as there.
const STACK: &str = "-Clink-args=-z stack-size=8388608";
/// Bytes of the packed and of the unpacked package.
const PACKED: u64 = 9_000_000;
const UNPACKED: u64 = 26_000_000;

/// What a module asks for and the host does not have, one name a line.
const LACKING: &str = "const [host, module] = process.argv.slice(1);\
const { functions } = await import(host);\
const { readFileSync } = await import('node:fs');\
const asked = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(module)));\
const lacking = asked.filter(({ name }) => !(name in functions({})));\
console.log(lacking.map(({ module, name }) => `${module}.${name}`).join('\\n'));";

/// Builds the package with the terminal client and packs it into a folder; returns the packed file.
pub(crate) fn build(project: &Project, into: &Path) -> Done<PathBuf> {
    let module = module(project)?;
    let package = npm_package::build(project, false)?;
    step("write podsieve.wasm", || {
        at(&module, fs::copy(&module, package.join(FILE)))?;
        let others = package.join(licenses::FILE);
        at(&others, fs::write(&others, licenses::of_package_with_client(project, TARGET)?))
    })?;
    pack(&package, into)
}

/// The terminal client as a module.
pub(crate) fn module(project: &Project) -> Done<PathBuf> {
    wasm::ensure_target(project, TARGET)?;
    loud_step("cargo build for wasm32-wasip1: the terminal client", || {
        let mut cargo = project.cargo();
        cargo.args(["build", "--locked", "--profile", PROFILE, "--target", TARGET, "--package", PACKAGE]);
        wasm::set_flags(&mut cargo, TARGET, &[STACK.to_owned()]);
        run_loud(&mut cargo, "the compiler's message above names the place")
    })?;
    let module = project.target(TARGET).join(PROFILE).join(FILE);
    let mut node = project.node("engine/wasm/npm");
    node.args(["--input-type=module", "--eval", LACKING, "./wasi.mjs"]).arg(&module);
    let lacking = run_quiet(&mut node, "")?;
    if lacking.trim().is_empty() {
        return Ok(module);
    }
    let lacking = lacking.trim().replace('\n', ", ");
    Err(Failure::new(
        format!("{FILE} asks for {lacking}"),
        "engine/wasm/npm/wasi.mjs has what may be asked for",
    ))
}

/// npm gives each file the same time, and sorts them: the same package, the same bytes.
fn pack(package: &Path, into: &Path) -> Done<PathBuf> {
    at(into, fs::create_dir_all(into))?;
    let mut npm = std::process::Command::new("npm");
    npm.current_dir(package).args(["pack", "--json", "--ignore-scripts", "--pack-destination"]).arg(into);
    let printed = run_quiet(&mut npm, "")?;
    let about: Value = serde_json::from_str(&printed).unwrap_or_default();
    // A list, or an object by the name of the package: versions of npm differ.
    let about = about.get(0).or_else(|| about.get("podsieve")).unwrap_or(&Value::Null);
    let size = |key| about.get(key).and_then(Value::as_u64).unwrap_or(u64::MAX);
    let (packed, unpacked) = (size("size"), size("unpackedSize"));
    if packed > PACKED || unpacked > UNPACKED {
        return Err(Failure::new(
            format!(
                "the npm package has {packed} bytes, unpacked {unpacked}: {PACKED} and {UNPACKED} are allowed"
            ),
            "`cargo xtask size` shows its modules",
        ));
    }
    line(format!("  {packed} bytes, unpacked {unpacked}"));
    Ok(into.join(about.get("filename").and_then(Value::as_str).unwrap_or_default()))
}
