//! The quick reader for plain block YAML, as tools and people write it.
//!
//! In: the text of one document. Out: its value, or `None` for a document that holds anything this reader does not
//! know: the full reader then decides about all of it, errors and duplicate keys included. Known are block maps and
//! lists, plain and quoted scalars on one line, block scalars, `[]`, `{}` and lists of scalars in brackets.
//!
//! The reader goes by lines. A line belongs to the collection that stands at its column.

mod lines;
mod scalar;

use crate::limits::MAX_KEYS;
use engine_json::arrange::Arrange as _;
use engine_json::{MAX_DEPTH, Map, Str, Value};
use lines::Lines;
use scalar::{Found, FoundKey};

/// Longer texts go to the full reader, which counts their values.
const MAX_LENGTH: usize = 8 << 20;

/// The value of the first document of a text, if it is plain enough.
pub(crate) fn read(text: &str) -> Option<Value> {
    if text.len() > MAX_LENGTH || !lines::is_plain(text) {
        return None;
    }
    let mut reader = Fast { lines: Lines::new(text)?, entries: Vec::new(), items: Vec::new() };
    let indent = reader.lines.indent()?;
    let value = reader.block(indent, 0)?;
    // A line that is left is further out than the first one, or begins another document.
    reader.lines.indent().is_none().then_some(value)
}

/// Above this many keys it is worth to look for repeated ones before the map is made.
const SMALL_MAP: usize = 16;

/// Whether the line may begin or end a document.
fn is_marker(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...")
}

fn has_repeats(entries: &[(Str, Value)]) -> bool {
    let mut keys: Vec<&Str> = entries.iter().map(|(key, _)| key).collect();
    keys.arrange();
    keys.windows(2).any(|pair| pair.first() == pair.last())
}

struct Fast<'a> {
    lines: Lines<'a>,
    /// Entries and items of the collections that are still open, the innermost behind the others: so that each
    /// collection is allocated once, at its size.
    entries: Vec<(Str, Value)>,
    items: Vec<Value>,
}

impl<'a> Fast<'a> {
    /// The collection that begins on the line here, at this column.
    fn block(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if self.lines.is_item() {
            return self.list(indent, depth, false);
        }
        let first = self.lines.key()??;
        self.map(indent, depth, first)
    }

    /// `is_indentless` for a list at the column of its key, which ends where another key stands.
    fn list(&mut self, indent: usize, depth: usize, is_indentless: bool) -> Option<Value> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let start = self.items.len();
        while let Some(column) = self.lines.indent() {
            let is_item = self.lines.is_item();
            if column < indent || (column == indent && is_indentless && !is_item) {
                break;
            }
            if column > indent || !is_item {
                return None;
            }
            let item = self.item(indent, depth + 1)?;
            self.items.push(item);
        }
        Some(Value::array(self.items.drain(start..).collect()))
    }

    fn item(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if !self.lines.enter_item()? {
            return self.below(indent, depth);
        }
        let column = self.lines.indent()?;
        if self.lines.is_item() {
            return self.list(column, depth, false);
        }
        match self.lines.key()? {
            Some(first) => self.map(column, depth, first),
            None => self.scalar(indent),
        }
    }

    /// The value that stands on the lines below; `null` where there is none.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Value> {
        match self.lines.indent() {
            Some(column) if column > indent => self.block(column, depth),
            Some(_) | None => Some(Value::Null),
        }
    }

    /// The map whose first key is known already.
    fn map(&mut self, indent: usize, depth: usize, first: FoundKey<'a>) -> Option<Value> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let start = self.entries.len();
        let mut found = first;
        loop {
            if (indent == 0 && is_marker(self.lines.rest())) || self.entries.len() - start >= MAX_KEYS {
                return None;
            }
            self.lines.enter_value(found.length)?;
            let value = self.value(indent, depth + 1)?;
            self.entries.push((Str::new(found.key), value));
            match self.lines.indent() {
                Some(column) if column > indent => return None,
                Some(column) if column == indent => found = self.lines.key()??,
                Some(_) | None => break,
            }
        }
        let entries: Vec<(Str, Value)> = self.entries.drain(start..).collect();
        let count = entries.len();
        if count > SMALL_MAP && has_repeats(&entries) {
            return None;
        }
        let map = Map::from_entries(entries);
        // A repeated key is a finding, which the full reader makes.
        (map.len() == count).then(|| Value::object(map))
    }

    /// The value of a key, whose map stands at this column.
    fn value(&mut self, indent: usize, depth: usize) -> Option<Value> {
        if !self.lines.is_at_end() {
            return self.scalar(indent);
        }
        self.lines.next();
        if self.lines.indent() == Some(indent) && self.lines.is_item() {
            return self.list(indent, depth, true);
        }
        self.below(indent, depth)
    }

    /// The scalar on the rest of the line, in a collection at this column.
    fn scalar(&mut self, indent: usize) -> Option<Value> {
        match scalar::read(self.lines.rest())? {
            Found::Value(value) => {
                self.lines.next();
                // What is further in continues the scalar, or is an error.
                self.lines.indent().is_none_or(|column| column <= indent).then_some(value)
            }
            Found::Block(block) => self.lines.block_scalar(indent, block).map(Value::String),
        }
    }
}
