//! The only place that touches files and standard input.
//!
//! In: paths, patterns and `-`, as the arguments name them. Out: texts with names, in the order of the original:
//! a directory of policies is walked without hidden names, a directory of resources gives its own YAML files only.

use globset::{GlobBuilder, GlobMatcher};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// How deep directories may nest; links that lead in circles end here.
const MAX_DEPTH: usize = 64;

/// A text and what to call it.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A path that cannot be read, in words of ours and in those of the original.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) path: String,
    /// `open nope.yaml: no such file or directory`
    pub(crate) original: String,
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(path: &str) -> Result<Text, Unreadable> {
    let unreadable = |original: String| Unreadable { path: path.to_owned(), original };
    if path == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut bytes);
        read.map_err(|error| unreadable(go_error("read", "/dev/stdin", &error)))?;
        return into_text("-", bytes).map_err(unreadable);
    }
    let bytes = std::fs::read(path).map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound && path.contains(char::REPLACEMENT_CHARACTER) {
            return unreadable(format!("open {path}: the name of this file is not UTF-8: give it another"));
        }
        let action = if error.kind() == std::io::ErrorKind::IsADirectory { "read" } else { "open" };
        unreadable(go_error(action, path, &error))
    })?;
    into_text(path, bytes).map_err(unreadable)
}

fn into_text(name: &str, bytes: Vec<u8>) -> Result<Text, String> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Text { name: name.to_owned(), text }),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..at).unwrap_or_default();
            let line = before.split(|byte| *byte == b'\n').count();
            Err(format!("{name}: line {line} is not UTF-8 (byte {at} of the file): save the file as UTF-8"))
        }
    }
}

/// An error of the system as Go tells it.
// Go: fs.PathError, with the texts of syscall.Errno.
fn go_error(action: &str, path: &str, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let what = match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::NotADirectory => "not a directory".to_owned(),
        _ => error.to_string(),
    };
    format!("{action} {path}: {what}")
}

/// The policy files that a path stands for.
// Kyverno: policy/load.go, fsLoad: hidden names are passed over, and only `.yaml` and `.yml` are read.
pub(crate) fn policy_paths(path: &str) -> Result<Vec<String>, Unreadable> {
    if path == "-" {
        return Ok(vec![path.to_owned()]);
    }
    if let Some(found) = matching(path) {
        return found;
    }
    let mut found = Vec::new();
    walk(Path::new(path), 0, &mut found)
        .map_err(|error| Unreadable { path: path.to_owned(), original: go_error("stat", path, &error) })?;
    Ok(found)
}

fn walk(path: &Path, depth: usize, found: &mut Vec<String>) -> std::io::Result<()> {
    let about = std::fs::metadata(path)?;
    if is_hidden(path) || depth > MAX_DEPTH {
        return Ok(());
    }
    if about.is_dir() {
        for entry in sorted_entries(path)? {
            walk(&entry, depth + 1, found)?;
        }
    } else if is_yaml(path) {
        found.push(path.to_string_lossy().into_owned());
    }
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// What the paths of a command stand for that the original does not have.
#[derive(Default)]
pub(crate) struct Opened {
    pub(crate) paths: Vec<String>,
    /// What stands for no file, or cannot be looked into.
    pub(crate) lost: Vec<Unreadable>,
}

/// A file that is named is read whatever its name is; a folder is walked for YAML and JSON, without hidden names.
pub(crate) fn opened(paths: &[String]) -> Opened {
    let mut opened = Opened::default();
    for path in paths {
        if Path::new(path).is_dir() {
            open_below(Path::new(path), 0, &mut opened);
            continue;
        }
        match matching(path) {
            None => opened.paths.push(path.clone()),
            Some(Ok(files)) => opened.paths.extend(files),
            Some(Err(unreadable)) => opened.lost.push(unreadable),
        }
    }
    opened
}

fn open_below(folder: &Path, depth: usize, opened: &mut Opened) {
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let entries = match sorted_entries(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let path = name(folder);
            opened.lost.push(Unreadable { original: go_error("open", &path, &error), path });
            return;
        }
    };
    for entry in entries.iter().filter(|entry| !is_hidden(entry)) {
        if entry.is_dir() {
            if depth < MAX_DEPTH {
                open_below(entry, depth + 1, opened);
            }
        } else if is_yaml(entry) || entry.extension().is_some_and(|extension| extension == "json") {
            opened.paths.push(name(entry));
        }
    }
}

/// What the resource paths stand for.
pub(crate) struct ResourcePaths {
    pub(crate) paths: Vec<String>,
    /// Paths that the original passes over without a word: all others where the first is a directory or `-`.
    pub(crate) ignored: Vec<String>,
}

