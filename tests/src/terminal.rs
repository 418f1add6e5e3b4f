//! The built `podsieve` over files that a test makes up.
//!
//! In: texts, arguments, standard input. Out: exit code and what it said, to be held against what a test wants.

use crate::program::{self, Scratch};
use std::path::Path;

/// What a run of the program came to.
#[derive(Debug, Default)]
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error, without what is said of deprecated kinds: nearly every policy of the tests is of one.
    pub err: String,
    /// What is said of deprecated kinds.
    pub deprecated: String,
}

/// A policy that wants a version in every image of a Pod.
pub const POLICY: &str = "\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-latest}
spec:
  rules:
  - name: tag
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: name a version
      pattern: {spec: {containers: [{image: \"!*:latest\"}]}}
";

/// A Pod that names none.
pub const POD: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: nginx:latest
";

/// Runs the program in a folder that is there.
///
/// # Panics
/// Where it cannot be run, is ended by a signal or prints what is not UTF-8.
#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
pub fn run_in(program: &Path, folder: &Path, arguments: &[&str], input: &str) -> Run {
    let output = program::run(program, folder, arguments, input).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (deprecated, err) = text(output.stderr).split_inclusive('\n').partition(|line| is_about_kinds(line));
    Run { code: output.status.code().unwrap(), out: text(output.stdout), err, deprecated }
}

fn is_about_kinds(line: &str) -> bool {
    let is_warning = line.starts_with("Warning: ") && line.contains(" is deprecated ");
    is_warning || line.starts_with("note: `podsieve convert` writes such policies in CEL")
}

/// Runs the program in a folder of its own that holds these files.
///
/// # Panics
/// As [`run_in`], and where a file cannot be written.
#[expect(clippy::unwrap_used, reason = "a test ends with the reason")]
pub fn run(program: &Path, files: &[(&str, &str)], arguments: &[&str], input: &str) -> Run {
    let scratch = Scratch::new().unwrap();
    for (name, text) in files {
        scratch.write(name, text).unwrap();
    }
    run_in(program, scratch.path(), arguments, input)
}
