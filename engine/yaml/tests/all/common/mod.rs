//! Where the recorded answers lie, and how to read them.
#![expect(clippy::print_stdout, reason = "it is said what is skipped")]

use engine_yaml::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A file or folder of recorded answers, of those in the repository or of those beside it, if it is on this machine.
pub(crate) fn recorded(name: &str) -> Option<PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let homes =
        folders.flat_map(|folder| ["tests/recorded", "shared/conformance"].map(|home| folder.join(home)));
    let found = homes.map(|home| home.join(name)).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: no {name} in or beside this repository");
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
