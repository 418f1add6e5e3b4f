//! The only place that touches files and standard input.
//!
//! In: paths, patterns and `-`, as the arguments name them. Out: texts with names, in the order of the original:
//! a directory of policies is walked without hidden names, a directory of resources gives its own YAML files only.

mod output;
mod reader;
mod regular;
mod streams;

pub(crate) use output::{append, prepare_output, refuse_input};
pub(crate) use reader::{Anywhere, Files};
pub(crate) use regular::is_folder;
pub(crate) use streams::{Stream, streams};

use globset::GlobBuilder;
use regular::{Refusal, about};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How deep directories may nest; what lies deeper is said, not read.
const MAX_DEPTH: usize = 64;

/// A text and what to call it.
#[derive(Clone)]
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
    let why = |action: &str, shown: &str, refusal: Refusal| match refusal {
        Refusal::System(error) => go_error(action, shown, &error),
        Refusal::Ours(words) => format!("{action} {shown}: {words}"),
    };
    if path == "-" {
        let bytes = regular::bounded(std::io::stdin().lock());
        let bytes = bytes.map_err(|refusal| unreadable(why("read", "/dev/stdin", refusal)))?;
        return into_text("-", bytes).map_err(unreadable);
    }
    let bytes = regular::read(path).map_err(|refusal| {
        let kind = if let Refusal::System(error) = &refusal { Some(error.kind()) } else { None };
        if kind == Some(std::io::ErrorKind::NotFound) && path.contains(char::REPLACEMENT_CHARACTER) {
            return unreadable(format!("open {path}: the name of this file is not UTF-8: give it another"));
        }
        let action = if kind == Some(std::io::ErrorKind::IsADirectory) { "read" } else { "open" };
        unreadable(why(action, path, refusal))
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

/// An error of the system as Go says it.
// Go: fs.PathError, with the texts of syscall.Errno.
fn go_error(action: &str, path: &str, error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    let what = match error.kind() {
        ErrorKind::NotFound => "no such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::IsADirectory => "is a directory".to_owned(),
        ErrorKind::NotADirectory => "not a directory".to_owned(),
        ErrorKind::InvalidFilename => "file name too long".to_owned(),
        // Go has the words of the system without its number, in small letters, and numbers differ from system to system.
        _ => {
            let words = error.to_string();
            let words = words.split(" (os error").next().unwrap_or_default().to_owned();
            words.get(..1).map(str::to_lowercase).unwrap_or_default() + words.get(1..).unwrap_or_default()
        }
    };
    format!("{action} {path}: {what}")
}

/// The folders on the way down to where a walk is, by their true paths.
#[derive(Default)]
struct Way(Vec<PathBuf>);

/// Why a walk goes no further down.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// A link leads to a folder that the walk came through.
    Circle,
    TooDeep,
}

impl End {
    fn about(self, path: &Path) -> Unreadable {
        let path = path.to_string_lossy().into_owned();
        let original = match self {
            // Go: syscall.ELOOP. The original follows such a link until the system refuses.
            End::Circle => format!("stat {path}: too many levels of symbolic links"),
            End::TooDeep => format!("open {path}: folders nest deeper than {MAX_DEPTH} here"),
        };
        Unreadable { path, original }
    }
}

impl Way {
    /// Does something inside a folder; not in one that the walk is in already, by whatever names it was reached.
    fn inside<T>(&mut self, folder: &Path, act: impl FnOnce(&mut Self) -> T) -> Result<T, End> {
        // What has no true path cannot be listed either, and listing it says why.
        let true_path = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        if self.0.contains(&true_path) {
            return Err(End::Circle);
        }
        if self.0.len() > MAX_DEPTH {
            return Err(End::TooDeep);
        }
        self.0.push(true_path);
        let done = act(self);
        self.0.pop();
        Ok(done)
    }
}

/// What the system says about a path, with the path.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Unreadable {
    move |error| {
        let path = path.to_string_lossy().into_owned();
        Unreadable { original: go_error(action, &path, &error), path }
    }
}

/// The policy files that a path stands for; one entry below a folder that cannot be looked at, or that leads in a circle,
/// loses the folder as a whole, as it does in the original.
// Kyverno: policy/load.go, fsLoad: hidden names are passed over, and only `.yaml` and `.yml` are read.
pub(crate) fn policy_paths(path: &str) -> Result<Vec<String>, Unreadable> {
    if path == "-" {
        return Ok(vec![path.to_owned()]);
    }
    if let Some(found) = matching(path) {
        return found.whole();
    }
    let mut found = Vec::new();
    match walk(Path::new(path), &mut Way::default(), &mut found) {
        // Go: filepath.Join. A file that is named keeps its name.
        Ok(()) if is_folder(path) => Ok(found.iter().map(|file| engine::clean_path(file)).collect()),
        Ok(()) => Ok(found),
        Err(lost) if lost.path == path => Err(lost),
        Err(Unreadable { path: entry, original }) => {
            let original = format!("{original}; so no file of `{path}` is read");
            Err(Unreadable { path: entry, original })
        }
    }
}

