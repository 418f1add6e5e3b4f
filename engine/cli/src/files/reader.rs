//! Where the files of a test are read: anywhere, or in the folders that somebody may see.
//!
//! In: paths. Out: what the functions of this module's parent say about them, where they may be looked at.

use super::{ResourcePaths, Text, Unreadable};
use std::path::Path;

/// Reads files that may be seen.
pub(crate) trait Files: Sync {
    /// The path as it is read, or why it is not.
    fn admit(&self, path: &str) -> Result<String, Unreadable>;

    /// As [`super::read`].
    fn read(&self, path: &str) -> Result<Text, Unreadable> {
        Ok(Text { name: path.to_owned(), ..super::read(&self.admit(path)?)? })
    }

    /// As [`super::entries`].
    fn entries(&self, folder: &str) -> Result<Vec<(String, bool)>, Unreadable> {
        super::entries(&self.admit(folder)?)
    }

    /// As [`super::policy_paths`].
    fn policy_paths(&self, path: &str) -> Result<Vec<String>, Unreadable> {
        let admitted = self.admit(path)?;
        let found = super::policy_paths(&admitted)?;
        Ok(found.into_iter().map(|found| as_given(found, &admitted, path)).collect())
    }

    /// As [`super::resource_paths`].
    fn resource_paths(&self, paths: &[String]) -> Result<ResourcePaths, Unreadable> {
        let admitted = paths.iter().map(|path| self.admit(path)).collect::<Result<Vec<_>, _>>()?;
        let pairs = || admitted.iter().zip(paths);
        let given =
            |found: String| pairs().fold(found, |found, (admitted, path)| as_given(found, admitted, path));
        let ResourcePaths { paths: found, ignored } = super::resource_paths(&admitted)?;
        Ok(ResourcePaths {
            paths: found.into_iter().map(given).collect(),
            ignored: ignored.into_iter().map(given).collect(),
        })
    }

    /// Whether there is a file of this path.
    fn is_file(&self, path: &str) -> bool {
        self.admit(path).is_ok_and(|path| Path::new(&path).is_file())
    }
}

/// A path that was found, beginning as the one that was given does.
fn as_given(found: String, admitted: &str, given: &str) -> String {
    match found.strip_prefix(admitted) {
        Some(rest) if admitted != given && (rest.is_empty() || rest.starts_with('/')) => {
            format!("{given}{rest}")
        }
        _ => found,
    }
}

/// Everything that this user may read.
pub(crate) struct Anywhere;

impl Files for Anywhere {
    fn admit(&self, path: &str) -> Result<String, Unreadable> {
        Ok(path.to_owned())
    }
}
