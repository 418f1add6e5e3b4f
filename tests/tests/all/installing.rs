//! `action/install.sh`: takes a release apart only where its checksum is right, and leaves nothing behind where it is not.
//!
//! In: a release of this machine with a program that only says its version. Out: a failure where another file is installed, or one too many.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test ends with the reason")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tests::program::Scratch;

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../action/install.sh")
}

/// A folder with a release in `from`, made by the tools that every machine has.
fn release() -> Scratch {
    let scratch = Scratch::new().unwrap();
    let mut made = Command::new("sh");
    made.current_dir(scratch.path()).arg("-euc").arg(
        "case $(uname -s) in Darwin) system=apple-darwin ;; *) system=unknown-linux-musl ;; esac
         case $(uname -m) in aarch64 | arm64) name=podsieve-aarch64-$system ;; *) name=podsieve-x86_64-$system ;; esac
         mkdir -p from $name
         printf '#!/bin/sh\\necho podsieve 1.2.3\\n' > $name/podsieve
         tar -czf from/$name.tar.gz $name
         cd from
         { sha256sum *.gz || shasum -a 256 *.gz; } > SHA256SUMS 2> /dev/null",
    );
    assert!(made.status().unwrap().success());
    scratch
}

fn install(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut script_of = Command::new("sh");
    script_of.arg(script()).args(arguments).args(["--to", "to/$(touch run) it"]);
    script_of.current_dir(scratch.path()).env("PODSIEVE_FROM", scratch.path().join("from"));
    script_of.output().unwrap()
}

/// All files below a folder but those of the release.
fn files(folder: &Path) -> Vec<String> {
    let found = Command::new("find").current_dir(folder).args(["to", "run", "-type", "f"]).output().unwrap();
    String::from_utf8(found.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_release_is_installed_as_one_file() {
    let scratch = release();
    let output = install(&scratch, &["--version", "1.2.3"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && said.starts_with("to/$(touch run) it/podsieve: 1.2.3\n"),
        "{output:?}"
    );
    assert_eq!(files(scratch.path()), ["to/$(touch run) it/podsieve"]);
}

#[test]
fn an_archive_with_another_checksum_is_not_installed() {
    let scratch = release();
    for (name, words) in [("SHA256SUMS", "does not name"), ("*.tar.gz", "has no"), ("SHA256SUMS", "has no")] {
        let spoil = if words == "has no" { format!("rm from/{name}") } else { format!("echo > from/{name}") };
        let other = release();
        assert!(
            Command::new("sh").current_dir(other.path()).args(["-c", &spoil]).status().unwrap().success()
        );
        let output = install(&other, &[]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(words), "{spoil}: {output:?}");
        assert!(files(other.path()).is_empty());
    }
    let longer = "for file in from/*.gz; do echo more >> $file; done";
    assert!(Command::new("sh").current_dir(scratch.path()).args(["-c", longer]).status().unwrap().success());
    let output = install(&scratch, &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("nothing is installed"), "{output:?}");
    assert!(files(scratch.path()).is_empty());
}

#[test]
fn checksums_of_the_action_count_for_its_release() {
    let folder = script().parent().unwrap().to_owned();
    let setup = |pinned: &str, sums: fn(&str) -> String, version: &str| {
        let scratch = release();
        let own = std::fs::read_to_string(scratch.path().join("from/SHA256SUMS")).unwrap();
        scratch.write("action/checksums.txt", format!("{pinned}\n{}", sums(&own))).unwrap();
        for name in ["install.sh", "setup.sh"] {
            scratch
                .write(&format!("action/{name}"), std::fs::read_to_string(folder.join(name)).unwrap())
                .unwrap();
        }
        let mut step = Command::new("bash");
        step.arg("action/setup.sh").current_dir(scratch.path()).env("PODSIEVE_VERSION", version);
        for (name, path) in [("PODSIEVE_FROM", "from"), ("RUNNER_TEMP", "to"), ("GITHUB_PATH", "path")] {
            step.env(name, scratch.path().join(path));
        }
        let output = step.output().unwrap();
        (
            output.status.success(),
            files(scratch.path()).len(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let right = |own: &str| own.to_owned();
    let wrong = |own: &str| {
        let line = |line: &str| format!("{}  {}", "0".repeat(64), line.rsplit(' ').next().unwrap());
        own.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    for version in ["", "1.2.3"] {
        let (is_done, count, said) = setup("# podsieve 1.2.3", wrong, version);
        assert!(!is_done && count == 0 && said.contains("nothing is installed"), "{said}");
        let (is_done, count, said) = setup("# podsieve 1.2.3", right, version);
        assert!(is_done && count == 1, "{said}");
    }
    // Another release has its own, and a file that names none pins nothing.
    assert_eq!(setup("# podsieve 1.2.2", wrong, "1.2.3").1, 1);
    assert_eq!(setup("", wrong, "").1, 1);
}

#[test]
fn it_takes_releases_from_where_the_sources_are() {
    let text = |name: &str| {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)).unwrap()
    };
    let manifest = text("Cargo.toml");
    let address =
        manifest.lines().find_map(|line| line.strip_prefix("repository = ")).unwrap().trim_matches('"');
    assert!(text("action/install.sh").contains(&format!("\nsources={address}\n")));
}
