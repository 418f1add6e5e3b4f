//! Policies as text, in the form in which people write them.
//!
//! In: a document whose keys stand in their order, and its comments. Out: YAML with two blanks, lists below their keys, long texts as blocks.

use crate::comments::{Lines, Placed};
use crate::expressions::formula::end_of_quote;
use engine_json::{Path, Value, to_json};
use std::fmt::Write as _;

/// How long a text may be on the line of its key.
const MAX_INLINE: usize = 90;
/// How long the items of a list on one line may be, and a single one.
const MAX_ITEM: usize = 24;
const MAX_ALONE: usize = 60;
/// Where the lines of a long text end.
const WIDTH: usize = 100;

/// A document, with comments above it.
pub(crate) fn document(comments: &[String], value: &Value) -> String {
    let mut placed = Placed::default();
    placed.at(&Path::root()).above.extend(comments.iter().cloned());
    commented(&placed, value)
}

/// A document with its comments.
pub(crate) fn commented(placed: &Placed, value: &Value) -> String {
    let mut writer = Writer { placed, out: String::new() };
    let root = placed.of(&Path::root());
    writer.comments(root.map_or(&[], |lines| &lines.above), 0);
    writer.value(value, &Path::root(), 0, false);
    writer.comments(root.map_or(&[], |lines| &lines.below), 0);
    writer.out
}

/// Whether a text is written line by line, so that comments may stand between its lines.
pub(crate) fn has_lines(text: &str) -> bool {
    text.contains('\n') && is_block(text)
}

struct Writer<'w> {
    placed: &'w Placed,
    out: String,
}

