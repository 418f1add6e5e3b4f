//! Checksums, and what a release is made of.
//!
//! In: files; what cargo says of the workspace. Out: `SHA256SUMS`, as `sha256sum -c` reads it, and `podsieve.cdx.json`, a list of all crates in the
//! terminal client as CycloneDX has it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::licenses::Work;
use crate::say::{Done, at};

/// The files in `target/dist`.
pub(crate) const SUMS: &str = "SHA256SUMS";
pub(crate) const PARTS: &str = "podsieve.cdx.json";

/// A digest in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // A text takes all that is written to it.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes the checksums of all files in a folder but their own.
pub(crate) fn write(folder: &Path) -> Done {
    let mut lines = Vec::new();
    for entry in at(folder, fs::read_dir(folder))? {
        let path = at(folder, entry)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && name != SUMS {
            lines.push((name, sha256(&at(&path, fs::read(&path))?)));
        }
    }
    lines.sort();
    let lines: Vec<String> = lines.iter().map(|(name, sum)| format!("{sum}  {name}")).collect();
    at(folder, fs::write(folder.join(SUMS), lines.join("\n") + "\n"))
}

/// The parts of the terminal client: name, version, licence, and where it comes from.
pub(crate) fn parts(version: &str, works: &[Work]) -> String {
    let component = |work: &Work| {
        let (name, version) = work.name.split_once(' ').unwrap_or((&work.name, ""));
        let address = format!("pkg:cargo/{name}@{version}");
        json!({
            "type": "library", "name": name, "version": version, "purl": address, "bom-ref": address,
            "licenses": [{ "expression": spdx(&work.license) }],
        })
    };
    let mut components: Vec<Value> = works.iter().map(component).collect();
    components.sort_by_key(|component| component["purl"].as_str().unwrap_or_default().to_owned());
    components.dedup();
    let all = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": { "component": {
            "type": "application", "name": "podsieve", "version": version, "bom-ref": "podsieve",
            "licenses": [{ "expression": "Apache-2.0" }],
        } },
        "components": components,
    });
    format!("{all:#}\n")
}

/// Older packages write a choice as `MIT/Apache-2.0`.
fn spdx(license: &str) -> String {
    license.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_and_licences_are_written_as_others_read_them() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
        assert_eq!(spdx("MIT/Apache-2.0"), "MIT OR Apache-2.0");
        assert_eq!(spdx("MIT OR Apache-2.0"), "MIT OR Apache-2.0");
    }
}
