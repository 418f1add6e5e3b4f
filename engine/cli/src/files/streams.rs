//! Resources that are read as streams, and the dumps of a cluster that are known by their shape.
//!
//! In: paths as the arguments name them. Out: streams with names. Of a dump that holds objects twice, or files that are no objects, a
//! part is read: [`SHAPES`] says which.

use super::regular::{self, Refusal};
use super::{
    End, Opened, Unreadable, Way, failed, go_error, is_folder, is_hidden, is_manifest, matching,
    sorted_entries,
};
use std::io::Read;
use std::path::Path;

/// A text that is read piece by piece.
pub(crate) struct Stream {
    pub(crate) name: String,
}

impl Stream {
    /// Begins to read.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Unreadable> {
        if self.name == "-" {
            return Ok(Box::new(std::io::stdin().lock()));
        }
        match regular::open(&self.name) {
            // Without an end of its own a file is asked where it stands whenever all of it is read, which the host of WASI does not say.
            Ok((file, _)) => Ok(Box::new(file.take(u64::MAX))),
            Err(Refusal::System(error)) => Err(self.lost(go_error("open", &self.name, &error))),
            Err(Refusal::Ours(words)) => Err(self.lost(format!("open {}: {words}", self.name))),
        }
    }

    fn lost(&self, original: String) -> Unreadable {
        Unreadable { path: self.name.clone(), original }
    }
}

/// A dump of a cluster.
struct Shape {
    /// The folders and files that it is known by.
    has: &'static [&'static str],
    /// The folders in it that hold objects; none for the dump as a whole.
    reads: &'static [&'static str],
    /// How the names of folders in those end, or of files, that hold what is there already.
    passes_over: &'static [&'static str],
    /// The folders that are read one level deep alone: below is each object once more.
    is_flat: &'static [&'static str],
}

/// In the order in which they are tried.
// must-gather: namespaces/NS/pods/POD/POD.yaml is also an item of namespaces/NS/core/pods.yaml.
// Velero: resources/PLURAL.GROUP/v1-preferredversion holds what resources/PLURAL.GROUP/namespaces has.
// kubectl cluster-info dump --output-directory: nodes.json, NS/KIND.json, NS/POD/logs.txt.
const SHAPES: &[Shape] = &[
    Shape {
        has: &["resources", "metadata"],
        reads: &["resources"],
        passes_over: &["-preferredversion"],
        is_flat: &[],
    },
    Shape {
        has: &["cluster-scoped-resources"],
        reads: &["cluster-scoped-resources", "namespaces"],
        passes_over: &[],
        is_flat: &["pods"],
    },
    Shape { has: &["namespaces", "version"], reads: &["namespaces"], passes_over: &[], is_flat: &["pods"] },
];

/// The streams that paths stand for: a file that is named, standard input, the YAML and JSON below a folder; and what stands for no
/// file.
pub(crate) fn streams(paths: &[String]) -> (Vec<Stream>, Vec<Unreadable>) {
    let mut opened = Opened::default();
    for path in paths {
        if path != "-" && is_folder(path) {
            walk(Path::new(path), None, &mut Way::default(), &mut opened);
            continue;
        }
        match matching(path) {
            None => opened.paths.push(path.clone()),
            Some(found) => {
                opened.paths.extend(found.paths);
                opened.lost.extend(found.lost);
            }
        }
    }
    (opened.paths.into_iter().map(|name| Stream { name }).collect(), opened.lost)
}

fn walk(folder: &Path, within: Option<&'static Shape>, way: &mut Way, opened: &mut Opened) {
    let shape = SHAPES.iter().find(|shape| shape.has.iter().all(|name| folder.join(name).exists()));
    let entries = |way: &mut Way| match sorted_entries(folder) {
        Err(error) => opened.lost.push(failed("open", folder)(error)),
        Ok(entries) => {
            for entry in entries {
                let name =
                    entry.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let is_passed =
                    within.is_some_and(|within| within.passes_over.iter().any(|end| name.ends_with(end)));
                let is_flat = within.is_some_and(|within| {
                    folder.file_name().is_some_and(|of| within.is_flat.iter().any(|flat| of == *flat))
                });
                if is_hidden(&entry) || is_passed {
                    continue;
                }
                if !entry.is_dir() {
                    if is_manifest(&entry) && shape.is_none() {
                        opened.paths.push(entry.to_string_lossy().into_owned());
                    }
                } else if shape.is_none_or(|shape| shape.reads.contains(&name.as_str())) && !is_flat {
                    walk(&entry, shape.or(within), way, opened);
                }
            }
        }
    };
    if way.inside(folder, entries) == Err(End::TooDeep) {
        opened.lost.push(End::TooDeep.about(folder));
    }
}
