//! The signed message: manifests as they were when somebody signed them.
//!
//! In: the annotation's text. Out: the bytes that were signed and the manifests in them.
//! Mirrors: k8s-manifest-sigstore pkg/util (GetYAMLsInArtifact, FindManifestYAML).

use crate::flat::{Budget, flat};
use crate::ignore::Fields;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine::json::Value;
use engine::yaml::{Options, Source, SourceId, parse};
use flate2::read::GzDecoder;
use std::io::Read;

/// How many bytes a message may hold once it is unpacked.
const MAX_BYTES: u64 = 8 << 20;
/// How many files of a tar file are read.
const MAX_FILES: usize = 1_000;
/// How many manifests an object whose name is in none of them is held against.
const MAX_CANDIDATES: usize = 3;

/// A signed message.
pub(crate) struct Message {
    /// What the signature is of.
    pub(crate) bytes: Vec<u8>,
    /// The manifests in it.
    pub(crate) manifests: Vec<Value>,
}

impl Message {
    /// Decodes the annotation. The error says what it is not.
    pub(crate) fn decode(text: &str) -> Result<Self, String> {
        // Go's decoder passes over line breaks.
        let text: String = text.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        let packed = STANDARD.decode(&text).map_err(|error| {
            format!("failed to decode base64 message in the annotation: {}", illegal(&error, text.len()))
        })?;
        // k8smanifest: what is not a gzip is taken as it is.
        let bytes = unzip(&packed).unwrap_or(packed);
        let manifests = match documents(&bytes) {
            manifests if manifests.is_empty() => from_archive(&bytes)?,
            manifests => manifests,
        };
        Ok(Message { bytes, manifests })
    }
}

fn illegal(error: &base64::DecodeError, length: usize) -> String {
    let at = match error {
        base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => *at,
        base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding => length,
    };
    format!("illegal base64 data at input byte {at}")
}

fn unzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    GzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut out).ok()?;
    Some(out)
}

/// The documents of a text up to the first that cannot be read, or none where it is not a text.
fn documents(bytes: &[u8]) -> Vec<Value> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let source = Source { id: SourceId(0), name: "message".to_owned(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    let end = parsed.findings.iter().map(|finding| finding.span.start).min().unwrap_or(u32::MAX);
    let readable = parsed.documents.into_iter().filter(|document| document.span.start < end);
    readable.map(|document| document.value).filter(|value| !value.is_null()).collect()
}

/// The manifests in the files of a tar file that is zipped once more.
fn from_archive(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let failed = |what: &str, why: &str| {
        format!(
            "failed to read YAMLs in the gzipped message: {what} failed while decompressing tar gz: {why}"
        )
    };
    let unzipped = unzip(bytes).ok_or_else(|| failed("gzip.NewReader()", "gzip: invalid header"))?;
    let mut archive = tar::Archive::new(unzipped.as_slice());
    let entries = archive.entries().map_err(|error| failed("tarReader.Next()", &error.to_string()))?;
    let mut files = Vec::new();
    for entry in entries.take(MAX_FILES) {
        let mut entry = entry.map_err(|error| failed("tarReader.Next()", &error.to_string()))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let is_yaml = [".yaml", ".yml", ".signed"].iter().any(|ending| name.ends_with(ending));
        if !entry.header().entry_type().is_file() || name.starts_with("..") || !is_yaml {
            continue;
        }
        let mut text = Vec::new();
        let read = entry.by_ref().take(MAX_BYTES).read_to_end(&mut text);
        read.map_err(|error| failed("io.Copy()", &error.to_string()))?;
        files.push((name, text));
    }
    // The original walks the unpacked folder in the order of the names.
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(files.iter().flat_map(|(_, text)| documents(text)).collect())
}

/// The manifests that may be the object's: the one of its group, kind and name; else those that have most in common with it. An
/// error where they cannot be compared.
// FindManifestYAML; the original stops to compare early where that decides nothing.
pub(crate) fn manifests_of(
    manifests: &[Value],
    object: &Value,
    ignored: &Fields,
    budget: &mut Budget,
) -> Result<Vec<Value>, String> {
    let text = |value: &Value, path: &[&str]| value.find_str(path).to_owned();
    let group =
        |value: &Value| text(value, &["apiVersion"]).split_once('/').map(|(group, _)| group.to_owned());
    let same_kind = manifests.iter().filter(|manifest| text(manifest, &["kind"]) == text(object, &["kind"]));
    let candidates: Vec<&Value> = same_kind.collect();
    let name: &[&str] = &["metadata", "name"];
    let namespace: &[&str] = &["metadata", "namespace"];
    let named =
        |manifest: &&&Value| group(manifest) == group(object) && text(manifest, name) == text(object, name);
    let named: Vec<&&Value> = candidates.iter().filter(named).collect();
    let exact = named.iter().find(|manifest| text(manifest, namespace) == text(object, namespace));
    let found = if named.len() == 1 { named.first() } else { exact.or_else(|| named.first()) };
    if let Some(found) = found {
        return Ok(vec![(**found).clone()]);
    }
    let wanted = flat(object, ignored, budget)?;
    let mut counted: Vec<(usize, &Value)> = Vec::with_capacity(candidates.len());
    for manifest in candidates {
        // Each value of a manifest is looked up, not each of the object: there may be many manifests.
        let flat = flat(manifest, ignored, budget)?;
        let common = flat.iter().filter(|(key, value)| wanted.get(*key) == Some(value)).count();
        counted.push((common, manifest));
    }
    let most = counted.iter().map(|(count, _)| *count).max().unwrap_or(0);
    let best = counted.iter().filter(|(count, _)| *count == most);
    Ok(best.take(MAX_CANDIDATES).map(|(_, manifest)| (*manifest).clone()).collect())
}
