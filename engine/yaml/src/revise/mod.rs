//! A text that says something else, with its comments and its layout left alone.
//!
//! In: the text of one document and the value that it shall have. Out: the text with as little changed as we can, or written
//! anew where that fails: what comes out is read again, so it always has that value.
//! Example: `a: 1 # one\nb: 2\n` and `{a: 1, b: 3}` give `a: 1 # one\nb: 3\n`.

mod layout;

use crate::emit::to_yaml_ordered;
use crate::{Options, Source, SourceId, Spans, parse, parse_one};
use engine_json::{Map, Path, Str, Value};
use layout::{Piece, applied, behind_comment, block, indent_at, line_start, replaced};

/// How deep maps and lists are compared; what lies deeper is written anew.
const MAX_DEPTH: usize = 100;

/// The text of a document, so changed that it says `wanted`.
pub fn revise(text: &str, wanted: &Value) -> String {
    careful(text, wanted).unwrap_or_else(|| to_yaml_ordered(wanted))
}

/// With as little changed as we can; nothing where the outcome would say something else.
fn careful(text: &str, wanted: &Value) -> Option<String> {
    let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
    let parsed = parse(&source, &Options::default());
    let [document] = parsed.documents.as_slice() else { return None };
    let spans = document.spans(text);
    let mut revision = Revision { text, spans: &spans, pieces: Vec::new() };
    revision.value(&Path::root(), &document.value, wanted, 0)?;
    let changed = applied(text, revision.pieces)?;
    (parse_one(&changed).ok()? == *wanted).then_some(changed)
}

struct Revision<'t> {
    text: &'t str,
    spans: &'t Spans,
    pieces: Vec<Piece>,
}

