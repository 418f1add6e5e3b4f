//! Files of a commit, read by the installed git.
//!
//! In: a reference and paths. Out: the texts of the YAML files below them, as they are in the commit; or what went wrong and what to do.
//!
//! Nothing is checked out and nothing is run but git's own `rev-parse`, `merge-base`, `for-each-ref`, `ls-tree` and `cat-file`, so hooks, filters and attributes of a
//! stranger's commit count for nothing (`git archive` would obey `export-ignore`). Git fetches nothing, replaces nothing, and asks nobody.

use crate::files::Text;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// More entries of a commit are not listed.
const MAX_ENTRIES: usize = 100_000;
/// Longer files are not read.
const MAX_FILE: u64 = 64 << 20;
/// All files of a side together.
const MAX_SIDE: u64 = 1 << 30;
/// So much is read of an answer that is no file.
const MAX_SAID: u64 = 1 << 20;
/// So many references are looked through for one that may be meant.
const MAX_REFS: &str = "--count=10000";
/// So long may git take for one answer.
const LIMIT: Duration = Duration::from_mins(1);

/// What of the environment git is given.
const KEPT: [&str; 6] = ["PATH", "HOME", "XDG_CONFIG_HOME", "USERPROFILE", "SYSTEMROOT", "TMPDIR"];

/// The files of a commit.
pub(super) struct Commit {
    pub(super) texts: Vec<Text>,
    /// What is called as a policy's file and is not read, each with the reason.
    pub(super) lost: Vec<String>,
}

/// A git process that ends when its time is over.
struct Running {
    child: Arc<Mutex<Child>>,
    /// Its watcher ends when this goes.
    _ends: Sender<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut child) = self.child.lock() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    for (name, value) in [
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    command.args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn begin(arguments: &[&str]) -> Result<(Running, Child3), String> {
    let mut child = command(arguments)
        .spawn()
        .map_err(|error| format!("git cannot be run ({error}): install it, or give two folders"))?;
    let (Some(input), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err("git has no streams".to_owned());
    };
    let child = Arc::new(Mutex::new(child));
    let (ends, is_over) = channel();
    let watched = Arc::clone(&child);
    std::thread::spawn(move || {
        if is_over.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout)
            && let Ok(mut child) = watched.lock()
        {
            let _ = child.kill();
        }
    });
    Ok((Running { child, _ends: ends }, Child3 { input, output, errors }))
}

/// The streams of a process.
struct Child3 {
    input: std::process::ChildStdin,
    output: std::process::ChildStdout,
    errors: std::process::ChildStderr,
}

/// What git says in one line; or its error.
fn line(arguments: &[&str]) -> Result<String, String> {
    let [out, errors] = said(arguments)?;
    let line = out.lines().next().unwrap_or_default().trim().to_owned();
    if line.is_empty() { Err(errors.trim().to_owned()) } else { Ok(line) }
}

/// What git says, and its errors; of a longer answer the beginning.
fn said(arguments: &[&str]) -> Result<[String; 2], String> {
    let (_running, streams) = begin(arguments)?;
    drop(streams.input);
    let read = |from: &mut dyn Read| {
        let mut bytes = Vec::new();
        let _ = from.take(MAX_SAID).read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let Child3 { mut output, mut errors, .. } = streams;
    Ok([read(&mut output), read(&mut errors)])
}

/// Whether a word names a commit.
pub(super) fn is_ref(word: &str) -> bool {
    resolve(word).is_ok()
}

/// The commit that a reference names.
pub(super) fn resolve(word: &str) -> Result<String, String> {
    if word.is_empty() || word.contains(['\0', '\n']) {
        return Err("a reference is a word: `main`, `HEAD~1`, a commit".to_owned());
    }
    let commit = format!("{word}^{{commit}}");
    line(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).map_err(|_| {
        // Without `--quiet` git says why; what it says of a repository matters more than of the reference.
        match line(&["rev-parse", "--git-dir"]) {
            Err(why) if why.contains("dubious ownership") => first_lines(&why),
            Err(why) if why.contains("not a git repository") => {
                format!("`{word}` is not a path, and this is not a git repository")
            }
            Err(why) if !why.is_empty() => first_lines(&why),
            _ => format!(
                "`{word}` is neither a path nor a commit of this repository: fetch it, or correct the name{}",
                nearest(word)
            ),
        }
    })
}

/// The references that are called much the same: `; did you mean `main`?`
fn nearest(word: &str) -> String {
    let listed = said(&["for-each-ref", MAX_REFS, "--format=%(refname:short)"]);
    let [known, _] = listed.unwrap_or_default();
    let plain = word.trim_start_matches('-');
    let near = engine_lenses::writing::near::names(plain, known.lines().chain(["HEAD"]));
    let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) }
}

/// The last commit that two have in common.
pub(super) fn merge_base(old: &str, new: &str) -> Result<String, String> {
    line(&["merge-base", old, new]).map_err(|why| {
        let why = if why.is_empty() { String::new() } else { format!(" ({})", first_lines(&why)) };
        format!("these commits have no common one here{why}: a shallow clone needs `fetch-depth: 0`")
    })
}

