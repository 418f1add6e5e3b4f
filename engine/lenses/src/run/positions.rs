//! Where in the texts something stands.
//!
//! In: a bundle, and a path in one of its documents or a stretch of one of its texts. Out: a [`wire::Range`], in UTF-16 units
//! and lines.

use crate::wire;
use engine::load::{self, Bundle};
use engine::resource::DocumentId;
use engine_json::{Path, Str};
use engine_yaml::{LineIndex, Span, Spans};
use std::cell::OnceCell;

/// Turns paths and spans into ranges; the places of a document are looked up once.
pub struct Positions<'a> {
    bundle: &'a Bundle,
    places: Places,
}

/// What has been looked up: the lines of each source, the spans of each document.
#[derive(Default)]
pub(super) struct Places {
    lines: Vec<OnceCell<LineIndex>>,
    spans: Vec<OnceCell<Option<Spans>>>,
}

impl<'a> Positions<'a> {
    /// The positions of these texts; nothing is looked up yet.
    pub fn new(bundle: &'a Bundle) -> Self {
        Self::with(bundle, Places::default())
    }

    /// The positions of these texts, the first of which have been looked up before.
    pub(super) fn with(bundle: &'a Bundle, mut places: Places) -> Self {
        places.lines.resize_with(bundle.sources.len(), OnceCell::new);
        places.spans.resize_with(bundle.documents.len(), OnceCell::new);
        Positions { bundle, places }
    }

    /// What was looked up of the first so many texts and documents.
    pub(super) fn into_places(self, sources: usize, documents: usize) -> Places {
        let mut places = self.places;
        places.lines.truncate(sources);
        places.spans.truncate(documents);
        places
    }

    /// The lines of a place in a document.
    pub fn of_path(&self, document: DocumentId, path: &Path) -> Option<wire::Range> {
        self.of_span(self.span_of(document, path)?)
    }

    /// The stretch of text of a place in a document.
    pub(super) fn span_of(&self, document: DocumentId, path: &Path) -> Option<Span> {
        let spans = self.places.spans.get(document.0 as usize)?;
        let spans = spans.get_or_init(|| self.bundle.spans(document)).as_ref()?;
        Some(load::place(spans, path))
    }

    /// The lines of a stretch of a text.
    pub fn of_span(&self, span: Span) -> Option<wire::Range> {
        let at = span.source.0 as usize;
        let (role, source) = self.bundle.source(span.source)?;
        let lines = self.places.lines.get(at)?.get_or_init(|| LineIndex::new(&source.text));
        let same_role = self.bundle.sources.iter().take(at).filter(|(other, _)| other == role).count();
        // A block ends with the line break behind it; the line after that is not part of it.
        let text = source.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let end = span.start + u32::try_from(text.trim_end().len()).unwrap_or_default();
        let (line, column) = lines.position(span.start);
        Some(wire::Range {
            input: Str::new_static(role.as_str()),
            index: u32::try_from(same_role).unwrap_or(u32::MAX),
            name: source.name.as_str().into(),
            from: lines.utf16(span.start),
            to: lines.utf16(end),
            line,
            column,
            end_line: lines.position(end).0,
        })
    }
}
