//! The folders whose files tools may read.
//!
//! In: paths as an agent writes them. Out: texts of files below the roots, or why there is none. A path is resolved with all its links before it is
//! compared with the roots, so neither `..` nor a link leads outside.

use crate::exit::Failure;
use crate::files;
use engine_lenses::wire::Text;
use std::path::{Path, PathBuf};

/// Bytes of all files of one call.
const MAX_BYTES: usize = 32 << 20;

/// The folders, resolved.
pub(super) struct Roots(Vec<PathBuf>);

impl Roots {
    pub(super) fn new(folders: &[String]) -> Result<Self, Failure> {
        let resolved = |folder: &String| match std::fs::canonicalize(folder) {
            Ok(path) if path.is_dir() => Ok(path),
            Ok(_) => Err(Failure(format!("--root {folder} is no folder"))),
            Err(error) => Err(Failure(format!("--root {folder}: {error}"))),
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

    /// Where a path leads, if that is below a root. What is outside is refused before it is known whether it is there.
    fn resolve(&self, path: &str) -> Result<String, String> {
        let outside = || format!("{path} is not below the roots: {}", self.named());
        let candidates = self.0.iter().map(|root| root.join(path));
        let found = candidates.filter_map(|path| std::fs::canonicalize(path).ok());
        let mut inside = found.filter(|path| self.0.iter().any(|root| path.starts_with(root)));
        let inside = inside.next().ok_or_else(outside)?;
        inside.into_os_string().into_string().map_err(|_| format!("{path}: the name is not UTF-8"))
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
