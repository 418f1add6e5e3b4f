//! The expression at a place of a text.
//!
//! In: a text of policies or exceptions, and a place in UTF-16 units. Out: a [`Site`]: the expression with the place of each of its
//! characters, however the scalar is written.

use super::fields::{self, Around, Field};
use engine_json::Value;
use engine_yaml::places::in_text;
use engine_yaml::{Document, LineIndex, Options, Source, SourceId, Span, Spans, parse};

/// A text with the fields of its documents that hold expressions.
pub(super) struct Sites {
    text: String,
    lines: LineIndex,
    documents: Vec<Document>,
}

/// An expression where it stands.
pub(super) struct Site {
    /// The document.
    pub(super) document: Value,
    /// The field.
    pub(super) field: Field,
    /// The expression.
    pub(super) source: String,
    /// How the scalar is written, and the one within it in a template, that one first: `'`, `"`, or anything else.
    styles: [char; 2],
    /// The place in the text of each byte of the expression, and of its end, in UTF-16 units.
    places: Vec<u32>,
}

impl Site {
    /// What the expression may use.
    pub(super) fn around(&self) -> Option<Around> {
        self.field.around(&self.document)
    }

    /// A text as it is written within the scalar.
    pub(super) fn written(&self, text: &str) -> String {
        self.styles.iter().fold(text.to_owned(), |text, style| match style {
            '\'' => text.replace('\'', "''"),
            '"' => text.replace('\\', "\\\\").replace('"', "\\\""),
            _ => text,
        })
    }

    /// The place in the text of a byte of the expression.
    pub(super) fn place(&self, byte: usize) -> u32 {
        self.places.get(byte).or(self.places.last()).copied().unwrap_or_default()
    }

    /// The stretch of the text that a stretch of the expression is.
    pub(super) fn stretch(&self, from: usize, to: usize) -> (u32, u32) {
        // What ends a stretch is written behind its last character, not before the next.
        let last = self.source.get(..to).and_then(|text| text.char_indices().next_back());
        let end = last.filter(|(at, _)| *at >= from).map_or(self.place(to), |(at, c)| {
            let width = u32::try_from(c.len_utf16()).unwrap_or(1);
            self.place(to).min(self.place(at).saturating_add(width)).max(self.place(at) + 1)
        });
        (self.place(from), end)
    }

    /// The byte of the expression at a place of the text.
    pub(super) fn byte(&self, at: u32) -> usize {
        let mut byte = self.places.partition_point(|place| *place < at).min(self.source.len());
        while !self.source.is_char_boundary(byte) {
            byte += 1;
        }
        byte
    }
}

impl Sites {
    /// Those of a text.
    pub(super) fn new(text: &str) -> Self {
        let source = Source { id: SourceId(0), name: String::new(), text: text.into() };
        let documents = parse(&source, &Options::default()).documents;
        Sites { text: text.to_owned(), lines: LineIndex::new(text), documents }
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = Site> {
        self.documents.iter().flat_map(move |document| {
            let spans = document.spans(&self.text);
            let fields = fields::of(&document.value).into_iter();
            fields.filter_map(move |field| self.site(document, &spans, field))
        })
    }

    /// The one at a place.
    pub(super) fn at(text: &str, at: u32) -> Option<Site> {
        let sites = Sites::new(text);
        sites.find(at).or_else(|| {
            // Somebody who types has not closed the quotes yet: they end with the line.
            let mended = closed(text, &sites.lines, at)?;
            Sites::new(&mended).find(at)
        })
    }

    fn find(&self, at: u32) -> Option<Site> {
        let begins_before = |document: &&Document| self.lines.utf16(document.span.start) <= at;
        let document = self.documents.iter().rev().find(begins_before)?;
        let spans = document.spans(&self.text);
        let holds = |span: Span| self.lines.utf16(span.start) <= at && at <= self.lines.utf16(span.end);
        let fields = fields::of(&document.value);
        let at_value = |field: &&Field| spans.value_span(&field.path).is_some_and(holds);
        // What is still empty has no place but its key.
        let at_key = |field: &&Field| {
            let key = spans.key_span(&field.path);
            let is_empty = document.value.at_path(field.path.iter()).is_none_or(Value::is_null);
            is_empty && key.is_some_and(|key| self.is_behind(key, at))
        };
        let is_whole = |field: &&Field| field.within.is_none();
        let whole = fields.iter().filter(is_whole);
        let Some(field) = whole.clone().find(at_value).or_else(|| whole.clone().find(at_key)).cloned() else {
            let parts = fields.iter().filter(|field| field.within.is_some() && at_value(field));
            let mut sites = parts.filter_map(|field| self.site(document, &spans, field.clone()));
            return sites.find(|site| site.place(0) <= at && at <= site.place(site.source.len()));
        };
        if document.value.at_path(field.path.iter()).is_none_or(Value::is_null) {
            let (document, source) = (document.value.clone(), String::new());
            return Some(Site { document, field, source, styles: [' '; 2], places: vec![at] });
        }
        self.site(document, &spans, field)
    }

    /// Whether a place stands behind a key and its colon, in the same line.
    fn is_behind(&self, key: Span, at: u32) -> bool {
        let rest = self.text.get(key.end as usize..).unwrap_or("");
        let line = rest.split('\n').next().unwrap_or("");
        let end = u32::try_from(line.len()).unwrap_or(u32::MAX).saturating_add(key.end);
        self.lines.utf16(key.end) < at && at <= self.lines.utf16(end)
    }

    fn site(&self, document: &Document, spans: &Spans, field: Field) -> Option<Site> {
        let source = document.value.at_path(field.path.iter())?.as_str()?.to_owned();
        let span = spans.value_span(&field.path)?;
        let written = self.text.get(span.start as usize..span.end as usize)?;
        // A scalar is walked along once; the index of lines would be asked for each character anew.
        let before = self.lines.utf16(span.start);
        let mut places = Vec::with_capacity(source.len() + 1);
        let (mut byte, mut units) = (0, before);
        for at in in_text(written, &source) {
            let between = written.get(byte..at).unwrap_or("");
            units += u32::try_from(between.chars().map(char::len_utf16).sum::<usize>()).unwrap_or(0);
            byte = byte.max(at);
            places.push(units);
        }
        let (document, style) = (document.value.clone(), written.chars().next().unwrap_or(' '));
        let Some(within) = field.within.clone() else {
            return Some(Site { document, field, source, styles: [' ', style], places });
        };
        let end = places.last().copied();
        let of_part = within.bytes.iter().filter_map(|byte| places.get(*byte).copied().or(end)).collect();
        let styles = [within.style, style];
        Some(Site { document, field, source: within.source.clone(), styles, places: of_part })
    }
}

/// The text with the quotes closed that a line at a place has opened.
fn closed(text: &str, lines: &LineIndex, at: u32) -> Option<String> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let here = |byte: usize| lines.utf16(u32::try_from(byte).unwrap_or(u32::MAX));
        if here(start) <= at && at <= here(end) {
            let (key, value) = line.split_once(": ")?;
            let quote = value.trim_start().chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
            let own = line.trim_end().len() + start;
            let is_open = key.trim_end().ends_with("xpression") && value.matches(quote).count() % 2 == 1;
            let (head, rest) = text.split_at_checked(own)?;
            return is_open.then(|| format!("{head}{quote}{rest}"));
        }
        start = end;
    }
    None
}