impl Revision<'_> {
    /// Where a value begins and ends, without the blanks behind it.
    fn span(&self, path: &Path) -> Option<(usize, usize)> {
        let span = self.spans.value_span(path)?;
        let (from, to) = (span.start as usize, span.end as usize);
        Some((from, from + self.text.get(from..to)?.trim_end().len()))
    }

    /// What stands at a path is `old` and shall be `new`.
    fn value(&mut self, path: &Path, old: &Value, new: &Value, depth: usize) -> Option<()> {
        if old == new {
            return Some(());
        }
        let (from, to) = self.span(path)?;
        let body = self.text.get(from..to)?;
        let is_block = !body.starts_with(['{', '[', '&', '!']) && depth < MAX_DEPTH;
        match (old, new) {
            (Value::Object(old), Value::Object(new)) if is_block && keeps_some(old, new) => {
                self.map(path, old, new, depth)
            }
            (Value::Array(old), Value::Array(new)) if is_block && !new.is_empty() => {
                self.list(path, old, new, depth)
            }
            _ => self.whole(path, (from, to), new),
        }
    }

    /// A value in the place of another.
    fn whole(&mut self, path: &Path, (from, to): (usize, usize), new: &Value) -> Option<()> {
        let body = self.text.get(from..to)?;
        let is_flow = body.starts_with(['{', '[']);
        let line = line_start(self.text, from);
        let (Some(key), false) = (self.spans.key_span(path), is_flow) else {
            // An item of a list, or something in braces: in its place.
            let text = if is_flow || !body.contains('\n') {
                replaced(body, new)
            } else {
                block(new, indent_at(self.text, from)).trim_start().to_owned()
            };
            self.pieces.push(Piece { from, to, text });
            return Some(());
        };
        // The value of a key: all behind the colon, as the value may move to lines of its own or come back from there.
        let colon = key.end as usize + self.text.get(key.end as usize..)?.find(':')? + 1;
        let is_nested = matches!(new, Value::Object(map) if !map.is_empty())
            || matches!(new, Value::Array(items) if !items.is_empty());
        let indent = indent_at(self.text, key.start as usize);
        let text =
            if is_nested && self.text.get(line..from).is_some_and(|before| !before.contains(['{', '['])) {
                let deeper = if matches!(new, Value::Object(_)) { indent + 2 } else { indent };
                format!("\n{}", block(new, deeper))
            } else {
                format!(" {}", replaced(body, new))
            };
        self.pieces.push(Piece { from: colon, to: to.max(colon), text });
        Some(())
    }

    /// Keys that go, change, come and are renamed.
    fn map(&mut self, path: &Path, old: &Map, new: &Map, depth: usize) -> Option<()> {
        let renamed = renamed(old, new);
        for (key, value) in old.iter() {
            let here = path.join(key.clone());
            let name = renamed.iter().find(|(from, _)| *from == key).map(|(_, to)| *to);
            match name.or(Some(key)).and_then(|name| new.get(name)) {
                Some(wanted) => self.value(&here, value, wanted, depth + 1)?,
                None => self.without_key(&here, path, old)?,
            }
            if let Some(name) = name {
                let (from, to) =
                    self.spans.key_span(&here).map(|key| (key.start as usize, key.end as usize))?;
                let text = replaced(self.text.get(from..to)?, &Value::String(name.clone()));
                self.pieces.push(Piece { from, to, text });
            }
        }
        let was_there = |key: &Str| old.contains_key(key) || renamed.iter().any(|(_, to)| *to == key);
        let part = |entries: &[(&Str, &Value)]| {
            let added = entries.iter().filter(|(key, _)| !was_there(key));
            added.map(|(key, value)| ((*key).clone(), (*value).clone())).collect::<Map>()
        };
        let entries: Vec<_> = new.iter().collect();
        let (before, behind) = entries.split_at(entries.iter().position(|(key, _)| was_there(key))?);
        let (before, behind) = (part(before), part(behind));
        if !before.is_empty() {
            let firsts = old.keys().filter_map(|key| self.spans.key_span(&path.join(key.clone())));
            let first = firsts.map(|span| span.start as usize).min()?;
            let indent = indent_at(self.text, first);
            let lines = block(&Value::object(before), indent);
            let text = format!("{}\n{}", lines.trim_start(), " ".repeat(indent));
            self.pieces.push(Piece { from: first, to: first, text });
        }
        if !behind.is_empty() {
            let (from, to) = self.span(path)?;
            let text = format!("\n{}", block(&Value::object(behind), indent_at(self.text, from)));
            let to = behind_comment(self.text, to);
            self.pieces.push(Piece { from: to, to, text });
        }
        Some(())
    }

    /// A key goes with its lines; where a list's dash stands before it, the next key takes its place.
    fn without_key(&mut self, here: &Path, parent: &Path, old: &Map) -> Option<()> {
        let key = self.spans.key_span(here)?.start as usize;
        let (_, to) = self.span(here)?;
        let line = line_start(self.text, key);
        let end = self.text.get(to..)?.find('\n').map_or(self.text.len(), |at| to + at + 1);
        if self.text.get(line..key)?.trim().is_empty() {
            self.pieces.push(Piece { from: line, to: end, text: String::new() });
            return Some(());
        }
        let others = old.keys().filter_map(|other| self.spans.key_span(&parent.join(other.clone())));
        let next = others.map(|span| span.start as usize).filter(|start| *start > key).min()?;
        self.pieces.push(Piece { from: key, to: next, text: String::new() });
        Some(())
    }

    /// Items that change, go or come.
    fn list(&mut self, path: &Path, old: &[Value], new: &[Value], depth: usize) -> Option<()> {
        if new.len() < old.len() {
            let mut left = new.iter().peekable();
            for (at, item) in old.iter().enumerate() {
                if left.peek() == Some(&item) {
                    left.next();
                } else {
                    self.without_item(&path.join(at))?;
                }
            }
            return Some(());
        }
        for (at, (item, wanted)) in old.iter().zip(new).enumerate() {
            self.value(&path.join(at), item, wanted, depth + 1)?;
        }
        let Some(more) = new.get(old.len()..).filter(|more| !more.is_empty()) else { return Some(()) };
        let (first, _) = self.span(&path.join(0))?;
        let dash = self.text.get(..first)?.rfind('-')?;
        let (_, to) = self.span(path)?;
        let text = format!("\n{}", block(&Value::array(more.to_vec()), indent_at(self.text, dash)));
        let to = behind_comment(self.text, to);
        self.pieces.push(Piece { from: to, to, text });
        Some(())
    }

    fn without_item(&mut self, here: &Path) -> Option<()> {
        let (from, to) = self.span(here)?;
        let dash = self.text.get(..from)?.rfind('-')?;
        let line = line_start(self.text, dash);
        let end = self.text.get(to..)?.find('\n').map_or(self.text.len(), |at| to + at + 1);
        self.pieces.push(Piece { from: line, to: end, text: String::new() });
        Some(())
    }
}

/// Whether a map in block style stays one.
fn keeps_some(old: &Map, new: &Map) -> bool {
    old.keys().any(|key| new.contains_key(key)) || !renamed(old, new).is_empty()
}

/// The keys that have another name now: the text is the same, or the one name begins the other.
fn renamed<'m>(old: &'m Map, new: &'m Map) -> Vec<(&'m Str, &'m Str)> {
    let mut pairs: Vec<(&Str, &Str)> = Vec::new();
    for (key, value) in old.iter().filter(|(key, _)| !new.contains_key(key)) {
        let is_free = |name: &Str| !old.contains_key(name) && !pairs.iter().any(|(_, taken)| *taken == name);
        let is_same = |(name, now): &(&Str, &Value)| {
            is_free(name) && ((value.as_str().is_some() && *now == value) || name.starts_with(key.as_str()))
        };
        if let Some((name, _)) = new.iter().find(is_same) {
            pairs.push((key, name));
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
