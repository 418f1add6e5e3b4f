//! Where the recorded answers lie, and how to read them.
#![expect(clippy::print_stdout, reason = "it is said what is skipped")]

use engine_yaml::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of recorded answers, if it is on this machine.
pub(crate) fn recorded(folder: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found =
        here.ancestors().map(|dir| dir.join("shared/conformance").join(folder)).find(|dir| dir.is_dir());
    if found.is_none() {
        println!("skipped: no ../shared/conformance/{folder} here");
    }
    found
}

#[expect(clippy::unwrap_used, reason = "a recorded file that cannot be read fails the test")]
/// The rows of a file of JSON lines, packed with gzip.
pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let file = std::fs::File::open(path).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines().map(|line| engine_json::parse(line).unwrap()).collect()
}
