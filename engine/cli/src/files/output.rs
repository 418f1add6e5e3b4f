//! Where `--output` puts mutated and generated objects.
//!
//! In: the path of the flag, the paths of the inputs, documents with names. Out: files; never one of the inputs, and never
//! outside the folder.

use super::{go_error, is_yaml, matching};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where objects go.
pub(crate) enum Output {
    /// All into one file.
    File(PathBuf),
    /// A file for each resource, or each generating policy.
    Folder(PathBuf),
}

/// Refuses an output of a flag that is one of the inputs: it would be emptied before it is read.
///
/// The original empties it, reads nothing and ends with 0.
pub(crate) fn refuse_input<'p>(
    flag: &str,
    output: &str,
    inputs: impl Iterator<Item = &'p String>,
) -> Result<(), String> {
    let Ok(target) = std::fs::canonicalize(output) else { return Ok(()) };
    if target.is_dir() {
        return Ok(());
    }
    let is_read =
        |path: &str| std::fs::canonicalize(path).is_ok_and(|path| path == target || is_above(&path, &target));
    let is_target = |path: &&String| match matching(path) {
        Some(found) => found.paths.iter().any(|path| is_read(path)),
        None => is_read(path),
    };
    match inputs.into_iter().find(is_target) {
        Some(input) if is_yaml(&target) || target.extension().is_some_and(|end| end == "json") => {
            Err(format!(
                "{flag}{output} is read as a part of `{input}`: writing would overwrite it; name another file"
            ))
        }
        _ => Ok(()),
    }
}

/// Whether a folder holds a file, at any depth.
fn is_above(folder: &Path, file: &Path) -> bool {
    folder.is_dir() && file.starts_with(folder)
}

/// Makes the file or the folder of `--output`; a file that is there loses what it held.
// Kyverno: commands/apply/log.go: what ends in `.yaml` or `.yml` is a file, everything else a folder.
pub(crate) fn prepare_output(path: &str) -> Result<Output, String> {
    let target = PathBuf::from(path);
    let failed = |error: std::io::Error| {
        let error = go_error("open", path, &error);
        format!("failed to create file/folder (failed to create file/folder ({error}))")
    };
    if !is_yaml(&target) {
        std::fs::create_dir_all(&target).map_err(failed)?;
        return Ok(Output::Folder(target));
    }
    if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(&target, "").map_err(failed)?;
    Ok(Output::File(target))
}

/// Names of files may have this many bytes on the usual systems.
const MAX_NAME: usize = 255;

/// Appends a document to `--output`; `name` is the name that its file has in a folder.
pub(crate) fn append(output: &Output, name: &str, text: &str) -> Result<(), String> {
    let path = match output {
        Output::File(path) => path.clone(),
        Output::Folder(folder) => folder.join(file_name(name)),
    };
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| go_error("open", &path.to_string_lossy(), &error))
}

/// The file of an object: a name from a resource leads nowhere but into the folder, and one that no file can have is cut.
fn file_name(name: &str) -> String {
    let is_unfit = |c: char| matches!(c, '/' | '\\' | '\0');
    let fit = name.replace(is_unfit, "_");
    let end = ".yaml";
    let room = MAX_NAME - end.len();
    let cut = if fit.len() > room { fit.floor_char_boundary(room) } else { fit.len() };
    format!("{}{end}", fit.get(..cut).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_name_stays_in_the_folder_and_fits_the_system() {
        assert_eq!(file_name("web-mutated"), "web-mutated.yaml");
        assert_eq!(file_name("../a\\b\0c"), ".._a_b_c.yaml");
        assert_eq!(file_name(&"ü".repeat(300)).len(), 255);
    }
}