fn walk(path: &Path, way: &mut Way, found: &mut Vec<String>) -> Result<(), Unreadable> {
    let about = about(path).map_err(failed("stat", path))?;
    if is_hidden(path) {
        return Ok(());
    }
    if about.is_dir() {
        let entries = |way: &mut Way| -> Result<(), Unreadable> {
            for entry in sorted_entries(path).map_err(failed("open", path))? {
                walk(&entry, way, found)?;
            }
            Ok(())
        };
        return way.inside(path, entries).unwrap_or_else(|end| Err(end.about(path)));
    }
    if is_yaml(path) {
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

impl Opened {
    /// The paths, or the first that is lost.
    fn whole(self) -> Result<Vec<String>, Unreadable> {
        self.lost.into_iter().next().map_or(Ok(self.paths), Err)
    }
}

/// A file that is named is read whatever its name is; a folder is walked for YAML and JSON, without hidden names.
pub(crate) fn opened(paths: &[String]) -> Opened {
    let mut opened = Opened::default();
    for path in paths {
        if is_folder(path) {
            let is_wanted = |file: &Path| !is_hidden(file) && is_manifest(file);
            open_below(Path::new(path), &is_wanted, &mut Way::default(), &mut opened);
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
    opened
}

/// Finds the files below a folder that are wanted, without hidden folders. Links are followed, but not in a circle: what
/// such a link leads to is found without it.
fn open_below(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool, way: &mut Way, opened: &mut Opened) {
    let entries = |way: &mut Way| match sorted_entries(folder) {
        Err(error) => opened.lost.push(failed("open", folder)(error)),
        Ok(entries) => {
            for entry in entries {
                if !entry.is_dir() {
                    if is_wanted(&entry) {
                        opened.paths.push(entry.to_string_lossy().into_owned());
                    }
                } else if !is_hidden(&entry) {
                    open_below(&entry, is_wanted, way, opened);
                }
            }
        }
    };
    if way.inside(folder, entries) == Err(End::TooDeep) {
        opened.lost.push(End::TooDeep.about(folder));
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
            Some(found) => expanded.extend(found.whole()?),
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
    if !about(Path::new(first)).map_err(unreadable)?.is_dir() {
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

fn is_manifest(path: &Path) -> bool {
    is_yaml(path) || path.extension().is_some_and(|extension| extension == "json")
}

/// The files under a pattern, and what cannot be looked into; `None` where the path is not a pattern, or is itself a file.
fn matching(path: &str) -> Option<Opened> {
    if !path.contains(['*', '?', '[', '{']) || Path::new(path).exists() {
        return None;
    }
    let lost = |original: String| Unreadable { path: path.to_owned(), original };
    let mut found = Opened::default();
    let glob = match GlobBuilder::new(path).literal_separator(true).build() {
        Ok(glob) => glob.compile_matcher(),
        Err(error) => {
            found.lost.push(lost(format!("pattern {path}: {}", error.kind())));
            return Some(found);
        }
    };
    // The walk begins at the last folder in front of the first special character.
    let literal = path.split(['*', '?', '[', '{']).next().unwrap_or("");
    let root = literal.rfind('/').map_or(".", |end| literal.get(..=end).unwrap_or("."));
    let is_wanted = |file: &Path| glob.is_match(without_dot(file)) || glob.is_match(file);
    open_below(Path::new(root), &is_wanted, &mut Way::default(), &mut found);
    for file in &mut found.paths {
        *file = without_dot(Path::new(file)).to_string_lossy().into_owned();
    }
    if found.paths.is_empty() && found.lost.is_empty() {
        found.lost.push(lost(format!("pattern {path}: no file matches it")));
    }
    Some(found)
}

fn without_dot(path: &Path) -> &Path {
    path.strip_prefix("./").unwrap_or(path)
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

/// A text as the name of a folder: in lower-case letters, digits, hyphens and points, which every file system takes.
pub(crate) fn as_name(text: &str) -> String {
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        letter @ ('a'..='z' | '0'..='9' | '.') => letter,
        _ => '-',
    };
    text.chars().map(plain).collect()
}

/// Writes a file; one that is there loses what it held.
pub(crate) fn overwrite(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| go_error("open", path, &error))
}

/// Refuses a name of which a folder has a file already, so that nothing is written where not all can be.
pub(crate) fn refuse_existing(folder: &str, name: &str) -> Result<(), String> {
    if is_there(folder, name) { Err(already_there(folder, name)) } else { Ok(()) }
}

/// Whether a folder has a file of this name.
pub(crate) fn is_there(folder: &str, name: &str) -> bool {
    // A link that leads nowhere is there too.
    Path::new(folder).join(name).symlink_metadata().is_ok()
}

/// That a file is not overwritten, and what to do.
pub(crate) fn already_there(folder: &str, name: &str) -> String {
    let path = Path::new(folder).join(name);
    let path = path.to_string_lossy();
    format!("{path} is already there, and is not overwritten: delete it, or name another folder")
}

/// Writes a new file into a folder, which is made if it is not there; an existing file is left as it is.
pub(crate) fn create(folder: &str, name: &str, text: &str) -> Result<String, String> {
    std::fs::create_dir_all(folder).map_err(|error| go_error("mkdir", folder, &error))?;
    let path = Path::new(folder).join(name);
    let shown = path.to_string_lossy().into_owned();
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(shown),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(already_there(folder, name)),
        Err(error) => Err(go_error("open", &shown, &error)),
    }
}
