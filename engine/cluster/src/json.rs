//! Objects of JSON in a stream: one after the other, one a line, or the `items` of a list.
//!
//! In: a window on the stream. Out: the text of each object. Brackets and strings are counted here and nothing else: whoever reads
//! the text reads it strictly, so that what is not JSON is an error there.

use crate::item::{Fault, Form, Head, Item};
use crate::window::{MAX_ITEM, Window};
use std::io::Read;

/// Where the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between objects.
    Between,
    /// Among the keys of an object.
    Keys,
    /// Among the elements of an object's `items`.
    Items,
    /// Among the elements of an array that is in no object.
    Array,
}

/// The longest name of a kind, or key, that is looked at.
const MAX_NAME: usize = 512;

/// What goes on until the brackets that it opened are closed.
#[derive(Default)]
struct Depth {
    open: usize,
    in_string: bool,
    is_escaped: bool,
}

impl Depth {
    /// Goes on over these bytes; how many belong to the value, where it ends among them.
    fn over(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.in_string {
                if self.is_escaped {
                    self.is_escaped = false;
                    at += 1;
                    continue;
                }
                let found = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default())?;
                at += found + 1;
                if bytes.get(at - 1) == Some(&b'"') {
                    self.in_string = false;
                    if self.open == 0 {
                        return Some(at);
                    }
                } else {
                    self.is_escaped = true;
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.open += 1,
                b'}' | b']' if self.open <= 1 => return Some(at + usize::from(self.open == 1)),
                b'}' | b']' => self.open -= 1,
                b',' | b' ' | b'\n' | b'\r' | b'\t' if self.open == 0 => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// The objects of a stream of JSON.
pub(crate) struct Json {
    place: Place,
    head: Head,
    count: usize,
    /// What a list says of itself before its elements, without them: `{"kind":"PodList","metadata":{…},"items":`.
    before: Vec<u8>,
    /// The same behind its elements: `,"kind":"List"}`.
    pub(crate) around: Option<(Vec<u8>, Vec<u8>)>,
}

/// What comes next.
type Next = Option<Result<Item, Fault>>;

impl Json {
    pub(crate) fn new() -> Self {
        Json { place: Place::Between, head: Head::default(), count: 0, before: Vec::new(), around: None }
    }

    /// The next object, or what is wrong in front of it.
    pub(crate) fn next(&mut self, window: &mut Window<impl Read>) -> Next {
        loop {
            pass_blanks(window, self.place != Place::Between);
            let Some(byte) = window.peek() else { return self.end(window) };
            let found = match self.place {
                Place::Between => self.between(window, byte),
                Place::Keys => self.key(window, byte),
                Place::Items | Place::Array => self.element(window, byte),
            };
            if found.is_some() {
                return found;
            }
        }
    }

    fn end(&mut self, window: &mut Window<impl Read>) -> Next {
        let is_cut = std::mem::replace(&mut self.place, Place::Between) != Place::Between;
        window.forget();
        is_cut.then(|| Err(self.head.cut(window.line)))
    }

    fn between(&mut self, window: &mut Window<impl Read>, byte: u8) -> Next {
        match byte {
            b'{' => {
                self.head = Head { line: window.line, ..Head::default() };
                window.keep();
                window.advance(1);
                self.place = Place::Keys;
                None
            }
            b'[' => {
                self.head = Head { line: window.line, ..Head::default() };
                window.advance(1);
                self.place = Place::Array;
                None
            }
            // `kubectl cluster-info dump` writes the logs of all Pods among the objects.
            b'=' if window.ahead(LOGS.len()).starts_with(LOGS) => {
                while !window.rest().is_empty() && !window.ahead(LOGS_END.len()).starts_with(LOGS_END) {
                    window.pass_line();
                }
                window.pass_line();
                None
            }
            b'#' => {
                window.pass_line();
                None
            }
            b'-' if window.ahead(3).starts_with(b"---") => {
                window.pass_line();
                None
            }
            _ => Some(self.lost(window, "this is not an object of JSON")),
        }
    }

    /// A fault, and on to the next line that begins with an object.
    fn lost(&mut self, window: &mut Window<impl Read>, what: &str) -> Result<Item, Fault> {
        let line = window.line;
        window.forget();
        self.place = Place::Between;
        loop {
            window.pass_line();
            if matches!(window.peek(), None | Some(b'{' | b'[')) {
                break;
            }
        }
        let last = window.line.saturating_sub(1).max(line);
        let message = format!("{what}: lines {line} to {last} are not evaluated");
        Err(Fault { line, message })
    }

    fn key(&mut self, window: &mut Window<impl Read>, byte: u8) -> Next {
        match byte {
            b'}' => {
                window.advance(1);
                self.place = Place::Between;
                self.closed(window)
            }
            b'"' => {
                let Some(key) = name(window) else { return Some(self.lost(window, CUT)) };
                pass_blanks(window, false);
                if window.peek() != Some(b':') {
                    return Some(self.lost(window, "a key without a value"));
                }
                window.advance(1);
                pass_blanks(window, false);
                self.value(window, &key)
            }
            _ => Some(self.lost(window, "this is not JSON")),
        }
    }

    fn value(&mut self, window: &mut Window<impl Read>, key: &str) -> Next {
        let first = window.peek();
        match (key, first) {
            ("items", Some(b'[')) if self.head.may_be_list() && !self.head.is_opened => {
                self.before = window.kept().unwrap_or_default();
                window.advance(1);
                (self.head.is_opened, self.place) = (true, Place::Items);
            }
            ("kind" | "apiVersion", Some(b'"')) => {
                let Some(value) = name(window) else { return Some(self.lost(window, CUT)) };
                *(if key == "kind" { &mut self.head.kind } else { &mut self.head.api_version }) = value;
            }
            _ => {
                if !pass_value(window) {
                    return self.end(window);
                }
            }
        }
        None
    }

    fn element(&mut self, window: &mut Window<impl Read>, byte: u8) -> Next {
        if byte == b']' {
            window.advance(1);
            if self.place == Place::Array {
                self.place = Place::Between;
            } else {
                self.place = Place::Keys;
                window.keep();
            }
            return None;
        }
        let line = window.line;
        window.keep();
        if !pass_value(window) {
            return self.end(window);
        }
        let text = window.kept();
        if byte != b'{' {
            if text.is_some_and(|text| text.is_empty()) {
                return Some(self.lost(window, "this is not JSON"));
            }
            return Some(Err(Fault { line, message: "an element of the list is not an object".to_owned() }));
        }
        Some(self.item(text, line))
    }

    /// An object that is read to its end: given out, unless its elements were.
    fn closed(&mut self, window: &mut Window<impl Read>) -> Next {
        let text = window.kept();
        if self.head.is_opened {
            self.around = Some((std::mem::take(&mut self.before), text.unwrap_or_default()));
            return self.head.fault().map(Err);
        }
        let line = self.head.line;
        Some(self.item(text, line))
    }

    fn item(&mut self, text: Option<Vec<u8>>, line: usize) -> Result<Item, Fault> {
        self.count += 1;
        let number = self.count;
        let list = if self.head.is_opened { self.head.list() } else { None };
        match text {
            Some(text) => Ok(Item { text, form: Form::Json, number, line, list }),
            None => Err(too_long(line)),
        }
    }
}

/// How `kubectl cluster-info dump` begins and ends the logs of a container.
const LOGS: &[u8] = b"==== START logs";
const LOGS_END: &[u8] = b"==== END logs";

const CUT: &str = "the text ends inside a name";

/// That an object is longer than one may be.
pub(crate) fn too_long(line: usize) -> Fault {
    let message = format!("this object has more than {} MiB and is not evaluated", MAX_ITEM >> 20);
    Fault { line, message }
}

impl Head {
    /// That the stream ends inside what begins here.
    pub(crate) fn cut(&self, line: usize) -> Fault {
        let message = format!(
            "the text ends on line {line}, inside what begins here: it was cut off, and what is missing is not evaluated"
        );
        Fault { line: self.line, message }
    }
}

fn pass_blanks(window: &mut Window<impl Read>, with_commas: bool) {
    loop {
        let is_blank = |byte: &u8| {
            matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0xef | 0xbb | 0xbf) || with_commas && *byte == b','
        };
        let rest = window.rest();
        let count = rest.iter().take_while(|byte| is_blank(byte)).count();
        let is_all = count == rest.len() && count > 0;
        window.advance(count);
        if !is_all {
            return;
        }
    }
}

/// Passes a value; whether it ends before the stream does.
fn pass_value(window: &mut Window<impl Read>) -> bool {
    let mut depth = Depth::default();
    loop {
        let rest = window.rest();
        if rest.is_empty() {
            return false;
        }
        let (length, end) = (rest.len(), depth.over(rest));
        window.advance(end.unwrap_or(length));
        if end.is_some() {
            return true;
        }
    }
}

/// A short string as it is written, without its quotes; of a longer one the beginning.
fn name(window: &mut Window<impl Read>) -> Option<String> {
    let mut depth = Depth::default();
    let mut text = Vec::new();
    loop {
        let rest = window.rest();
        if rest.is_empty() {
            return None;
        }
        let end = depth.over(rest);
        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        text.extend(part.iter().take(MAX_NAME.saturating_sub(text.len())));
        let length = part.len();
        window.advance(length);
        if end.is_some() {
            let text = String::from_utf8_lossy(&text).into_owned();
            return Some(text.trim_matches('"').to_owned());
        }
    }
}
