//! Rust to a wasm module with its JavaScript: cargo, wasm-bindgen as a library, wasm-opt.
//!
//! In: a package name. Out: a folder below target with `NAME.js` and `NAME_bg.wasm`, made for `<script type=module>`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::node;
use crate::project::{self, Project, run_loud, run_quiet};
use crate::say::{Done, Failure, at, loud_step, step};
use crate::wasm_opt;

/// A wasm module that the page or the package needs.
pub(crate) struct Module {
    /// Cargo's package.
    pub(crate) package: &'static str,
    /// The file cargo makes of it.
    artifact: &'static str,
    /// The name of what comes out.
    pub(crate) name: &'static str,
    parts: Parts,
}

/// What of a package is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parts {
    /// With the feature `page`.
    First,
    /// With the feature `more`, and CEL by itself beside it.
    More,
    /// With the features `more` and `cel`; comparing and the policy for Kubewarden beside it.
    Cel,
    /// With all features.
    All,
}

/// The profile of cargo.
const PROFILE: &str = "wasm";

/// The engine of npm's main entry.
pub(crate) const ENGINE: Module =
    Module { package: "engine-wasm", artifact: "engine_wasm.wasm", name: "engine", parts: Parts::Cel };
/// The same without policies in CEL: npm's entry `podsieve/classic`.
pub(crate) const CLASSIC: Module = Module {
    package: "engine-wasm",
    artifact: "engine_wasm.wasm",
    name: "classic_engine",
    parts: Parts::More,
};
/// CEL by itself: for npm's entry `podsieve/cel`.
pub(crate) const CEL: Module = Module {
    package: "engine-wasm-cel",
    artifact: "engine_wasm_cel.wasm",
    name: "expressions",
    parts: Parts::More,
};
/// Comparing and converting policies: for npm's entry `podsieve/compare`, and for what the page asks when it is asked to compare.
pub(crate) const COMPARE: Module = Module {
    package: "engine-wasm-compare",
    artifact: "engine_wasm_compare.wasm",
    name: "comparison",
    parts: Parts::Cel,
};
/// The whole engine: for npm's entry `podsieve/tools`, and for what the page asks late.
pub(crate) const TOOLS: Module =
    Module { package: "engine-wasm", artifact: "engine_wasm.wasm", name: "whole", parts: Parts::All };
/// What of the engine the page needs to show its first verdict.
pub(crate) const WORKER: Module =
    Module { package: "engine-wasm", artifact: "engine_wasm.wasm", name: "evaluate", parts: Parts::First };
/// The policy for Kubewarden: no JavaScript is beside it.
pub(crate) const POLICY: Module = Module {
    package: "engine-kubewarden-guest",
    artifact: "engine_kubewarden_guest.wasm",
    name: "policy",
    parts: Parts::Cel,
};
/// The page itself.
pub(crate) const APP: Module =
    Module { package: "playground", artifact: "playground.wasm", name: "app", parts: Parts::First };

/// What draws the views that load late.
pub(crate) const VIEWS: Module =
    Module { package: "playground", artifact: "views.wasm", name: "views", parts: Parts::First };

/// The target of all modules that a page can load.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Held by whoever builds modules, below cargo's target directory, until it has taken them from there: cargo writes several of
/// them to one place, and checkouts may share that directory.
pub(crate) const LOCK: &str = "xtask/lock";

/// Builds the modules; returns one folder for each. The caller holds [`LOCK`].
pub(crate) fn build(project: &Project, modules: &[&Module], fast: bool) -> Done<Vec<PathBuf>> {
    ensure_target(project, TARGET)?;
    node::install(project, "www")?;
    for parts in [Parts::First, Parts::More, Parts::Cel, Parts::All] {
        let wanted: Vec<&Module> = modules.iter().copied().filter(|module| module.parts == parts).collect();
        if !wanted.is_empty() {
            compile(project, parts, &wanted)?;
        }
    }
    let folders = modules.iter().map(|module| bind(project, module)).collect::<Done<Vec<_>>>()?;
    if !fast {
        wasm_opt::optimize(project, modules, &folders)?;
    }
    Ok(folders)
}

