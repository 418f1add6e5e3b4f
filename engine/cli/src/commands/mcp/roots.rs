//! The folders whose files tools may read.
//!
//! In: paths as an agent writes them. Out: texts of files below the roots, or why there is none. `..` is resolved before a path is compared with the
//! roots, and no link below a root is followed, so neither leads outside. Nothing asks the system where a link ends: WASI could not say it.

use crate::exit::Failure;
use crate::files::{self, Files, Unreadable};
use engine_lenses::wire::Text;
use std::path::{Component, Path, PathBuf};

/// Bytes of all files of one call.
const MAX_BYTES: usize = 32 << 20;

/// How deep folders are looked through; a walk ends there too.
const MAX_DEPTH: usize = 64;

/// The folders, resolved.
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    pub(super) fn new(folders: &[String]) -> Result<Self, Failure> {
        let resolved = |folder: &String| {
            let wrong = |why: &str| Failure(format!("--root {folder}: {why}"));
            let path = std::path::absolute(folder).map_err(|error| wrong(&error.to_string()))?;
            let path = lexical(&path).ok_or_else(|| wrong("it leads above all folders"))?;
            if path.is_dir() { Ok(path) } else { Err(wrong("there is no such folder")) }
        };
        folders.iter().map(resolved).collect::<Result<_, _>>().map(Roots)
    }

    /// The texts of a file, or of all YAML and JSON files below a folder.
    pub(super) fn read(&self, path: &str) -> Result<Vec<Text>, String> {
        let inside = self.resolve(path)?;
        let opened = files::opened(&[inside]);
        if let Some(lost) = opened.lost.first() {
            return Err(lost.original.clone());
        }
        if opened.paths.is_empty() {
            return Err(format!("{path}: there is no YAML or JSON file"));
        }
        let (mut texts, mut bytes) = (Vec::new(), 0usize);
        for file in &opened.paths {
            let text = files::read(&self.resolve(file)?).map_err(|lost| lost.original)?;
            bytes = bytes.saturating_add(text.text.len());
            if bytes > MAX_BYTES {
                return Err(format!("{path}: more than {MAX_BYTES} bytes: name fewer files"));
            }
            texts.push(Text { name: self.shown(file), text: text.text });
        }
        Ok(texts)
    }

    /// Where a path leads, if that is below a root and there; of a folder, if no link below it leads to another.
    fn resolve(&self, path: &str) -> Result<String, String> {
        let outside = || format!("{path} is not below the roots, or there by a link: {}", self.named());
        let below = |root: &PathBuf| {
            let path = lexical(&root.join(path))?;
            let inner = path.strip_prefix(root).ok()?;
            let mut way = root.clone();
            let is_open = inner.components().all(|part| {
                way.push(part);
                std::fs::symlink_metadata(&way).is_ok_and(|about| !about.is_symlink())
            });
            is_open.then_some(path)
        };
        let inside = self.0.iter().find_map(below).ok_or_else(outside)?;
        let inside =
            inside.into_os_string().into_string().map_err(|_| format!("{path}: the name is not UTF-8"))?;
        match linked_folder(&inside, 0) {
            Some(link) => Err(format!(
                "{} is a link, and no link is followed: name what is beside it",
                self.shown(&link)
            )),
            None => Ok(inside),
        }
    }

    fn shown(&self, path: &str) -> String {
        let below = self.0.iter().find_map(|root| Path::new(path).strip_prefix(root).ok());
        below.map_or_else(|| path.to_owned(), |below| below.to_string_lossy().into_owned())
    }

    fn named(&self) -> String {
        let names: Vec<_> = self.0.iter().map(|root| root.to_string_lossy()).collect();
        names.join(", ")
    }
}

impl Files for Roots {
    fn admit(&self, path: &str) -> Result<String, Unreadable> {
        self.resolve(path).map_err(|original| Unreadable { path: path.to_owned(), original })
    }
}

/// A link to a folder below a folder, which a walk would follow.
fn linked_folder(folder: &str, depth: usize) -> Option<String> {
    let entries = if depth < MAX_DEPTH { files::entries(folder).ok()? } else { Vec::new() };
    entries.into_iter().filter(|(name, _)| !name.starts_with('.')).find_map(|(name, is_folder)| {
        let path = format!("{folder}/{name}");
        if is_folder { linked_folder(&path, depth + 1) } else { files::is_folder(&path).then_some(path) }
    })
}

/// The path without `.` and `..`; none where it leads above all folders.
fn lexical(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}
