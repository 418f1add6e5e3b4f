//! Archives with the same bytes for the same content: names in order, no owner, one time for all.
//!
//! In: names, modes and bytes. Out: the bytes of a tar file, or of one that is packed by gzip.

use std::io::{self, Write as _};

use flate2::{Compression, GzBuilder};

/// A file in an archive.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: Kind,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Program,
    Folder,
}

impl Entry {
    pub(crate) fn new(name: impl Into<String>, kind: Kind, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into(), kind }
    }
}

/// A tar file; each entry has this time, in seconds since 1970.
pub(crate) fn tar(mut entries: Vec<Entry>, time: u64) -> io::Result<Vec<u8>> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    let mut archive = tar::Builder::new(Vec::new());
    for entry in &entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(if entry.kind == Kind::Text { 0o644 } else { 0o755 });
        header.set_entry_type(if entry.kind == Kind::Folder {
            tar::EntryType::Directory
        } else {
            tar::EntryType::Regular
        });
        header.set_mtime(time);
        archive.append_data(&mut header, &entry.name, entry.bytes.as_slice())?;
    }
    archive.into_inner()
}

/// gzip without a time and without a name.
pub(crate) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}

/// What is in a packed archive.
pub(crate) fn open(bytes: &[u8]) -> io::Result<Vec<Entry>> {
    read(flate2::read::GzDecoder::new(bytes))
}

/// What is in a tar file.
pub(crate) fn read(file: impl io::Read) -> io::Result<Vec<Entry>> {
    let mut archive = tar::Archive::new(file);
    let mut entries = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut entry, &mut bytes)?;
        let kind = match (entry.header().entry_type().is_dir(), entry.header().mode()?) {
            (true, _) => Kind::Folder,
            (false, 0o755) => Kind::Program,
            (false, _) => Kind::Text,
        };
        entries.push(Entry { name, bytes, kind });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let files = || [Entry::new("b", Kind::Program, "two"), Entry::new("a", Kind::Text, "one")];
        let one = gzip(&tar(files().to_vec(), 7).unwrap()).unwrap();
        let mut turned = files().to_vec();
        turned.reverse();
        assert_eq!(one, gzip(&tar(turned, 7).unwrap()).unwrap());
        let found = open(&one).unwrap();
        let shown: Vec<(&str, Kind)> = found.iter().map(|entry| (entry.name.as_str(), entry.kind)).collect();
        assert_eq!(shown, [("a", Kind::Text), ("b", Kind::Program)]);
        // The time is one of the header's fields, and no more.
        assert_ne!(one, gzip(&tar(files().to_vec(), 8).unwrap()).unwrap());
    }
}
