//! A container image without a daemon: an OCI layout as a tar file, with one image for each processor under one index.
//!
//! In: the archives of Linux. Out: `target/dist/podsieve-image.tar`. Nothing is in it but the program, its licences and an empty folder to mount files in;
//! no shell, no user but 65532. `skopeo copy --all oci-archive:podsieve-image.tar docker://…` publishes it.

use serde_json::{Value, json};

use super::archive::{self, Entry, Kind};
use super::sums::sha256;
use super::targets::Target;
use crate::say::{Done, Failure};

/// The file in `target/dist`.
pub(crate) const FILE: &str = "podsieve-image.tar";
/// Neither root nor anybody that a system has.
const USER: &str = "65532:65532";
/// The folder that a run begins in, where files are mounted.
const FOLDER: &str = "work";

const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// What an image says of itself.
pub(crate) struct About<'a> {
    pub(crate) version: &'a str,
    pub(crate) revision: &'a str,
    pub(crate) source: &'a str,
    /// Seconds since 1970.
    pub(crate) time: u64,
}

/// The blobs of a layout, and the notes of them that others hold.
#[derive(Default)]
struct Blobs(Vec<Entry>);

impl Blobs {
    /// Adds a blob; returns what names it.
    fn add(&mut self, kind: &str, bytes: Vec<u8>) -> Value {
        let digest = sha256(&bytes);
        let note = json!({ "mediaType": kind, "digest": format!("sha256:{digest}"), "size": bytes.len() });
        let name = format!("blobs/sha256/{digest}");
        if self.0.iter().all(|blob| blob.name != name) {
            self.0.push(Entry::new(name, Kind::Text, bytes));
        }
        note
    }
}

/// The image, of the archives for these processors.
pub(crate) fn of(archives: &[(Target, Vec<u8>)], about: &About<'_>) -> Done<Vec<u8>> {
    let failed = |error: std::io::Error| Failure::new(format!("{FILE}: {error}"), "");
    let mut blobs = Blobs::default();
    let mut manifests = Vec::new();
    for (target, packed) in archives {
        let layer = archive::tar(files(packed).map_err(failed)?, about.time).map_err(failed)?;
        let whole = sha256(&layer);
        let layer = blobs.add(LAYER, archive::gzip(&layer).map_err(failed)?);
        let config = json!({
            "architecture": target.processor, "os": "linux",
            "config": {
                "User": USER, "Entrypoint": ["/podsieve"], "WorkingDir": format!("/{FOLDER}"), "Labels": labels(about),
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{whole}")] },
        });
        let config = blobs.add(CONFIG, config.to_string().into_bytes());
        let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer], "annotations": labels(about) });
        let mut manifest = blobs.add(MANIFEST, manifest.to_string().into_bytes());
        let platform = json!({ "architecture": target.processor, "os": "linux" });
        manifest.as_object_mut().map(|note| note.insert("platform".to_owned(), platform));
        manifests.push(manifest);
    }
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": labels(about) });
    let mut index = blobs.add(INDEX, index.to_string().into_bytes());
    let named = json!({ "org.opencontainers.image.ref.name": about.version });
    index.as_object_mut().map(|note| note.insert("annotations".to_owned(), named));
    let top = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [index] });
    blobs.0.push(Entry::new("index.json", Kind::Text, top.to_string()));
    blobs.0.push(Entry::new("oci-layout", Kind::Text, json!({ "imageLayoutVersion": "1.0.0" }).to_string()));
    archive::tar(blobs.0, about.time).map_err(failed)
}

/// What of an archive is in an image, each at the root.
fn files(packed: &[u8]) -> std::io::Result<Vec<Entry>> {
    let wanted = ["podsieve", "LICENSE", crate::licenses::FILE];
    let mut files: Vec<Entry> = archive::open(packed)?
        .into_iter()
        .filter_map(|entry| {
            let (_, name) = entry.name.split_once('/')?;
            wanted.contains(&name).then(|| Entry::new(name, entry.kind, entry.bytes))
        })
        .collect();
    files.push(Entry::new(format!("{FOLDER}/"), Kind::Folder, ""));
    Ok(files)
}

fn labels(about: &About<'_>) -> Value {
    json!({
        "org.opencontainers.image.title": "podsieve",
        "org.opencontainers.image.description": "Kubernetes policies, evaluated without a cluster",
        "org.opencontainers.image.version": about.version,
        "org.opencontainers.image.revision": about.revision,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.source": about.source,
        "org.opencontainers.image.documentation": about.source,
    })
}

/// What is wrong with a layout: blobs that are not what they are called, names of none, files that nobody wants, a user who is root.
pub(crate) fn faults(layout: &[u8]) -> std::io::Result<Vec<String>> {
    let files = archive::read(layout)?;
    let mut faults = Vec::new();
    let blobs =
        || files.iter().filter_map(|file| Some((file.name.strip_prefix("blobs/sha256/")?, &file.bytes)));
    for (name, _) in blobs().filter(|(name, bytes)| sha256(bytes) != *name) {
        faults.push(format!("the blob {name} has another digest"));
    }
    let find = |note: &Value| {
        let digest = note.get("digest").and_then(Value::as_str)?.strip_prefix("sha256:")?;
        let (_, bytes) = blobs().find(|(name, _)| *name == digest)?;
        (note.get("size").and_then(Value::as_u64) == Some(bytes.len() as u64)).then_some(bytes)
    };
    let read = |note: &Value| serde_json::from_slice::<Value>(find(note)?).ok();
    let list =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let top = files.iter().find(|file| file.name == "index.json");
    let top: Value = top.and_then(|file| serde_json::from_slice(&file.bytes).ok()).unwrap_or_default();
    let index = list(&top, "manifests").first().and_then(read).unwrap_or_default();
    for note in list(&index, "manifests") {
        let manifest = read(&note).unwrap_or_default();
        let config = manifest.get("config").and_then(read).unwrap_or_default();
        if config.pointer("/config/User").and_then(Value::as_str) != Some(USER) {
            faults.push(format!("{note}: the user is not {USER}"));
        }
        for layer in list(&manifest, "layers") {
            let entries = find(&layer).map(|bytes| archive::open(bytes)).transpose()?.unwrap_or_default();
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            if names != ["LICENSE", crate::licenses::FILE, "podsieve", "work/"] {
                faults.push(format!("{note}: a layer holds {}", names.join(", ")));
            }
        }
    }
    if list(&index, "manifests").is_empty() {
        faults.push("no manifest is named, or it is not there".to_owned());
    }
    Ok(faults)
}
