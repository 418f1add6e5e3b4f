//! Diagnostics as snippets of the text they speak of, on standard error.
//!
//! In: diagnostics with spans. Out: for each its code, its words, file, line and the line itself, and what to do.
//! Colours only on a terminal.

use crate::terminal;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use engine::Bundle;
use engine::diag::{Diagnostic, Severity};
use engine::yaml::Span;
use std::fmt::Write;

/// More than this are not shown one by one.
const MAX_SHOWN: usize = 100;
/// Of those that say the same, so many are shown with their text; the others as places.
const MAX_ALIKE: usize = 3;
/// So many further places of what is said are listed.
const MAX_PLACES: usize = 20;
/// So many bytes of a line before and behind the place are looked at to draw it.
const MAX_BEFORE: usize = 4096;
const MAX_BEHIND: usize = 400;

/// Prints them all, errors and warnings in the order of the texts.
pub(crate) fn print(bundle: &Bundle, diagnostics: &[Diagnostic]) {
    if diagnostics.is_empty() {
        return;
    }
    let renderer = renderer();
    let mut out = String::new();
    let mut alike: Vec<Alike<'_>> = Vec::new();
    let mut left = MAX_SHOWN;
    let mut hidden = 0_usize;
    for diagnostic in diagnostics {
        if let Some(known) = alike.iter_mut().find(|known| known.says(diagnostic)) {
            known.count += 1;
            if known.count > MAX_ALIKE {
                known.further.extend((known.count - MAX_ALIKE <= MAX_PLACES).then_some(diagnostic));
                continue;
            }
        } else if left > 0 {
            alike.push(Alike { first: diagnostic, count: 1, further: Vec::new() });
        }
        if left == 0 {
            hidden += 1;
            continue;
        }
        left -= 1;
        out.push_str(&render(bundle, diagnostic, &renderer));
        out.push('\n');
    }
    for alike in alike.iter().filter(|alike| alike.count > MAX_ALIKE) {
        let _ = writeln!(out, "{}", alike.places(bundle));
    }
    if hidden > 0 {
        let _ = writeln!(out, "… and {hidden} more like these");
    }
    terminal::say(&out);
}

/// Diagnostics with the same words.
struct Alike<'a> {
    first: &'a Diagnostic,
    count: usize,
    /// Those that are not shown with their text, the first of them.
    further: Vec<&'a Diagnostic>,
}

impl Alike<'_> {
    fn says(&self, other: &Diagnostic) -> bool {
        self.first.code == other.code
            && self.first.message == other.message
            && self.first.hints == other.hints
    }

    /// How many more there are, and where.
    fn places(&self, bundle: &Bundle) -> String {
        let severity = match self.first.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let more = self.count - MAX_ALIKE;
        let mut out = format!("{severity}[{}]: the same {more} more times", self.first.code.as_str());
        let mut names: Option<&str> = None;
        for excerpt in self.further.iter().filter_map(|said| excerpt(bundle, said.span?)) {
            let between = if names.is_none() { ": " } else { ", " };
            let is_new = names.replace(excerpt.name) != Some(excerpt.name);
            let name = if is_new { format!("{}:", excerpt.name) } else { String::new() };
            let _ = write!(out, "{between}{name}{}", excerpt.line);
        }
        if let Some(hidden) = more.checked_sub(MAX_PLACES).filter(|hidden| *hidden > 0) {
            let _ = write!(out, " and {hidden} more");
        }
        out
    }
}

/// What draws snippets: with colours where a person looks at them.
pub(crate) fn renderer() -> Renderer {
    if terminal::colours_err() { Renderer::styled() } else { Renderer::plain() }
}

/// One diagnostic.
pub(crate) fn render(bundle: &Bundle, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.as_str());
    let excerpt = diagnostic.span.and_then(|span| excerpt(bundle, span));
    let mut group = match &excerpt {
        None => Group::with_title(title),
        Some(excerpt) => {
            let snippet = Snippet::source(excerpt.text)
                .line_start(excerpt.line)
                .annotation(AnnotationKind::Primary.span(excerpt.start..excerpt.end));
            // The snippet counts columns from its own beginning.
            match excerpt.column {
                None => title.element(snippet.path(excerpt.name)),
                Some(column) => {
                    let origin = Origin::path(excerpt.name).line(excerpt.line).char_column(column);
                    title.element(origin).element(snippet)
                }
            }
        }
    };
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    renderer.render(&[group])
}

/// The first line of a span, cut out of its text.
struct Excerpt<'a> {
    name: &'a str,
    text: &'a str,
    line: usize,
    /// Which character of its line the span begins with, from 1, where `text` begins behind that line's beginning.
    column: Option<usize>,
    /// The span within `text`.
    start: usize,
    end: usize,
}

fn excerpt(bundle: &Bundle, span: Span) -> Option<Excerpt<'_>> {
    let (_, source) = bundle.source(span.source)?;
    let text = &*source.text;
    let before = text.get(..span.start as usize)?;
    let rest = text.get(span.start as usize..)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let shown_start = ceil_boundary(text, line_start.max(before.len().saturating_sub(MAX_BEFORE)));
    let line_length = rest.find(['\n', '\r']).unwrap_or(rest.len());
    let span_length = (span.end.saturating_sub(span.start) as usize).min(line_length);
    let shown_end = ceil_boundary(text, before.len() + line_length.min(span_length + MAX_BEHIND));
    let start = before.len() - shown_start;
    Some(Excerpt {
        name: &source.name,
        text: text.get(shown_start..shown_end)?,
        line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
        column: (shown_start > line_start)
            .then(|| text.get(line_start..before.len()).map_or(0, |line| line.chars().count()) + 1),
        start,
        end: (start + span_length).min(shown_end - shown_start),
    })
}

/// The next place from `at` on at which a character begins.
fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while at < text.len() && !text.is_char_boundary(at) {
        at += 1;
    }
    at.min(text.len())
}
