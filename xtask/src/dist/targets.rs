//! The machines that archives are for, and how the terminal client is built for each, with the same bytes wherever it is built.
//!
//! In: a target, or none for this machine. Out: the built program. All are built by zig, which brings a C compiler, a linker and the system's
//! libraries for each; it comes from PyPI at the versions and hashes of `xtask/zig.txt`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, run_loud, run_quiet};
use crate::say::{Done, Failure, loud_step, step};
use crate::{lock, wasm};

/// What a program has to be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    Mac,
    Windows,
}

/// A machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// As Rust names it.
    pub(crate) triple: &'static str,
    pub(crate) system: System,
    /// As images name processors.
    pub(crate) processor: &'static str,
}

const fn target(triple: &'static str, system: System, processor: &'static str) -> Target {
    Target { triple, system, processor }
}

/// All that are published.
pub(crate) const ALL: [Target; 5] = [
    target("x86_64-unknown-linux-musl", System::Linux, "amd64"),
    target("aarch64-unknown-linux-musl", System::Linux, "arm64"),
    target("x86_64-apple-darwin", System::Mac, "amd64"),
    target("aarch64-apple-darwin", System::Mac, "arm64"),
    target("x86_64-pc-windows-gnu", System::Windows, "amd64"),
];

/// The oldest macOS that the programs start on. Without it the linker asks for the newest that it knows.
pub(crate) const OLDEST_MAC: &str = "11.0";
/// The package, the program and the profile of what is published.
const PACKAGE: &str = "engine-cli";
const PROGRAM: &str = "podsieve";
const PROFILE: &str = "dist";

impl Target {
    /// The one that runs on this machine.
    pub(crate) fn of_this_machine() -> Done<Self> {
        let is_ours = |target: &&Self| {
            let system = match target.system {
                System::Linux => "linux",
                System::Mac => "macos",
                System::Windows => "windows",
            };
            system == std::env::consts::OS && target.triple.starts_with(std::env::consts::ARCH)
        };
        let known = || Failure::new("nothing is published for this machine", "give --all on one with Linux");
        ALL.iter().find(is_ours).copied().ok_or_else(known)
    }

    /// The name of the program's file.
    pub(crate) fn program(&self) -> &'static str {
        if self.system == System::Windows { "podsieve.exe" } else { PROGRAM }
    }
}

/// Builds the terminal client for a target.
pub(crate) fn build(project: &Project, target: Target) -> Done<PathBuf> {
    let _ours = lock::take(&project.target("xtask/dist-lock"))?;
    wasm::ensure_target(project, target.triple)?;
    let zig = zig(project)?;
    let built = project.target("xtask/programs");
    loud_step(&format!("cargo zigbuild for {}", target.triple), || {
        let mut cargo = Command::new(zig.join("bin/cargo-zigbuild"));
        cargo.current_dir(project.path("."));
        cargo.args(["zigbuild", "--locked", "--profile", PROFILE, "--target", target.triple]);
        // Apart from cargo's own folder of the profile, which has the name of the one for what is published.
        cargo.args(["--package", PACKAGE, "--target-dir"]).arg(&built);
        wasm::set_flags(&mut cargo, target.triple, &flags(target));
        cargo.env("MACOSX_DEPLOYMENT_TARGET", OLDEST_MAC);
        cargo
            .env("CARGO_ZIGBUILD_ZIG_PATH", zig.join("ziglang/zig"))
            .env("PATH", path_with(zig.join("ziglang")));
        run_loud(&mut cargo, "the lines above name the place")
    })?;
    Ok(built.join(target.triple).join(PROFILE).join(target.program()))
}

/// What the linker is told for a Mac: to leave out what it notes of object files, as its number of the program is made of their paths, and
/// libraries that nothing calls (the crate `libc` names libiconv for everybody).
const OF_MAC: [&str; 2] = ["-Clink-arg=-Wl,-S", "-Clink-arg=-Wl,-dead_strip_dylibs"];

fn flags(target: Target) -> Vec<String> {
    if target.system == System::Mac { OF_MAC.map(str::to_owned).to_vec() } else { Vec::new() }
}

/// zig and what calls it, at the pinned versions.
fn zig(project: &Project) -> Done<PathBuf> {
    let pinned = project.path("xtask/zig.txt");
    let folder = project.target("xtask/zig");
    let stamp = folder.join("installed");
    let wanted = std::fs::read(&pinned).unwrap_or_default();
    if std::fs::read(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(folder);
    }
    step("pip install ziglang, cargo-zigbuild", || {
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--upgrade",
            "--require-hashes",
            "--target",
        ]);
        pip.arg(&folder).arg("--requirement").arg(&pinned);
        run_quiet(
            &mut pip,
            "Python 3 with pip installs the compiler of `cargo xtask dist` on Linux; is PyPI within reach?",
        )?;
        crate::say::at(&stamp, std::fs::write(&stamp, &wanted))
    })?;
    Ok(folder)
}

fn path_with(first: PathBuf) -> OsString {
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(first).chain(std::env::split_paths(&others))).unwrap_or(others)
}
