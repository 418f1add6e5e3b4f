//! Which test files there are under the given folders.
//!
//! In: folders or files, and the name that test files have. Out: paths in the order of the original: the entries of a
//! folder by name, a subfolder where its name stands.
//!
//! Mirrors: cmd/cli/kubectl-kyverno/test/load.go, commands/test/load.go.

use crate::files::{Files, Unreadable};
pub(super) use engine::clean_path as clean;

/// How deep folders may nest.
const MAX_DEPTH: usize = 64;

/// The test files under all these paths.
pub(super) fn find(paths: &[String], file_name: &str, files: &dyn Files) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for path in paths {
        if path.contains("://") {
            return Err(format!(
                "{path} is remote; podsieve makes no network requests: clone it, and give the folder"
            ));
        }
        let path = clean(path);
        // A file is taken for what it is; the original takes folders alone.
        if files.is_file(&path) {
            found.push(path);
        } else {
            walk(&path, file_name, 0, files, &mut found).map_err(|error| error.original)?;
        }
    }
    Ok(found)
}

fn walk(
    folder: &str,
    file_name: &str,
    depth: usize,
    files: &dyn Files,
    found: &mut Vec<String>,
) -> Result<(), Unreadable> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for (name, is_folder) in files.entries(folder)? {
        let path = join(folder, &name);
        if is_folder {
            walk(&path, file_name, depth + 1, files, found)?;
        } else if name == file_name {
            found.push(path);
        }
    }
    Ok(())
}

/// A path below a folder, unless it begins at the root.
pub(super) fn below(folder: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { join(folder, path) }
}

/// Two paths as one.
// Go: filepath.Join.
pub(super) fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() { clean(path) } else { clean(&format!("{folder}/{path}")) }
}

/// The folder of a file.
// Go: filepath.Dir.
pub(super) fn folder_of(path: &str) -> String {
    path.rsplit_once('/').map_or_else(|| ".".to_owned(), |(folder, _)| clean(&format!("{folder}/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_as_go_cleans_them() {
        for (given, wanted) in [
            ("", "."),
            ("./a//b/", "a/b"),
            ("a/../../b", "../b"),
            ("/../a/.", "/a"),
            ("a/..", "."),
            ("../..", "../.."),
        ] {
            assert_eq!(clean(given), wanted, "{given}");
        }
        assert_eq!(join("a/b", "../c.yaml"), "a/c.yaml");
        assert_eq!(below("a", "/c.yaml"), "/c.yaml");
        assert_eq!(folder_of("kyverno-test.yaml"), ".");
        assert_eq!(folder_of("a/b/t.yaml"), "a/b");
    }
}
