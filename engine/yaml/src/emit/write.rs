//! The writer: a value to lines.
//!
//! In: a value and the original to follow. Out: its text. The writer knows the column it stands in, whether a blank
//! stands before it, and whether the line holds nothing but indentation so far, as its originals do.
//!
//! Mirrors: go-yaml v2 and v3, emitterc.go.

use super::analyze::{Analysis, analyze, is_break, is_plain_string, is_printable};
use super::order::sorted;
use super::{Order, Style, number};
use engine_json::{Map, Str, Value};

/// Behind this column go-yaml v2 folds a scalar at its next blank.
const WIDTH: usize = 80;

/// A key of more bytes is written behind `?`.
const SIMPLE_KEY_BYTES: usize = 128;

/// What a node stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Root,
    Item,
    /// A key before its colon.
    SimpleKey,
    /// A key behind `?`.
    LongKey,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScalarStyle {
    Plain,
    Single,
    Double,
    Literal,
}

pub(super) struct Writer {
    style: Style,
    order: Order,
    /// How many blanks a level is indented.
    step: usize,
    out: String,
    /// Characters on the line so far.
    column: usize,
    /// A blank stands before the place to write at.
    is_after_blank: bool,
    /// The line holds nothing but indentation and the `-`, `?` and `:` of block collections.
    is_indentation: bool,
}

impl Writer {
    pub(super) fn new(style: Style, order: Order) -> Self {
        let step = if style == Style::V2 { 2 } else { 4 };
        let (is_after_blank, is_indentation) = (true, true);
        Writer { style, order, step, out: String::new(), column: 0, is_after_blank, is_indentation }
    }

    /// The same with another step.
    // Go: v3 `Encoder.SetIndent`.
    pub(super) fn by(self, step: usize) -> Self {
        Writer { step, ..self }
    }

    pub(super) fn document(mut self, value: &Value) -> String {
        self.node(value, None, Position::Root);
        self.indent_to(0);
        self.out
    }

    /// Writes a value; `indent` is the one of the collection around it. The depth is that of the value, which is
    /// bounded where values are read.
    fn node(&mut self, value: &Value, indent: Option<usize>, place: Position) {
        match value {
            Value::Null => self.scalar("null", true, indent, place),
            Value::Bool(b) => self.scalar(if *b { "true" } else { "false" }, true, indent, place),
            Value::Number(n) => self.scalar(&number(self.style, *n), true, indent, place),
            Value::String(text) => self.scalar(text, is_plain_string(self.style, text), indent, place),
            Value::Array(list) if list.is_empty() => self.indicator("[]"),
            Value::Object(map) if map.is_empty() => self.indicator("{}"),
            Value::Array(list) => self.list(list, indent, place),
            Value::Object(map) => self.map(map, indent, place),
        }
    }

    /// The indentation of what stands inside of a node at this place.
    // Go: emitterc.go, `yaml_emitter_increase_indent`.
    fn deeper(&self, indent: Option<usize>, place: Position) -> usize {
        match (self.style, indent) {
            (_, None) => 0,
            (Style::V2, Some(indent)) => indent + 2,
            // Go: v3 skips the `- ` of a list first, and else goes to the next multiple of the step.
            (Style::V3, Some(indent)) if place == Position::Item => indent + 2,
            (Style::V3, Some(indent)) => self.step * (indent / self.step.max(1) + 1),
        }
    }

    fn list(&mut self, list: &[Value], indent: Option<usize>, place: Position) {
        let is_in_map = place == Position::Value || place == Position::LongKey;
        // Go: v2 does not indent a list below its key.
        let inner = match indent {
            Some(indent) if self.style == Style::V2 && is_in_map && !self.is_indentation => indent,
            Some(_) | None => self.deeper(indent, place),
        };
        for item in list {
            self.indent_to(inner);
            self.block_indicator("-");
            self.node(item, Some(inner), Position::Item);
        }
    }

    fn map(&mut self, map: &Map, indent: Option<usize>, place: Position) {
        let inner = self.deeper(indent, place);
        let entries: Vec<(&Str, &Value)> = match self.order {
            Order::Sorted => sorted(self.style, map),
            Order::Written => map.iter().collect(),
        };
        for (key, value) in entries {
            self.indent_to(inner);
            let is_simple = key.len() <= SIMPLE_KEY_BYTES && !analyze(self.style, key).is_multiline;
            let is_plain = is_plain_string(self.style, key);
            if is_simple {
                self.scalar(key, is_plain, Some(inner), Position::SimpleKey);
                self.put(":");
                self.is_after_blank = false;
                self.is_indentation = false;
            } else {
                self.block_indicator("?");
                self.scalar(key, is_plain, Some(inner), Position::LongKey);
                self.indent_to(inner);
                self.block_indicator(":");
            }
            self.node(value, Some(inner), Position::Value);
        }
    }

    fn scalar(&mut self, text: &str, is_plain: bool, indent: Option<usize>, place: Position) {
        let style = choose(analyze(self.style, text), text, is_plain, place);
        let inner = match indent {
            Some(_) => self.deeper(indent, place),
            None => self.step,
        };
        // A key before its colon stays on one line.
        let width = if self.style == Style::V2 && place != Position::SimpleKey { WIDTH } else { usize::MAX };
        match style {
            ScalarStyle::Plain => self.plain(text, inner, width),
            ScalarStyle::Single => self.single(text, inner, width),
            ScalarStyle::Double => self.double(text, inner, width),
            ScalarStyle::Literal => self.literal(text, inner),
        }
    }

