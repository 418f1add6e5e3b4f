//! The program by itself. As a test of its package needs it, cargo builds it with the tests of the workspace; those of `tests` run it.

use std::process::Command;

#[test]
fn the_version_is_printed() {
    let output = Command::new(env!("CARGO_BIN_EXE_podsieve")).arg("version").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains(env!("CARGO_PKG_VERSION")), "{printed}");
}
