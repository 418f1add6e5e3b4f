//! Whole runs of the built `podsieve`, held against recorded runs of the original.
//!
//! In: a recorded run: files, arguments, standard output, exit code, written files. Out: three verdicts: exit code,
//! output, files; and a fourth where lines about deprecated kinds are compared. What changes from run to run (seconds since 1970, the order of report entries) is evened out.

use crate::compare::{self, Difference, Tally};
use crate::suites::Deprecations;
use crate::{recorded, rows};
use engine::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The built program: beside this one, as cargo puts them, or that which `PODSIEVE` names.
pub fn find() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("PODSIEVE") {
        return Ok(named.into());
    }
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let name = format!("podsieve{}", std::env::consts::EXE_SUFFIX);
    let beside =
        here.ancestors().skip(1).take(2).map(|folder| folder.join(&name)).find(|path| path.is_file());
    let beside = beside.ok_or_else(|| {
        "podsieve is not built: run `cargo build -p engine-cli` with the same profile".to_owned()
    })?;
    if is_older_than_sources(&beside).unwrap_or(false) {
        let name = beside.display();
        return Err(format!(
            "{name} is older than the sources it is made of: run `cargo build -p engine-cli` with the same profile"
        ));
    }
    Ok(beside)
}

/// The built program, or a line that says what is skipped without it. Where everything must run (`CI=true`) a missing
/// program is a failure: a test that did not run would look as if it had passed.
///
/// # Panics
/// Where it is missing and must not be.
#[expect(clippy::panic, reason = "a test that must run ends with the reason")]
pub fn find_or_skip() -> Option<PathBuf> {
    match find() {
        Ok(program) => Some(program),
        Err(reason) if std::env::var_os("CI").is_some_and(|ci| ci == "true") => panic!("{reason}"),
        Err(reason) => {
            recorded::say(&format!("skipped: {reason}"));
            None
        }
    }
}

/// Whether a source of the engine changed after the program was built: it would be evaluated for what it was.
fn is_older_than_sources(program: &Path) -> std::io::Result<bool> {
    let built = program.metadata()?.modified()?;
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if entry.file_type()?.is_dir() {
                if !["wasm", "tests", "target"].iter().any(|other| name == *other) {
                    folders.push(entry.path());
                }
            } else if name.to_string_lossy().ends_with(".rs")
                // Unit tests are not part of the program, and cargo does not build it anew for them.
                && name != "tests.rs"
                && entry.metadata()?.modified()? > built
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// A folder of its own that goes when it is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new empty folder.
    pub fn new() -> std::io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("podsieve-test-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Puts a file into it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> std::io::Result<()> {
        let path = self.0.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the program in a folder.
pub fn run(program: &Path, folder: &Path, arguments: &[&str], input: &str) -> std::io::Result<Output> {
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input closes it.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output()
}

/// Runs one recorded case.
pub fn check(
    (program, deprecations): (&Path, Deprecations),
    conformance: &Path,
    case: &Value,
    tally: &mut Tally,
    differences: &mut Vec<Difference>,
) {
    let name = compare::key(case);
    tally.cases += 1;
    let outcome = outcome(program, conformance, case);
    let (code, stdout, stderr, written) = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            tally.lost += 1;
            tally.verdicts += 1;
            differences.push(Difference {
                case: name,
                what: "no run".into(),
                expected: String::new(),
                got: error,
            });
            return;
        }
    };
    let wanted_code = case.get("exit").and_then(Value::as_i64).unwrap_or_default();
    let mut agree = true;
    let mut hold = |what: &str, expected: String, got: String| {
        tally.verdicts += 1;
        if expected == got {
            tally.verdicts_agree += 1;
            tally.words_agree += 1;
        } else {
            agree = false;
            differences.push(Difference { case: name.clone(), what: what.to_owned(), expected, got });
        }
    };
    hold("exit code", wanted_code.to_string(), code.to_string());
    let is_test = case.get("args").and_then(|args| args.at(0)).and_then(Value::as_str) == Some("test");
    let even = |text: &str| if is_test { rows::sorted(text) } else { evened(text) };
    let (recorded, deprecated) = without_deprecated(case.find_str(&["stdout"]));
    hold("standard output", even(&recorded), even(&stdout));
    if deprecations == Deprecations::Compared {
        hold("deprecated kinds", format!("{deprecated:#?}"), format!("{:#?}", without_deprecated(&stderr).1));
    }
    let wanted: BTreeMap<String, String> = case
        .get("written")
        .and_then(Value::as_object)
        .map(|map| {
            map.iter()
                .map(|(name, text)| (name.to_string(), text.as_str().unwrap_or("").to_owned()))
                .collect()
        })
        .unwrap_or_default();
    // What `resource.List` gives comes in another order from run to run in the original.
    let files = case.get("files").and_then(Value::as_object).into_iter().flat_map(engine::json::Map::values);
    let has_lists = files.filter_map(Value::as_str).any(|text| text.contains("resource.List("));
    let in_order = |files: BTreeMap<String, String>| -> BTreeMap<String, String> {
        let even = |text: String| {
            let mut documents: Vec<&str> = text.split("---\n").map(str::trim).collect();
            documents.sort_unstable();
            documents.join("\n---\n")
        };
        files.into_iter().map(|(name, text)| (name, if has_lists { even(text) } else { text })).collect()
    };
    let (wanted, written) = (in_order(wanted), in_order(written));
    hold("written files", format!("{wanted:#?}"), format!("{written:#?}"));
    tally.agree += usize::from(agree);
}

