//! Where things are, and how programs are started there.
//!
//! In: the environment that `cargo run` sets, and what cargo says of the workspace. Out: paths below the repository's root,
//! programs run to their end. Example: `project.path("www/dist")`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::node;
use crate::say::{Done, Failure};
use crate::tail;

/// The checkout.
pub(crate) struct Project {
    root: PathBuf,
    target: PathBuf,
}

impl Project {
    /// Finds the checkout through the variables that cargo sets. Where cargo builds, it alone knows: variables and several
    /// configuration files have a say in it.
    pub(crate) fn find() -> Done<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let root = manifest.as_deref().and_then(Path::parent).map(Path::to_path_buf).ok_or_else(|| {
            Failure::new("the repository was not found", "start this tool as `cargo xtask`")
        })?;
        let mut project = Self { root, target: PathBuf::new() };
        let metadata = project.metadata(&["--no-deps"])?;
        let target = metadata.get("target_directory").and_then(Value::as_str);
        project.target = target.map(PathBuf::from).ok_or_else(|| {
            Failure::new(
                "`cargo metadata` names no target directory",
                "is this the cargo of rust-toolchain.toml?",
            )
        })?;
        Ok(project)
    }

    /// What cargo says of the workspace; with `--no-deps` it needs no network and no lock file.
    pub(crate) fn metadata(&self, options: &[&str]) -> Done<Value> {
        let mut cargo = self.cargo();
        let printed = run_quiet(cargo.args(["metadata", "--format-version", "1"]).args(options), "")?;
        serde_json::from_str(&printed)
            .map_err(|error| Failure::new(format!("`cargo metadata` cannot be read: {error}"), ""))
    }

    /// A field of `workspace.package` in Cargo.toml, as the terminal client has it.
    fn field(&self, name: &str) -> Done<String> {
        let metadata = self.metadata(&["--no-deps"])?;
        let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
        let mut client =
            packages.filter(|package| package.get("name").is_some_and(|name| name == "engine-cli"));
        let field = client.find_map(|package| package.get(name)?.as_str());
        field
            .map(str::to_owned)
            .ok_or_else(|| Failure::new(format!("the workspace has no {name}"), "add it to Cargo.toml"))
    }

    /// The version of everything here.
    pub(crate) fn version(&self) -> Done<String> {
        self.field("version")
    }

    /// Where the sources are.
    pub(crate) fn address(&self) -> Done<String> {
        self.field("repository")
    }

    /// The commit; nothing where the sources are no clone.
    pub(crate) fn revision(&self) -> String {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args(["rev-parse", "HEAD"]);
        run_quiet(&mut git, "").map(|printed| printed.trim().to_owned()).unwrap_or_default()
    }

    /// A path below the root, written with `/`.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// A path below cargo's target directory.
    pub(crate) fn target(&self, below: &str) -> PathBuf {
        self.target.join(below)
    }

    /// A program of ours as the tests have it.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// The recorded answers, which lie beside the repository or above it and are not part of it. `tests/src/recorded.rs` looks
    /// in the same places.
    pub(crate) fn conformance(&self) -> Option<PathBuf> {
        self.root.ancestors().map(|above| above.join("shared/conformance")).find(|folder| folder.is_dir())
    }

    /// The cargo that started us.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
        command.current_dir(&self.root);
        command
    }

    /// Node, in a folder of the project; it is said where the recorded answers are.
    pub(crate) fn node(&self, folder: &str) -> Command {
        let mut command = Command::new("node");
        command.current_dir(self.path(folder));
        if let Some(recorded) = self.conformance() {
            command.env("CONFORMANCE", recorded);
        }
        command
    }
}

/// Where cargo keeps what it fetched.
pub(crate) fn cargo_home() -> Option<PathBuf> {
    let described = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    described.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// Runs a program whose output goes straight to the person; a failure keeps the end of it.
pub(crate) fn run_loud(command: &mut Command, advice: &str) -> Done {
    let (status, tail) = tail::run(command).map_err(|error| not_started(command, &error, advice))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("{} failed ({status})", shown(command)), advice).after(tail))
}

/// Runs a program and returns what it printed; its output is shown only where it fails.
pub(crate) fn run_quiet(command: &mut Command, advice: &str) -> Done<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| not_started(command, &error, advice))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(printed);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("{} failed\n{printed}{errors}", shown(command)), advice))
}

/// What to install is said of programs that everybody needs; of others, what the caller advises.
fn not_started(command: &Command, error: &std::io::Error, advice: &str) -> Failure {
    let program = command.get_program().to_string_lossy();
    let advice = match program.as_ref() {
        "node" | "npm" => node::ADVICE,
        "rustup" => "install rustup (https://rustup.rs), or the target wasm32-unknown-unknown by other means",
        _ => advice,
    };
    Failure::new(format!("`{program}` cannot be started: {error}"), advice)
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}