fn first_lines(text: &str) -> String {
    text.lines().take(6).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// An entry that may be a policy's file.
struct Entry {
    id: String,
    path: String,
}

/// The policy files of a commit below paths.
pub(super) fn read(commit: &str, paths: &[String]) -> Result<Commit, String> {
    let mut lost = Vec::new();
    let entries = list(commit, paths, &mut lost)?;
    let texts = blobs(&entries, &mut lost)?;
    Ok(Commit { texts, lost })
}

fn list(commit: &str, paths: &[String], lost: &mut Vec<String>) -> Result<Vec<Entry>, String> {
    let trimmed: Vec<&str> = paths.iter().map(|path| plain(path)).collect();
    let mut arguments = vec!["ls-tree", "-r", "-z", commit, "--"];
    // Without a path all of the folder that the run is in.
    arguments.extend(trimmed.iter().filter(|path| !path.is_empty()));
    let (_running, streams) = begin(&arguments)?;
    drop(streams.input);
    let mut entries = Vec::new();
    let mut reader = BufReader::new(streams.output);
    let mut row = Vec::new();
    let mut count = 0;
    while reader.by_ref().take(1 << 16).read_until(0, &mut row).map_err(|error| error.to_string())? > 0 {
        count += 1;
        if count > MAX_ENTRIES {
            return Err(format!(
                "the commit has more than {MAX_ENTRIES} files below these paths: name the folders of policies"
            ));
        }
        entries.extend(entry(&row, &trimmed, lost));
        row.clear();
    }
    if count == 0 {
        let mut errors = String::new();
        let _ = streams.errors.take(1 << 16).read_to_string(&mut errors);
        if !errors.trim().is_empty() {
            return Err(first_lines(&errors));
        }
    }
    Ok(entries)
}

fn plain(path: &str) -> &str {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    if path == "." { "" } else { path }
}

/// A row `mode type id TAB path`; nothing of what is not a policy's file by its name.
fn entry(row: &[u8], paths: &[&str], lost: &mut Vec<String>) -> Option<Entry> {
    let row = row.strip_suffix(&[0]).unwrap_or(row);
    let tab = row.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = row.split_at_checked(tab)?;
    let (head, name) = (String::from_utf8_lossy(head), String::from_utf8_lossy(path.get(1..)?));
    let mut words = head.split(' ');
    let (mode, id) = (words.next()?, words.nth(1)?);
    let is_named = paths.iter().any(|path| *path == name);
    // As in a folder: hidden names are passed over, and only YAML is read.
    let below = paths
        .iter()
        .filter_map(|path| name.strip_prefix(path))
        .min_by_key(|rest| rest.len())
        .unwrap_or(&name);
    let is_hidden = below.split('/').any(|part| part.starts_with('.') && part.len() > 1);
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if !is_named && (is_hidden || !is_yaml) {
        return None;
    }
    let why = match mode {
        "120000" => "is a symbolic link, which is not followed in a commit",
        "160000" => "is a submodule, which is not read",
        _ if std::str::from_utf8(path).is_err() => "has a name that is not UTF-8",
        _ => return Some(Entry { id: id.to_owned(), path: name.into_owned() }),
    };
    lost.push(format!("`{name}` {why}"));
    None
}

/// The contents of entries, all by one process.
fn blobs(entries: &[Entry], lost: &mut Vec<String>) -> Result<Vec<Text>, String> {
    if entries.is_empty() {
        return Ok(Vec::new());
    }
    let (_running, Child3 { mut input, output, errors }) = begin(&["cat-file", "--batch"])?;
    drop(errors);
    let ids: Vec<String> = entries.iter().map(|entry| format!("{}\n", entry.id)).collect();
    let asked = std::thread::spawn(move || ids.iter().try_for_each(|id| input.write_all(id.as_bytes())));
    let mut reader = BufReader::new(output);
    let (mut texts, mut total) = (Vec::new(), 0);
    for Entry { path, .. } in entries {
        let mut head = String::new();
        reader.by_ref().take(1 << 12).read_line(&mut head).map_err(|error| error.to_string())?;
        let mut words = head.split_whitespace().skip(1);
        let (kind, size) = (words.next(), words.next().and_then(|size| size.parse::<u64>().ok()));
        let (Some("blob"), Some(size)) = (kind, size) else {
            match kind {
                Some("missing") => lost
                    .push(format!("`{path}` is missing: this clone is partial, and nothing is fetched here")),
                Some(_) => lost.push(format!("`{path}` is not a file")),
                None => {
                    return Err(format!(
                        "git ended before it gave `{path}`, or took longer than {} s",
                        LIMIT.as_secs()
                    ));
                }
            }
            continue;
        };
        total += size;
        if size > MAX_FILE || total > MAX_SIDE {
            return Err(format!(
                "`{path}`: files of at most {} MiB, and {} MiB together, are read",
                MAX_FILE >> 20,
                MAX_SIDE >> 20
            ));
        }
        let mut bytes = Vec::new();
        reader.by_ref().take(size + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        bytes.pop();
        match String::from_utf8(bytes) {
            Ok(text) => texts.push(Text { name: path.clone(), text }),
            Err(_) => lost.push(format!("`{path}` is not UTF-8: save the file as UTF-8")),
        }
    }
    let _ = asked.join();
    Ok(texts)
}