/// A text without its lines about kinds that Kyverno will remove, and those lines: file and kind, and what takes its place.
fn without_deprecated(text: &str) -> (String, BTreeSet<(&str, &str)>) {
    let mut lines = BTreeSet::new();
    let mut kept = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let parts = line.trim_start().strip_prefix("Warning: ").and_then(|line| {
            let (what, behind) =
                line.split_once(" is deprecated and will be removed in a future release; migrate to ")?;
            Some((what, behind.split_once(" (policies.kyverno.io), see ")?.0))
        });
        match parts {
            Some(parts) => _ = lines.insert(parts),
            None => kept.push_str(line),
        }
    }
    (kept, lines)
}

/// Exit code, standard output, standard error, written files.
pub(crate) type Outcome = (i32, String, String, BTreeMap<String, String>);

/// Runs one recorded case in a folder of its own.
pub(crate) fn outcome(program: &Path, conformance: &Path, case: &Value) -> Result<Outcome, String> {
    let arguments: Vec<&str> = case
        .get("args")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let files = case.get("files").and_then(Value::as_object);
    for (name, text) in files.into_iter().flat_map(engine::json::Map::iter) {
        scratch.write(name, text.as_str().unwrap_or("")).map_err(|error| error.to_string())?;
    }
    let folder = match case.find_str(&["in"]) {
        "" => scratch.path().to_path_buf(),
        place => conformance.join(place),
    };
    let output =
        run(program, &folder, &arguments, case.find_str(&["stdin"])).map_err(|error| error.to_string())?;
    let mut written = BTreeMap::new();
    collect(scratch.path(), scratch.path(), 0, &mut written);
    written.retain(|name, _| files.is_none_or(|files| !files.contains_key(name)));
    // Recorded by their names in the folder that the arguments call `OUT/`.
    let written = written
        .into_iter()
        .map(|(name, text)| (name.strip_prefix("OUT/").unwrap_or(&name).to_owned(), text))
        .collect();
    let code = output.status.code().unwrap_or(-1);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((code, text(&output.stdout), text(&output.stderr), written))
}

fn collect(root: &Path, folder: &Path, depth: usize, into: &mut BTreeMap<String, String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() && depth < 8 {
            collect(root, &path, depth + 1, into);
        } else if let (Ok(name), Ok(text)) = (path.strip_prefix(root), std::fs::read_to_string(&path)) {
            into.insert(name.to_string_lossy().into_owned(), text);
        }
    }
}

/// The text with seconds since 1970 taken out, and with the entries of reports and the documents in one order.
fn evened(text: &str) -> String {
    let text = without_seconds(text);
    if !text.contains("openreports.io/") && !text.contains("kind: PolicyException") {
        return if text.contains("\"kind\":\"PolicyException\"") { documents(&text) } else { text };
    }
    documents(&text)
}

/// The documents in one order, each with its entries in one order.
fn documents(text: &str) -> String {
    let mut documents: Vec<String> = text.split("---\n").map(entries).collect();
    documents.sort();
    documents.join("---\n")
}

fn entries(document: &str) -> String {
    let lines: Vec<String> = document.lines().map(json_entries).collect();
    let mut head = Vec::new();
    let mut items: Vec<Vec<String>> = Vec::new();
    let mut tail = Vec::new();
    for line in lines {
        if line.starts_with("- ") {
            items.push(vec![line]);
        } else if let Some(item) = items.last_mut().filter(|_| line.starts_with(' ') && tail.is_empty()) {
            item.push(line);
        } else if items.is_empty() {
            head.push(line);
        } else {
            tail.push(line);
        }
    }
    items.sort();
    head.extend(items.into_iter().flatten());
    head.extend(tail);
    head.join("\n") + "\n"
}

/// The results of a report on one line, in one order.
fn json_entries(line: &str) -> String {
    let parts =
        line.split_once("\"results\":[").and_then(|(head, rest)| Some((head, rest.strip_suffix("]}")?)));
    let Some((head, body)) = parts else { return line.to_owned() };
    let body = body.strip_prefix("{\"source\":").unwrap_or(body);
    let body = body.strip_suffix('}').unwrap_or(body);
    let mut items: Vec<&str> = body.split("},{\"source\":").collect();
    items.sort_unstable();
    format!("{head}\"results\":[{}]}}", items.join("},{\"source\":"))
}

/// The text without seconds since 1970.
pub(crate) fn without_seconds(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("seconds") {
        let (before, behind) = rest.split_at(at + "seconds".len());
        out.push_str(before);
        let digits = behind.trim_start_matches(['"', ':', ' ']);
        let (mark, _) = behind.split_at(behind.len() - digits.len());
        let number = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_time = digits.len() - number.len() >= 9;
        out.push_str(mark);
        if is_time {
            out.push('N');
        }
        rest = if is_time { number } else { digits };
    }
    out.push_str(rest);
    out
}