    fn plain(&mut self, text: &str, indent: usize, width: usize) {
        self.blank_before();
        let mut is_space = false;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c == ' ' && !is_space && self.column > width && chars.peek() != Some(&' ') {
                self.indent_to(indent);
            } else {
                self.put_char(c);
            }
            is_space = c == ' ';
            self.is_indentation &= is_space;
        }
        self.is_after_blank = false;
        self.is_indentation = false;
    }

    fn single(&mut self, text: &str, indent: usize, width: usize) {
        self.indicator("'");
        let (mut is_space, mut is_line_break) = (false, false);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            if c == ' ' {
                let may_fold = at > 0 && next.is_some_and(|next| next != ' ');
                if !is_space && self.column > width && may_fold {
                    self.indent_to(indent);
                } else {
                    self.put_char(c);
                }
                is_space = true;
            } else if is_break(c) {
                if !is_line_break && c == '\n' {
                    self.line_break('\n');
                }
                self.line_break(c);
                self.is_indentation = true;
                is_line_break = true;
            } else {
                if is_line_break {
                    self.indent_to(indent);
                }
                if c == '\'' {
                    self.put_char('\'');
                }
                self.put_char(c);
                self.is_indentation = false;
                (is_space, is_line_break) = (false, false);
            }
        }
        self.put("'");
        self.is_after_blank = false;
        self.is_indentation = false;
    }

    fn double(&mut self, text: &str, indent: usize, width: usize) {
        self.indicator("\"");
        let mut is_space = false;
        // Go: `is_bom` looks at the start of the text, so that all of it is escaped behind a byte order mark.
        let is_all_escaped = text.starts_with('\u{feff}');
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if is_all_escaped || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
                self.escaped(c);
                is_space = false;
            } else if c == ' ' {
                let next = chars.peek().map(|(_, next)| *next);
                if !is_space && self.column > width && at > 0 && next.is_some() {
                    self.indent_to(indent);
                    if next == Some(' ') {
                        self.put_char('\\');
                    }
                } else {
                    self.put_char(c);
                }
                is_space = true;
            } else {
                self.put_char(c);
                is_space = false;
            }
        }
        self.put("\"");
        self.is_after_blank = false;
        self.is_indentation = false;
    }

    fn escaped(&mut self, c: char) {
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' | '\\' => c,
            '\u{85}' => 'N',
            '\u{a0}' => '_',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ => {
                let code = u32::from(c);
                let long = match code {
                    0..=0xff => format!("\\x{code:02X}"),
                    0x100..=0xffff => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                };
                return self.put(&long);
            }
        };
        self.put_char('\\');
        self.put_char(short);
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.indicator("|");
        if text.starts_with(|c: char| c == ' ' || is_break(c)) {
            // Go: the digit of the indentation step, whatever the indentation really is.
            self.put(&self.step.to_string());
        }
        let mut last = text.chars().rev();
        match (last.next().map(is_break), last.next().map(is_break)) {
            (Some(true), Some(false)) => {}
            (Some(true), Some(true) | None) => self.put("+"),
            (Some(false) | None, _) => self.put("-"),
        }
        self.line_break('\n');
        self.is_indentation = true;
        self.is_after_blank = true;
        let mut is_line_break = true;
        for c in text.chars() {
            if is_break(c) {
                self.line_break(c);
                self.is_indentation = true;
                is_line_break = true;
            } else {
                if is_line_break {
                    self.indent_to(indent);
                }
                self.put_char(c);
                self.is_indentation = false;
                is_line_break = false;
            }
        }
    }

    /// Goes to this indentation, on a new line unless nothing else stands on this one.
    // Go: emitterc.go, `yaml_emitter_write_indent`.
    fn indent_to(&mut self, indent: usize) {
        if !self.is_indentation || self.column > indent || (self.column == indent && !self.is_after_blank) {
            self.line_break('\n');
        }
        while self.column < indent {
            self.put_char(' ');
        }
        self.is_after_blank = true;
        self.is_indentation = true;
    }

    fn blank_before(&mut self) {
        if !self.is_after_blank {
            self.put_char(' ');
        }
    }

    /// Writes a mark behind which content follows.
    fn indicator(&mut self, mark: &str) {
        self.blank_before();
        self.put(mark);
        self.is_after_blank = false;
        self.is_indentation = false;
    }

    /// Writes a mark of a block collection: what follows on the line may be another collection.
    fn block_indicator(&mut self, mark: &str) {
        self.blank_before();
        self.put(mark);
        self.is_after_blank = false;
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn put_char(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn line_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }
}

/// The style in which a text is written.
// Go: encode.go, `stringv`, then emitterc.go, `yaml_emitter_select_scalar_style`.
fn choose(analysis: Analysis, text: &str, is_plain: bool, place: Position) -> ScalarStyle {
    let is_key = place == Position::SimpleKey;
    if text.contains('\n') {
        let is_block = analysis.block_allowed && !is_key;
        return if is_block { ScalarStyle::Literal } else { ScalarStyle::Double };
    }
    if !is_plain {
        return ScalarStyle::Double;
    }
    if is_key && analysis.is_multiline {
        return ScalarStyle::Double;
    }
    if analysis.plain_allowed && !(text.is_empty() && is_key) {
        return ScalarStyle::Plain;
    }
    if analysis.single_quoted_allowed { ScalarStyle::Single } else { ScalarStyle::Double }
}
