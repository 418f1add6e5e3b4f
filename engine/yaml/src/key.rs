//! Keys of maps: what Go's `interface{}` holds, what JSON makes of it, and which of them are the same.
//!
//! In: the entries of a map in written order. Out: one entry a key, and the repeated ones.
//! `Key::Float(1.5).text()` is `1.5`, as a message `1.5` and as a string key `"1.5"` in quotes.

use crate::float::{float, float32};
use engine_json::arrange::Arrange as _;
use engine_json::{Number, Str, Value, format_smolstr};
use std::fmt;

/// A key with the type that Go gives it: `1` and `"1"` are two keys to go-yaml, and one to JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    /// No key of JSON.
    Null,
    /// Above `i64::MAX`: no key of JSON in the original.
    Uint(u64),
    Text(Str),
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Key {
    /// Why JSON refuses the key, if it does.
    // Go: sigs.k8s.io/yaml `convertToJSONableObject`.
    pub(crate) fn refusal(&self, value: &Value) -> Option<String> {
        let shown = |value: &Value| if value.is_null() { "<nil>".to_owned() } else { go_syntax(value) };
        match self {
            Key::Null => {
                Some(format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {}", shown(value)))
            }
            Key::Uint(u) => {
                Some(format!("unsupported map key of type: uint64, key: {u:#x}, value: {}", shown(value)))
            }
            Key::Text(_) | Key::Bool(_) | Key::Int(_) | Key::Float(_) => None,
        }
    }

    /// The key in JSON.
    // Go: sigs.k8s.io/yaml `convertToJSONableObject`: floats as 32-bit ones.
    pub(crate) fn text(&self) -> Str {
        match self {
            Key::Text(text) => text.clone(),
            Key::Null => Str::new_static("<nil>"),
            Key::Uint(u) => format_smolstr!("{u:#x}"),
            Key::Bool(true) => Str::new_static("true"),
            Key::Bool(false) => Str::new_static("false"),
            Key::Int(i) => format_smolstr!("{i}"),
            #[expect(clippy::cast_possible_truncation, reason = "the original prints the 32-bit float")]
            Key::Float(f) => Str::new(float32(*f as f32)),
        }
    }
}

/// The key as Go's `%#v` prints it.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Text(text) => write!(f, "{}", quoted(text)),
            Key::Null | Key::Uint(_) => f.write_str(&self.text()),
            Key::Bool(b) => write!(f, "{b}"),
            Key::Int(i) => write!(f, "{i}"),
            Key::Float(x) => f.write_str(&float(*x)),
        }
    }
}

/// One entry of a map as it is written or merged.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) text: Str,
    pub(crate) value: Value,
    /// Bytes of the key.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line of the value, from 1.
    pub(crate) line: u32,
    /// How many duplicates were known when it was read.
    pub(crate) before: usize,
}

/// A key that its map has already.
#[derive(Clone, Debug)]
pub(crate) struct Duplicate {
    /// Bytes of the later key.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line of the value, from 1: the one the original names.
    pub(crate) line: u32,
    pub(crate) message: String,
}

type Merged = (Vec<(Str, Value)>, Vec<(usize, Duplicate)>);

/// One entry for each key, at its first place with its last value; and the repeated ones, each with the number of
/// duplicates that come before it.
pub(crate) fn merge_entries(entries: Vec<Entry>) -> Merged {
    let plain = |entries: Vec<Entry>| entries.into_iter().map(|entry| (entry.text, entry.value)).collect();
    if !has_repeats(&entries) {
        return (plain(entries), Vec::new());
    }
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let text = |at: &usize| entries.get(*at).map(|entry| &entry.text);
    order.arrange_by(|a, b| text(a).cmp(&text(b)).then(a.cmp(b)));
    let mut last: Vec<Option<Value>> = vec![None; entries.len()];
    let mut is_dropped = vec![false; entries.len()];
    let mut repeated = Vec::new();
    for group in order.chunk_by(|a, b| text(a) == text(b)) {
        for (n, at) in group.iter().enumerate().skip(1) {
            let Some(entry) = entries.get(*at) else { continue };
            let mut earlier = group.iter().take(n).filter_map(|at| entries.get(*at));
            if earlier.any(|other| other.key == entry.key) {
                repeated.push((*at, entry.before, duplicate(entry)));
            }
            let first = group.first().copied().unwrap_or_default();
            if let Some(slot) = last.get_mut(first) {
                *slot = Some(entry.value.clone());
            }
            if let Some(slot) = is_dropped.get_mut(*at) {
                *slot = true;
            }
        }
    }
    repeated.arrange_by_key(|(at, ..)| *at);
    let kept = entries.into_iter().zip(last).zip(is_dropped).filter(|(_, dropped)| !dropped);
    let merged = kept.map(|((entry, value), _)| (entry.text, value.unwrap_or(entry.value))).collect();
    (merged, repeated.into_iter().map(|(_, before, duplicate)| (before, duplicate)).collect())
}

fn has_repeats(entries: &[Entry]) -> bool {
    if entries.len() <= 12 {
        let seen = |n: usize, text: &Str| entries.iter().take(n).any(|other| other.text == *text);
        return entries.iter().enumerate().any(|(n, entry)| seen(n, &entry.text));
    }
    let mut texts: Vec<&Str> = entries.iter().map(|entry| &entry.text).collect();
    texts.arrange();
    texts.windows(2).any(|pair| pair.first() == pair.last())
}

fn duplicate(entry: &Entry) -> Duplicate {
    // Go: decode.go, `setMapIndex`.
    let message = format!("key {} already set in map", entry.key);
    Duplicate { start: entry.start, end: entry.end, line: entry.line, message }
}

/// How much of a value a message shows, in bytes.
const MAX_SHOWN: usize = 2000;

/// A value as Go's `%#v` prints it, with the keys of maps as texts; cut off where it is long.
pub(crate) fn go_syntax(value: &Value) -> String {
    let mut out = String::new();
    write_go_syntax(&mut out, value);
    out
}

fn write_go_syntax(out: &mut String, value: &Value) {
    if out.len() > MAX_SHOWN {
        return;
    }
    match value {
        Value::Null => out.push_str("interface {}(nil)"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(Number::Int(i)) => out.push_str(&Key::Int(*i).text()),
        Value::Number(Number::Uint(u)) => out.push_str(&Key::Uint(*u).text()),
        Value::Number(Number::Float(f)) => out.push_str(&Key::Float(*f).to_string()),
        Value::String(text) => out.push_str(&quoted(text)),
        Value::Array(list) => {
            out.push_str("[]interface {}{");
            for (n, item) in list.iter().enumerate().take(MAX_SHOWN) {
                out.push_str(if n > 0 { ", " } else { "" });
                write_go_syntax(out, item);
            }
            out.push('}');
        }
        Value::Object(map) => {
            out.push_str("map[interface {}]interface {}{");
            for (n, (key, item)) in map.sorted().into_iter().enumerate().take(MAX_SHOWN) {
                out.push_str(if n > 0 { ", " } else { "" });
                out.push_str(&quoted(key));
                out.push(':');
                write_go_syntax(out, item);
            }
            out.push('}');
        }
    }
}

/// A string as Go quotes it.
// Go: strconv.Quote.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{1f}' | '\u{7f}' => out.push_str(&format_smolstr!("\\x{:02x}", u32::from(c))),
            '\u{80}'..='\u{a0}' | '\u{ad}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                out.push_str(&format_smolstr!("\\u{:04x}", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}