/// cargo build; what comes out is put aside, as the next build with other features writes to the same place.
fn compile(project: &Project, parts: Parts, modules: &[&Module]) -> Done {
    let what = match parts {
        Parts::First => "cargo build for wasm32: the page",
        Parts::More => "cargo build for wasm32: the engine without CEL",
        Parts::Cel => "cargo build for wasm32: the engine",
        Parts::All => "cargo build for wasm32: the whole engine",
    };
    loud_step(what, || {
        let mut cargo = project.cargo();
        cargo.args(["build", "--profile", PROFILE, "--target", TARGET]);
        set_flags(&mut cargo, TARGET, &flags());
        // wasm-bindgen reads from a custom section what the module may use; wasm-opt strips it afterwards.
        cargo.args(["--config", "profile.wasm.strip=false"]);
        let packages: BTreeSet<&str> = modules.iter().map(|module| module.package).collect();
        for package in &packages {
            cargo.args(["--package", package]);
        }
        // Both, wherever one of them is: cargo unites their features, and one without the other would be built anew each time. The policy
        // needs neither.
        if packages.iter().any(|package| *package != POLICY.package) {
            cargo.args(["--package", APP.package, "--package", ENGINE.package]);
            let features = match parts {
                Parts::First => Some("engine-wasm/page"),
                Parts::More => Some("engine-wasm/more"),
                Parts::Cel => Some("engine-wasm/more,engine-wasm/cel"),
                Parts::All => None,
            };
            if let Some(features) = features {
                cargo.args(["--no-default-features", "--features", features]);
            }
        }
        run_loud(&mut cargo, "the compiler's message above names the place")
    })?;
    for module in modules {
        let from = project.target(TARGET).join(PROFILE).join(module.artifact);
        let to = compiled(project, module);
        if let Some(folder) = to.parent() {
            at(folder, fs::create_dir_all(folder))?;
        }
        at(&from, fs::copy(&from, &to))?;
    }
    Ok(())
}

/// What all modules are compiled with: SHA-256 as a loop, which few ask for, and not written out 64 times. A warning is a failure: the tests
/// look at these features nowhere else.
fn flags() -> Vec<String> {
    ["--cfg=sha2_backend_soft=\"compact\"", "-Dwarnings"].map(str::to_owned).into()
}

/// Has cargo build for a target with these flags and [`remapped`]. What a person has set would take the place of all of them: what is built
/// would name the folders of this machine. `cargo xtask size` looks for them.
pub(crate) fn set_flags(cargo: &mut std::process::Command, target: &str, flags: &[String]) {
    let flags: Vec<String> = flags.iter().cloned().chain(remapped()).collect();
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo.args(["--config", &format!("target.{target}.rustflags={flags:?}")]);
}

/// Texts of panics name source files: without the way to cargo's home, which differs from machine to machine and would
/// be published with the modules.
fn remapped() -> Vec<String> {
    let sources = project::cargo_home().map(|home| home.join("registry/src"));
    sources.map(|sources| format!("--remap-path-prefix={}=", sources.display())).into_iter().collect()
}

/// Where a module is as cargo made it.
fn compiled(project: &Project, module: &Module) -> PathBuf {
    project.target("xtask/compiled").join(format!("{}.wasm", module.name))
}

/// wasm-bindgen.
fn bind(project: &Project, module: &Module) -> Done<PathBuf> {
    let input = compiled(project, module);
    let out = project.target("xtask").join(module.name);
    if module.package == POLICY.package {
        at(&out, fs::create_dir_all(&out))?;
        at(&input, fs::copy(&input, out.join(format!("{}_bg.wasm", module.name))))?;
        return Ok(out);
    }
    step(format!("wasm-bindgen {}", module.name), || {
        let result = Bindgen::new()
            .input_path(&input)
            .web(true)
            .map(|bindgen| {
                bindgen
                    .out_name(module.name)
                    .typescript(false)
                    .remove_name_section(true)
                    .remove_producers_section(true)
                    // What programs load for long gets a new instance after a trap (`npm/api.js`).
                    .reset_state_function(module.parts != Parts::First)
            })
            .and_then(|bindgen| bindgen.generate(&out));
        result.map_err(|error| {
            Failure::new(
                format!("wasm-bindgen on {}: {error:#}", input.display()),
                "wasm-bindgen in Cargo.lock must have the version of wasm-bindgen-cli-support in xtask/Cargo.toml",
            )
        })
    })?;
    Ok(out)
}

/// Adds a target where the toolchain lacks it.
pub(crate) fn ensure_target(project: &Project, target: &str) -> Done {
    let mut rustc = std::process::Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.current_dir(project.path("."));
    let printed = run_quiet(rustc.args(["--print", "target-libdir", "--target", target]), "")?;
    if Path::new(printed.trim()).exists() {
        return Ok(());
    }
    step(format!("rustup target add {target}"), || {
        let mut rustup = std::process::Command::new("rustup");
        rustup.current_dir(project.path("."));
        run_quiet(rustup.args(["target", "add", target]), "is the network within reach?").map(drop)
    })
}
