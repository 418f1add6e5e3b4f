//! Cargo compiles a crate anew for each selection of features, and each choice of packages makes one: the terminal client alone has that of the
//! whole workspace, so that who builds it and then runs the tests compiles nothing twice.
//!
//! In: what `cargo tree` says of both choices. Out: a failure that names each package whose features differ.

use std::collections::BTreeSet;
use std::process::Command;

/// A line for each package and its features, such as `serde v1.0.229 alloc,derive`.
fn features(of: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}"]).args(of);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned()).collect()
}

#[test]
fn the_terminal_client_asks_for_the_features_of_the_workspace() {
    let whole = features(&["--workspace"]);
    let alone = features(&["--package", "engine-cli", "--edges", "normal,build"]);
    assert!(alone.len() > 50 && whole.len() > alone.len());
    let others: Vec<&String> = alone.difference(&whole).collect();
    assert!(
        others.is_empty(),
        "ask for what the workspace asks for in Cargo.toml or engine/lenses/Cargo.toml: {others:#?}"
    );
}
