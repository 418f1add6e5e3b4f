//! Objects of YAML in a stream: documents, and the elements of the `items` of a list.
//!
//! In: a window on the stream. Out: the text of each object. A line decides: `---` ends a document, and a dash as far in as the first
//! one below `items:` begins an element. Whoever reads the text reads it as YAML, so that what was cut wrong is an error there.

use crate::item::{Fault, Form, Head, Item};
use crate::json::too_long;
use crate::window::{MAX_ITEM, Window};
use std::collections::VecDeque;
use std::io::Read;

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Document,
    /// Behind `items:`, in front of the first element.
    Items,
    /// Among elements whose dashes stand so far in.
    Elements(usize),
    /// Behind the elements of a list.
    Behind,
}

/// The objects of a stream of YAML.
pub(crate) struct Yaml {
    place: Place,
    head: Head,
    /// The text so far, and the line on which it begins.
    text: Vec<u8>,
    line: usize,
    is_too_long: bool,
    count: usize,
    found: VecDeque<Result<Item, Fault>>,
}

impl Yaml {
    pub(crate) fn new() -> Self {
        Yaml {
            place: Place::Document,
            head: Head { line: 1, ..Head::default() },
            text: Vec::new(),
            line: 1,
            is_too_long: false,
            count: 0,
            found: VecDeque::new(),
        }
    }

    /// The next object, or what is wrong in front of it.
    pub(crate) fn next(&mut self, window: &mut Window<impl Read>) -> Option<Result<Item, Fault>> {
        while self.found.is_empty() {
            let at = window.line;
            window.keep();
            window.pass_line();
            let line = window.kept();
            match line {
                None => self.is_too_long = true,
                Some(line) if line.is_empty() => {
                    self.end_document(at);
                    break;
                }
                Some(line) => self.line(&line, at),
            }
        }
        self.found.pop_front()
    }

    fn line(&mut self, line: &[u8], at: usize) {
        let is_separator = line.starts_with(b"---") && line.get(3).is_none_or(u8::is_ascii_whitespace);
        if is_separator {
            self.end_document(at);
            let says = line.get(3..).unwrap_or_default().trim_ascii();
            if !says.is_empty() && !says.starts_with(b"#") {
                self.push(line);
            }
            return;
        }
        let inset = line.iter().take_while(|byte| **byte == b' ').count();
        let says = line.trim_ascii();
        let is_nothing = says.is_empty() || says.starts_with(b"#");
        let is_dash = says == b"-" || says.starts_with(b"- ");
        match self.place {
            _ if is_nothing => {}
            Place::Document if inset == 0 && self.is_items(says) => self.place = Place::Items,
            Place::Items if is_dash => {
                self.text.clear();
                (self.head.is_opened, self.place, self.line) = (true, Place::Elements(inset), at);
            }
            // What is behind `items:` is no list: the document is what it is.
            Place::Items => self.place = Place::Document,
            Place::Elements(of) if is_dash && inset == of => {
                self.give(true);
                self.line = at;
            }
            Place::Elements(of) if inset <= of => {
                self.give(true);
                self.place = Place::Behind;
            }
            Place::Document | Place::Elements(_) | Place::Behind => {}
        }
        if inset == 0 && !matches!(self.place, Place::Elements(_)) {
            self.note(says);
        }
        if self.place != Place::Behind {
            self.push(line);
        }
    }

    fn is_items(&self, says: &[u8]) -> bool {
        let rest = says.strip_prefix(b"items:").map(<[u8]>::trim_ascii);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"#")) && self.head.may_be_list()
    }

    /// Takes down what a document says of its kind.
    fn note(&mut self, says: &[u8]) {
        for (name, place) in [("kind:", &mut self.head.kind), ("apiVersion:", &mut self.head.api_version)] {
            if let Some(value) = says.strip_prefix(name.as_bytes()) {
                let value = String::from_utf8_lossy(value);
                let value = value.split(" #").next().unwrap_or_default();
                value.trim().trim_matches(['"', '\'']).clone_into(place);
            }
        }
    }

    fn push(&mut self, line: &[u8]) {
        if self.text.len() + line.len() > MAX_ITEM {
            self.is_too_long = true;
            self.text.clear();
        }
        self.text.extend_from_slice(line);
    }

    /// Gives out the text so far, unless it is blank.
    fn give(&mut self, is_element: bool) {
        let text = std::mem::take(&mut self.text);
        let is_too_long = std::mem::take(&mut self.is_too_long);
        let line = self.line;
        if is_too_long {
            self.count += 1;
            return self.found.push_back(Err(too_long(line)));
        }
        let is_blank = |line: &[u8]| line.trim_ascii().is_empty() || line.trim_ascii().starts_with(b"#");
        if text.split(|byte| *byte == b'\n').all(is_blank) {
            return;
        }
        self.count += 1;
        let list = if is_element { self.head.list() } else { None };
        self.found.push_back(Ok(Item { text, form: Form::Yaml, number: self.count, line, list }));
    }

    /// Ends a document in front of this line.
    fn end_document(&mut self, at: usize) {
        match self.place {
            Place::Document | Place::Items => self.give(false),
            Place::Elements(_) => self.give(true),
            Place::Behind => {}
        }
        self.found.extend(self.head.fault().map(Err));
        self.place = Place::Document;
        self.head = Head { line: at + 1, ..Head::default() };
        self.line = at + 1;
        self.text.clear();
    }
}