/// The resource files that the paths stand for.
// Kyverno: utils/common/common.go: only the first path is looked at.
pub(crate) fn resource_paths(paths: &[String]) -> Result<ResourcePaths, Unreadable> {
    let mut expanded = Vec::new();
    for path in paths {
        match matching(path) {
            Some(found) => expanded.extend(found?),
            None => expanded.push(path.clone()),
        }
    }
    let (Some(first), rest) = (expanded.first(), expanded.iter().skip(1).cloned().collect()) else {
        return Ok(ResourcePaths { paths: expanded, ignored: Vec::new() });
    };
    if first == "-" {
        return Ok(ResourcePaths { paths: vec![first.clone()], ignored: rest });
    }
    let unreadable =
        |error: std::io::Error| Unreadable { path: first.clone(), original: go_error("stat", first, &error) };
    if !std::fs::metadata(first).map_err(unreadable)?.is_dir() {
        return Ok(ResourcePaths { paths: expanded, ignored: Vec::new() });
    }
    let entries = sorted_entries(Path::new(first)).map_err(unreadable)?;
    let yaml = entries.iter().filter(|entry| is_yaml(entry));
    Ok(ResourcePaths {
        paths: yaml.map(|entry| entry.to_string_lossy().into_owned()).collect(),
        ignored: rest,
    })
}

/// The names in a folder with whether each is a folder itself, in order; links to folders are not followed.
pub(crate) fn entries(folder: &str) -> Result<Vec<(String, bool)>, Unreadable> {
    let unreadable = |error: std::io::Error| Unreadable {
        path: folder.to_owned(),
        original: go_error("open", folder, &error),
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        found.push((entry.file_name().to_string_lossy().into_owned(), is_folder));
    }
    found.sort();
    Ok(found)
}

fn sorted_entries(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut entries =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// The YAML and JSON files under a pattern; `None` where the path is no pattern, or is itself a file.
fn matching(path: &str) -> Option<Result<Vec<String>, Unreadable>> {
    if !path.contains(['*', '?', '[', '{']) || Path::new(path).exists() {
        return None;
    }
    let glob = match GlobBuilder::new(path).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            return Some(Err(Unreadable {
                path: path.to_owned(),
                original: format!("pattern {path}: {}", error.kind()),
            }));
        }
    };
    // The walk begins at the last folder in front of the first special character.
    let literal = path.split(['*', '?', '[', '{']).next().unwrap_or("");
    let root = literal.rfind('/').map_or(".", |end| literal.get(..=end).unwrap_or("."));
    let mut found = Vec::new();
    let walked = walk_glob(Path::new(root), &glob, 0, &mut found);
    let error = match walked {
        Err(error) => go_error("open", root, &error),
        Ok(()) if found.is_empty() => format!("pattern {path}: no file has such a name"),
        Ok(()) => return Some(Ok(found)),
    };
    Some(Err(Unreadable { path: path.to_owned(), original: error }))
}

fn walk_glob(
    folder: &Path,
    glob: &GlobMatcher,
    depth: usize,
    found: &mut Vec<String>,
) -> std::io::Result<()> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for entry in sorted_entries(folder)? {
        let path = entry.strip_prefix("./").unwrap_or(&entry);
        if entry.is_dir() {
            if !is_hidden(path) {
                walk_glob(&entry, glob, depth + 1, found)?;
            }
        } else if glob.is_match(path) || glob.is_match(&entry) {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

/// Where `--output` puts mutated and generated objects.
pub(crate) enum Output {
    /// All into one file.
    File(PathBuf),
    /// A file for each resource, or each generating policy.
    Folder(PathBuf),
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

/// Appends a document to `--output`; `name` is the name that its file has in a folder.
pub(crate) fn append(output: &Output, name: &str, text: &str) -> Result<(), String> {
    let path = match output {
        Output::File(path) => path.clone(),
        // A name from a resource leads nowhere but into the folder.
        Output::Folder(folder) => folder.join(format!("{}.yaml", name.replace(['/', '\\'], "_"))),
    };
    let opened = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| go_error("open", &path.to_string_lossy(), &error))
}

/// A path as it is seen from a folder.
pub(crate) fn relative(folder: &str, path: &str) -> Result<String, String> {
    let absolute = |path: &str| std::path::absolute(path).map_err(|error| go_error("stat", path, &error));
    let (folder, path) = (absolute(folder)?, absolute(path)?);
    let (from, to): (Vec<_>, Vec<_>) = (folder.components().collect(), path.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n(std::path::Component::ParentDir, from.len() - common);
    let way: PathBuf = up.chain(to.into_iter().skip(common)).collect();
    Ok(way.to_string_lossy().into_owned())
}

/// Writes a file; one that is there loses what it held.
pub(crate) fn overwrite(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| go_error("open", path, &error))
}

/// Writes a new file into a folder, which is made if it is not there; an existing file is left as it is.
pub(crate) fn create(folder: &str, name: &str, text: &str) -> Result<String, String> {
    std::fs::create_dir_all(folder).map_err(|error| go_error("mkdir", folder, &error))?;
    let path = Path::new(folder).join(name);
    let shown = path.to_string_lossy().into_owned();
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(shown),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(format!("{shown} is already there: take it away, or name another folder with --output"))
        }
        Err(error) => Err(go_error("open", &shown, &error)),
    }
}