impl Writer<'_> {
    /// Comments on lines of their own.
    fn comments(&mut self, lines: &[String], indent: usize) {
        for line in lines {
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
    }

    /// A value from the beginning of a line on, or behind the dash of an item.
    fn value(&mut self, value: &Value, path: &Path, indent: usize, is_item: bool) {
        match value {
            Value::Object(map) => {
                for (at, (key, value)) in map.iter().enumerate() {
                    let path = path.join(key.clone());
                    let lines = self.placed.of(&path);
                    let is_behind = is_item && at == 0;
                    if !is_behind {
                        self.comments(lines.map_or(&[], |lines| &lines.above), indent);
                        let _ = write!(self.out, "{:indent$}", "");
                    }
                    let start = self.out.len();
                    self.out.push_str(&scalar(key));
                    self.out.push(':');
                    let is_code =
                        matches!(key.as_str(), "expression" | "messageExpression" | "valueExpression");
                    self.member(value, &path, indent + 2, is_code);
                    self.beside(lines, start);
                    self.comments(lines.map_or(&[], |lines| &lines.below), indent);
                }
            }
            Value::Array(list) => {
                for (at, one) in list.iter().enumerate() {
                    let path = path.join(at);
                    let lines = self.placed.of(&path);
                    self.comments(lines.map_or(&[], |lines| &lines.above), indent);
                    let first = one.as_object().and_then(|map| map.keys().next());
                    let of_first = first.and_then(|key| self.placed.of(&path.join(key.clone())));
                    self.comments(of_first.map_or(&[], |lines| &lines.above), indent);
                    let _ = write!(self.out, "{:indent$}", "");
                    let start = self.out.len();
                    self.out.push('-');
                    match one {
                        Value::Object(map) if !map.is_empty() => {
                            self.out.push(' ');
                            self.value(one, &path, indent + 2, true);
                        }
                        other => self.member(other, &path, indent + 2, false),
                    }
                    self.beside(lines, start);
                    self.comments(lines.map_or(&[], |lines| &lines.below), indent);
                }
            }
            other => self.out.push_str(&plain(other)),
        }
    }

    /// What stands behind a key or a dash.
    fn member(&mut self, value: &Value, path: &Path, indent: usize, is_code: bool) {
        let most = if value.as_array().is_some_and(|list| list.len() == 1) { MAX_ALONE } else { MAX_ITEM };
        let is_short = |one: &Value| one.as_str().is_some_and(|text| text.len() < most);
        match value {
            Value::Object(map) if map.is_empty() => self.out.push_str(" {}\n"),
            Value::Array(list) if list.is_empty() => self.out.push_str(" []\n"),
            Value::Array(list) if list.iter().all(is_short) && !self.placed.is_any_below(path) => {
                let texts: Vec<String> =
                    list.iter().map(|one| in_place(one.as_str().unwrap_or(""), true)).collect();
                let _ = writeln!(self.out, " [{}]", texts.join(", "));
            }
            Value::Object(_) | Value::Array(_) => {
                self.out.push('\n');
                self.value(value, path, indent, false);
            }
            Value::String(text) if is_block(text) => self.block(text, path, indent, is_code),
            other => {
                self.out.push(' ');
                self.out.push_str(&plain(other));
                self.out.push('\n');
            }
        }
    }

    fn block(&mut self, text: &str, path: &Path, indent: usize, is_code: bool) {
        let is_folded = !text.contains('\n');
        self.out.push_str(match (is_folded, text.ends_with('\n')) {
            (true, _) => " >-\n",
            (false, false) => " |-\n",
            (false, true) => " |\n",
        });
        let lines = if is_folded { folded(text, indent, is_code) } else { text.lines().collect() };
        let within = self.placed.of(path).map_or(&[][..], |lines| &lines.within);
        for (at, line) in lines.into_iter().enumerate() {
            let own = line.len() - line.trim_start().len();
            for (_, comment) in within.iter().filter(|(before, _)| *before == at) {
                let _ = writeln!(self.out, "{:1$}{comment}", "", indent + own);
            }
            if !line.is_empty() {
                let _ = write!(self.out, "{:indent$}", "");
            }
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    /// A comment on the line of what was written from here on, or above it where that is too long or begins a block.
    fn beside(&mut self, lines: Option<&Lines>, start: usize) {
        for comment in lines.into_iter().flat_map(|lines| &lines.beside) {
            let line = self.out.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
            let written = self.out.get(line..).unwrap_or("");
            let written = written.lines().next().unwrap_or("");
            let has_room = written.chars().count() + comment.chars().count() < WIDTH;
            let is_taken = written.contains(" #") || written.ends_with(['|', '-', '>']);
            if has_room && !is_taken {
                self.out.insert_str(line + written.len(), &format!(" {comment}"));
            } else {
                let indent = written.len() - written.trim_start().len();
                self.out.insert_str(line, &format!("{:indent$}{comment}\n", ""));
            }
        }
    }
}

/// Behind what a line of code may end.
const OPERATORS: [&str; 3] = [" &&", " ||", " +"];

/// The lines of a text that are read as one: each break stands for a single blank between words, in code for one behind an operator.
fn folded(text: &str, indent: usize, is_code: bool) -> Vec<&str> {
    let room = WIDTH.saturating_sub(indent);
    let (mut lines, mut from) = (Vec::new(), 0);
    loop {
        let rest = text.get(from..).unwrap_or("");
        if rest.chars().count() <= room {
            lines.push(rest);
            return lines;
        }
        let is_break = |at: &usize| {
            let (before, behind) = (rest.get(..*at).unwrap_or(""), rest.get(at + 1..).unwrap_or(""));
            !before.is_empty() && !before.ends_with(' ') && !behind.is_empty() && !behind.starts_with(' ')
        };
        let is_wanted = |at: &usize| {
            let before = text.get(..from + at).unwrap_or("");
            !is_code || (OPERATORS.iter().any(|sign| before.ends_with(sign)) && is_outside(before))
        };
        let breaks = || rest.match_indices(' ').map(|(at, _)| at).filter(is_break);
        let fits = |at: &usize| rest.get(..*at).is_some_and(|line| line.chars().count() <= room);
        // A written text that is too long is broken between its words.
        let fitting = || breaks().take_while(fits);
        let found = fitting().filter(is_wanted).last().or_else(|| fitting().last());
        let at = found.or_else(|| breaks().next()).unwrap_or(rest.len());
        lines.push(rest.get(..at).unwrap_or(""));
        from += at + 1;
        if from > text.len() {
            return lines;
        }
    }
}

/// Whether the written texts of some code have all ended.
fn is_outside(code: &str) -> bool {
    let mut rest = code;
    while let Some(at) = rest.find(['\'', '"']) {
        let quote = rest.get(at..).unwrap_or("");
        match end_of_quote(quote) {
            Some(end) => rest = quote.get(end..).unwrap_or(""),
            None => return false,
        }
    }
    true
}

/// Whether a text is written as a block: it is long, has several lines or would need marks before its quotes, and a block gives it back.
fn is_block(text: &str) -> bool {
    let needs_marks = text.contains('\'') && text.contains(['"', '\\']) && !is_plain(text, false);
    let is_long = text.len() > MAX_INLINE || text.contains('\n') || needs_marks;
    let is_faithful = !text.starts_with([' ', '\n', '\t'])
        && !text.ends_with("\n\n")
        && !text.ends_with(' ')
        && text.chars().all(|c| c == '\n' || !c.is_control())
        && !text.lines().any(|line| line.ends_with(' '))
        && !text.contains(['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']);
    is_long && is_faithful
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => to_json(other),
    }
}

/// Whether a text may stand without quotes; less may in the brackets of a list.
fn is_plain(text: &str, in_brackets: bool) -> bool {
    let is_safe = |c: char| {
        c.is_alphanumeric()
            || " ._-/():'*?!=<>&|$@+".contains(c)
            || (c.is_ascii_punctuation() && (!in_brackets || !":#,[]{}\"`".contains(c)))
    };
    let begins = text.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '_' || c == '(');
    begins
        && text.chars().all(is_safe)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([' ', ':'])
        && is_read_as_text(text)
}

/// A text on one line, in quotes where it needs them.
fn scalar(text: &str) -> String {
    in_place(text, false)
}

fn in_place(text: &str, in_brackets: bool) -> String {
    if is_plain(text, in_brackets) {
        return text.to_owned();
    }
    let is_printable = text.chars().all(|c| !c.is_control() && !"\u{85}\u{2028}\u{2029}\u{feff}".contains(c));
    let is_single = !text.contains('\'') || text.contains(['"', '\\']);
    if is_printable && is_single {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        engine_json::quote(text)
    }
}

/// Whether YAML reads it as this very text.
fn is_read_as_text(text: &str) -> bool {
    engine_yaml::parse_one(text).is_ok_and(|value| value.as_str() == Some(text))
}
