//! `podsieve fix`: files of older forms in today's, comments and layout left alone.
//!
//! In: folders with test files. Out: on standard output each file that needs a change, with its lines; with `--save` the files. What
//! cannot be read or decided is named on standard error, with exit code 1.

mod form;

use super::find;
use crate::args::{Fix, FixCommand, FixTest};
use crate::exit::Failure;
use crate::files;
use crate::terminal::{self, plural};
use engine::json::{Path, Value};
use engine::yaml::{LineIndex, Options, Source, SourceId, parse, revise};
pub(super) use form::is_of_old_form;
use form::{Change, Fixed, Name};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Lines that are named of one kind of change.
const MAX_LINES: usize = 5;

/// Runs the command.
pub(crate) fn run(fix: &Fix) -> Result<u8, Failure> {
    let FixCommand::Test(arguments) = &fix.command;
    let paths = find::find(&arguments.paths, &arguments.file_name, &files::Anywhere)?;
    if paths.is_empty() {
        let name = &arguments.file_name;
        return Err(Failure(format!(
            "no test file is named `{name}`: older ones are named `test.yaml`, so try --file-name test.yaml"
        )));
    }
    let mut run = Run { arguments, read: BTreeSet::new(), changed: 0, failed: 0 };
    for path in &paths {
        run.test_file(path);
    }
    Ok(run.conclude())
}

/// What has been done so far.
struct Run<'a> {
    arguments: &'a FixTest,
    /// Every file that was looked at: tests share values.
    read: BTreeSet<String>,
    changed: usize,
    failed: usize,
}

impl Run<'_> {
    /// A test file, and the values and user info beside it.
    fn test_file(&mut self, path: &str) {
        let folder = find::folder_of(path);
        let mut beside = Vec::new();
        self.file(path, |value| {
            for (field, kind) in [("variables", "Values"), ("userinfo", "UserInfo")] {
                let named = Some(value.find_str(&[field])).filter(|name| !name.is_empty());
                beside.extend(named.map(|name| (find::below(&folder, name), kind)));
            }
            form::test(value, &LazyCell::new(|| names(value, &folder)))
        });
        for (path, kind) in beside {
            self.file(&path, |value| form::with_kind(value, kind));
        }
    }

    /// Brings each document of a file into today's form.
    fn file(&mut self, path: &str, mut fix: impl FnMut(&Value) -> Fixed) {
        if !self.read.insert(path.to_owned()) {
            return;
        }
        let text = match files::read(path) {
            Ok(text) => text.text,
            Err(error) => return self.fail(path, &error.original),
        };
        let source = Source { id: SourceId(0), name: path.to_owned(), text: text.as_str().into() };
        let parsed = parse(&source, &Options::default());
        let lines = LineIndex::new(&text);
        if let Some(finding) = parsed.findings.first() {
            let (line, _) = lines.position(finding.span.start);
            return self.fail(path, &format!("line {line}: {}", finding.message));
        }
        let mut fixed_text = String::new();
        let mut shown = Shown::default();
        let mut at = 0;
        for document in parsed.documents.iter().filter(|document| !document.value.is_null()) {
            let fixed = fix(&document.value);
            let spans = document.spans(&text);
            let line = |place: &Path| spans.key_span(place).map_or(document.span.start, |span| span.start);
            let line = |change: &Change| lines.position(line(&change.at)).0;
            for problem in &fixed.problems {
                self.fail(path, &format!("line {}: {}", line(problem), problem.words));
            }
            if fixed.changes.is_empty() {
                continue;
            }
            for change in &fixed.changes {
                shown.add(line(change), &change.words);
            }
            let (from, to) = (document.span.start as usize, document.span.end as usize);
            let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default();
            fixed_text.push_str(part(at..from));
            fixed_text.push_str(&revise(part(from..to), &fixed.value));
            at = to;
        }
        fixed_text.push_str(text.get(at..).unwrap_or_default());
        if shown.words.is_empty() {
            return;
        }
        self.changed += 1;
        terminal::print(&format!("{}\n{}", terminal::one_line(path), shown.lines()));
        if self.arguments.save
            && let Err(error) = files::overwrite(path, &fixed_text)
        {
            self.fail(path, &error);
        }
    }

    fn fail(&mut self, path: &str, why: &str) {
        self.failed += 1;
        terminal::say(&format!("error: {}: {why}\n", terminal::one_line(path)));
    }

    /// The last line, and the exit code.
    fn conclude(&self) -> u8 {
        let (looked_at, changed) = (plural(self.read.len(), "file"), self.changed);
        let of = format!("{changed} of {looked_at}");
        terminal::say(&match changed {
            0 => format!("{looked_at}: none needs a change\n"),
            _ if self.arguments.save => format!("{of} changed\n"),
            _ => format!("{of} to change: --save changes them\n"),
        });
        u8::from(self.failed > 0 || (self.arguments.check && changed > 0))
    }
}

/// Changes by their words, in the order in which each was first met.
#[derive(Default)]
struct Shown {
    words: Vec<(String, Vec<u32>)>,
}

impl Shown {
    fn add(&mut self, line: u32, words: &str) {
        match self.words.iter_mut().find(|(known, _)| known == words) {
            Some((_, lines)) => lines.push(line),
            None => self.words.push((words.to_owned(), vec![line])),
        }
    }

    fn lines(&self) -> String {
        let mut out = String::new();
        for (words, lines) in &self.words {
            let named: Vec<String> = lines.iter().take(MAX_LINES).map(u32::to_string).collect();
            let more = lines.len().saturating_sub(MAX_LINES);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let what = if lines.len() == 1 { "line" } else { "lines" };
            let _ = writeln!(out, "  {what} {}{more}: {words}", named.join(", "));
        }
        out
    }
}

/// The objects of the resource files of a test; files that cannot be read name none.
fn names(test: &Value, folder: &str) -> Vec<Name> {
    let listed = |field: &str| test.find(&[field]).and_then(Value::as_array).unwrap_or_default();
    let named = ["resources", "targetResources"].map(listed).into_iter().flatten().filter_map(Value::as_str);
    let mut names = Vec::new();
    for path in named.map(|path| find::below(folder, path)) {
        let Ok(text) = files::read(&path) else { continue };
        let source = Source { id: SourceId(0), name: path, text: text.text.as_str().into() };
        for document in parse(&source, &Options::default()).documents {
            let part = |field| document.value.find_str(&["metadata", field]).to_owned();
            let namespace = Some(part("namespace")).filter(|namespace| !namespace.is_empty());
            names.push((namespace.unwrap_or_else(|| "default".to_owned()), part("name")));
        }
    }
    names
}
