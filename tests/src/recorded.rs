//! The recorded answers of the originals: those in this repository, and those that lie beside it.
//!
//! In: nothing, or a folder. Out: files read line by line, gzip or not. `recorded/` holds what was asked with inputs of our own; what consists
//! of files of other projects lies in `shared/conformance` beside the repository, and where that is not there a test says that it was skipped.

use engine::json::{Value, parse};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders with the same layout. A file is taken from the first of them that has it, so none is read twice.
#[derive(Clone, Debug)]
pub struct Recorded {
    folders: Vec<PathBuf>,
}

impl Recorded {
    /// The repository's own, and those beside it where they are.
    pub fn all() -> Self {
        Self { folders: std::iter::once(in_clone()).chain(folder()).collect() }
    }

    /// Those of one folder.
    pub fn of(folder: &Path) -> Self {
        Self { folders: vec![folder.to_path_buf()] }
    }

    /// The folder that has a file.
    pub fn home(&self, name: &str) -> Option<&Path> {
        self.folders.iter().map(PathBuf::as_path).find(|folder| packed(&folder.join(name)).is_file())
    }

    /// Whether a file is there; where it is not, a line says that it is skipped.
    pub fn is_there_or_skip(&self, name: &str) -> bool {
        let is_there = self.home(name).is_some();
        if !is_there {
            say(&format!("skipped: {name}: {WHY_SKIPPED}"));
        }
        is_there
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Result<String, String> {
        let home = self.home(name).ok_or_else(|| format!("{name} is in none of {:?}", self.folders))?;
        text(&home.join(name))
    }

    /// The JSON values of a file with one a line.
    pub fn rows(&self, name: &str) -> Result<Vec<Value>, String> {
        let home = self.home(name).ok_or_else(|| format!("{name} is in none of {:?}", self.folders))?;
        rows(&home.join(name))
    }
}

/// The folder of the repository's own recorded answers.
pub fn in_clone() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded")
}

/// The folder of those beside it: `shared/conformance` beside the repository or above it.
pub fn folder() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().map(|above| above.join("shared/conformance")).find(|folder| folder.is_dir())
}

/// The folder, or a line that says what is skipped without it.
pub fn folder_or_skip(what: &str) -> Option<PathBuf> {
    let found = folder();
    if found.is_none() {
        say(&format!("skipped: {what}: {WHY_SKIPPED}"));
    }
    found
}

/// Why what lies outside of the repository is skipped where it is not there.
pub const WHY_SKIPPED: &str =
    "files of other projects, and no folder `shared/conformance` is beside the repository or above it";

/// Says something that a person who runs the tests should see.
#[expect(clippy::print_stderr, reason = "tests talk to the person who runs them")]
pub fn say(text: &str) {
    eprintln!("{text}");
}

/// A file, or the same packed where it is not there.
fn packed(path: &Path) -> PathBuf {
    let with_ending = path.as_os_str().to_string_lossy().into_owned() + ".gz";
    if path.is_file() { path.to_path_buf() } else { with_ending.into() }
}

/// The text of a file, unpacked if it is gzip; where there is none, of the same with the ending `.gz`.
pub fn text(path: &Path) -> Result<String, String> {
    let path = &packed(path);
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
