//! The bytes of one file, with a bound; what is not a file is not opened.
//!
//! In: a path. Out: its bytes, or why it is not read. A name in a folder may lead anywhere: `x.yaml -> /dev/zero` never
//! ends, and a pipe that has no writer waits for one for ever.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Longer files are not read; standard input neither.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// What the shell makes of `<(command)` and `/dev/stdin`: pipes that somebody named on purpose.
const STREAMS: [&str; 3] = ["/dev/fd/", "/dev/stdin", "/proc/self/fd/"];

/// Why a path is not read.
pub(super) enum Refusal {
    /// The system's reason.
    System(Error),
    /// Ours, behind the path.
    Ours(String),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::System(error)
    }
}

/// What the system says of a path.
pub(super) fn about(path: &Path) -> std::io::Result<Metadata> {
    // WASI takes a path without a name for the folder that the run is in.
    if path.as_os_str().is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    std::fs::metadata(path)
}

/// Whether a path is that of a folder.
pub(crate) fn is_folder(path: &str) -> bool {
    about(Path::new(path)).is_ok_and(|about| about.is_dir())
}

/// The bytes of the file at a path.
pub(super) fn read(path: &str) -> Result<Vec<u8>, Refusal> {
    let (file, about) = open(path)?;
    if about.len() > MAX_BYTES {
        return Err(too_long(Some(&about)));
    }
    bounded(file)
}

/// The file at a path, however long it is.
pub(super) fn open(path: &str) -> Result<(File, Metadata), Refusal> {
    let is_stream = STREAMS.iter().any(|stream| path.starts_with(stream));
    let about = about(Path::new(path))?;
    if about.is_dir() {
        return Err(Error::from(ErrorKind::IsADirectory).into());
    }
    if !about.is_file() && !is_stream {
        // WASI has no name for a pipe, and the words are the same on every system.
        let words = "this is a pipe, a socket or a device, not a file: it is not read";
        return Err(Refusal::Ours(words.to_owned()));
    }
    Ok((File::open(path)?, about))
}

/// All that comes, up to the bound.
pub(super) fn bounded(from: impl Read) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { Err(too_long(None)) } else { Ok(bytes) }
}

fn too_long(about: Option<&Metadata>) -> Refusal {
    let mib = |bytes: u64| bytes >> 20;
    let has =
        about.map_or_else(|| format!("more than {}", mib(MAX_BYTES)), |about| mib(about.len()).to_string());
    Refusal::Ours(format!("it has {has} MiB, and files of at most {} MiB are read: split it", mib(MAX_BYTES)))
}
