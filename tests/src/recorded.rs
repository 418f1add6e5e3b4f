//! The recorded answers of the originals, where they lie beside the repository.
//!
//! In: nothing, or a path below the folder. Out: files read line by line, gzip or not; `None` where the folder is not
//! there, so that a test can say that it was skipped.

use engine::json::{Value, parse};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of the recorded answers: `shared/conformance` beside the repository or above it.
pub fn folder() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|above| above.join("shared/conformance")).find(|folder| folder.is_dir())
}

/// The folder, or a line that says what is skipped without it.
pub fn folder_or_skip(what: &str) -> Option<PathBuf> {
    let found = folder();
    if found.is_none() {
        say(&format!("skipped: {what}: no folder `shared/conformance` beside the repository"));
    }
    found
}

/// Says something that a person who runs the tests should see.
#[expect(clippy::print_stderr, reason = "tests talk to the person who runs them")]
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// The text of a file, unpacked if it is gzip.
pub fn text(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(failed)?;
    if path.extension().is_none_or(|extension| extension != "gz") {
        return String::from_utf8(bytes).map_err(|error| format!("{}: {error}", path.display()));
    }
    let mut text = String::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// The JSON values of a file with one a line.
pub fn rows(path: &Path) -> Result<Vec<Value>, String> {
    let text = text(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| parse(line).map_err(|error| format!("{}: {error}", path.display()))).collect()
}
