//! Answers kept by document: somebody who types changes one of them, and only that one is evaluated anew.
//!
//! In: an answer, the texts that are evaluated, cut at their `---` lines, and what [`Facts`] says of the run. Out: a [`Kept`],
//! from which the next answer is made. It holds what each piece adds to the answer but its results, which whoever asks
//! holds already. Where verdicts look at more than one resource, where a rule asks for the time or for random numbers, and
//! where objects are changed (drift is said of all together), nothing is kept.

use super::facts::Facts;
use super::is_complete;
use crate::wire::{Changes, Counts, Diagnostic, Input, Loaded, Output, Range, Text};
use std::ops::Range as Stretch;

/// Texts beyond this many bytes are read as a whole, as the reader refuses the longest ones.
const MAX_BYTES: usize = 16 << 20;

/// What is kept of the last answer.
pub(super) struct Kept {
    /// The number of that answer.
    serial: u32,
    /// What was asked, without the texts that are evaluated.
    asked: Input,
    texts: Vec<EvaluatedText>,
    counts: Counts,
    loaded: Loaded,
    /// What is said of texts before those that are evaluated, and behind them.
    around: [Vec<Diagnostic>; 2],
}

/// The pieces of one text.
struct EvaluatedText {
    name: String,
    pieces: Vec<Piece>,
}

/// A stretch of a text that begins and ends with whole documents, and what it adds to the answer.
#[derive(Clone, Default)]
struct Piece {
    text: String,
    /// Its length in UTF-16 units and in lines.
    units: u32,
    lines: u32,
    resources: u32,
    results: u32,
    counts: Counts,
    /// With places that count from its beginning.
    diagnostics: Vec<Diagnostic>,
}

/// What has to be evaluated anew.
pub(super) struct Edit {
    /// The text.
    index: usize,
    /// Its pieces that go.
    gone: Stretch<usize>,
    /// What takes their place.
    text: String,
}

impl Edit {
    /// The input that asks for what is new alone.
    pub(super) fn input(&self, input: &Input) -> Input {
        let name = input.resources.get(self.index).map(|text| text.name.clone()).unwrap_or_default();
        Input { resources: vec![Text { name, text: self.text.clone() }], ..input.clone() }
    }
}

impl Kept {
    /// What is kept of a whole answer; nothing where the next one cannot be made of it.
    pub(super) fn new(serial: u32, input: &Input, output: &Output, facts: &Facts) -> Option<Self> {
        let bytes: usize = input.resources.iter().map(|text| text.text.len()).sum();
        let is_made_of_all = output.drift.is_some() || !output.schedules.is_empty();
        if !facts.is_apart || is_made_of_all || bytes > MAX_BYTES {
            return None;
        }
        let (first, last) = evaluated(&output.diagnostics, facts.said_of_policies)?;
        let mut around =
            [output.diagnostics.get(..first)?.to_vec(), output.diagnostics.get(last..)?.to_vec()];
        let about = output.diagnostics.get(first..last)?;
        if !around.iter().all(|said| is_complete(said)) {
            return None;
        }
        around.iter_mut().for_each(Vec::shrink_to_fit);
        let mut filling = Filling { output, facts, about, results: 0, resources: 0, wrong: 0, said: 0 };
        let texts = input.resources.iter().enumerate();
        let texts: Vec<EvaluatedText> = texts
            .map(|(at, text)| {
                Some(EvaluatedText { name: text.name.clone(), pieces: filling.pieces(at, &text.text)? })
            })
            .collect::<Option<_>>()?;
        let counts = texts.iter().flat_map(|text| &text.pieces).map(|piece| piece.counts);
        let counts = counts.fold(Counts::default(), Counts::plus);
        // Refused policies count as errors, and are of no piece.
        let is_whole = filling.is_done() && counts.undecided == output.counts.undecided;
        let asked = without_resources(input);
        let (counts, loaded) = (output.counts, output.loaded);
        is_whole.then_some(Kept { serial, asked, texts, counts, loaded, around })
    }

    /// What has changed since the answer of that number; nothing where it is not the last one, or where everything may
    /// have changed.
    pub(super) fn edit(&self, since: u32, input: &Input) -> Option<Edit> {
        if since != self.serial || since == 0 || self.texts.len() != input.resources.len() {
            return None;
        }
        if self.asked != without_resources(input) {
            return None;
        }
        let mut edits = Vec::new();
        for (index, (known, text)) in self.texts.iter().zip(&input.resources).enumerate() {
            if known.name != text.name || text.text.len() > MAX_BYTES {
                return None;
            }
            edits.extend(known.edit(index, &text.text));
        }
        match edits.len() {
            0 => Some(Edit { index: 0, gone: 0..0, text: String::new() }),
            1 => edits.pop(),
            _ => None,
        }
    }

    /// Takes over the answer to what is new; the answer as a whole is the last one with these changes. Nothing where they
    /// do not fit, and then nothing has changed here.
    pub(super) fn take(
        &mut self,
        serial: u32,
        edit: Edit,
        mut new: Output,
        facts: &Facts,
    ) -> Option<Changes> {
        let input =
            Input { resources: vec![Text { name: String::new(), text: edit.text }], ..Input::default() };
        let mut answered = Kept::new(serial, &input, &new, facts)?;
        let pieces = std::mem::take(&mut answered.texts.first_mut()?.pieces);
        let before = self.texts.get(..edit.index)?.iter().flat_map(|text| &text.pieces);
        let before: u32 = before.map(|piece| piece.results).sum();
        let text = self.texts.get_mut(edit.index)?;
        let old = text.pieces.get(edit.gone.clone())?;
        let (was, is) = (Sum::of(old), Sum::of(&pieces));
        let ahead = Sum::of(text.pieces.get(..edit.gone.start)?);
        let index = u32::try_from(edit.index).unwrap_or(u32::MAX);
        for result in &mut new.results {
            crate::wire::each_range(result, &mut |range| ahead.shift(index, range));
        }
        text.pieces.splice(edit.gone, pieces);
        self.counts = self.counts.minus(was.counts).plus(is.counts);
        self.loaded.resources = (self.loaded.resources + is.resources).saturating_sub(was.resources);
        let (since, head) = (self.serial, before + ahead.results);
        self.serial = serial;
        let all: u32 = self.texts.iter().flat_map(|text| &text.pieces).map(|piece| piece.results).sum();
        new.diagnostics = self.diagnostics();
        new.complete = is_complete(&new.diagnostics);
        (new.counts, new.loaded) = (self.counts, self.loaded);
        (new.autogen, new.refused) = Default::default();
        Some(Changes {
            since,
            head,
            tail: all.saturating_sub(head + is.results),
            index,
            units_added: is.units,
            units_removed: was.units,
            lines_added: is.lines,
            lines_removed: was.lines,
            output: new,
        })
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        let [before, behind] = &self.around;
        let mut all = before.clone();
        for (index, text) in self.texts.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            let mut ahead = Sum::default();
            for piece in &text.pieces {
                let moved = piece.diagnostics.iter().cloned().map(|mut said| {
                    said.range.iter_mut().for_each(|range| ahead.shift(index, range));
                    said
                });
                all.extend(moved);
                ahead.add(piece);
            }
        }
        all.extend(behind.iter().cloned());
        all
    }
}

fn without_resources(input: &Input) -> Input {
    Input { resources: Vec::new(), ..input.clone() }
}

/// Where in the diagnostics those of the evaluated texts stand; nothing where they do not stand together. `of_policies` were said
/// when the policies were loaded.
fn evaluated(said: &[Diagnostic], of_policies: usize) -> Option<(usize, usize)> {
    let of = |said: &Diagnostic, input: &str| said.range.as_ref().is_some_and(|range| range.input == input);
    let first = of_policies + said.iter().skip(of_policies).take_while(|said| of(said, "imageData")).count();
    let last = first + said.iter().skip(first).take_while(|said| of(said, crate::wire::EVALUATED)).count();
    let others = said.get(..first)?.iter().chain(said.get(last..)?);
    others.into_iter().all(|said| !of(said, crate::wire::EVALUATED)).then_some((first, last))
}

impl EvaluatedText {
    /// What has changed in this text.
    fn edit(&self, index: usize, text: &str) -> Option<Edit> {
        let new: Vec<&str> = cut(text);
        let is_same = |(piece, new): &(&Piece, &&str)| piece.text == **new;
        let head = self.pieces.iter().zip(&new).take_while(is_same).count();
        let (old_rest, new_rest) = (self.pieces.get(head..)?, new.get(head..)?);
        let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(is_same).count();
        let (gone, come) = (head..self.pieces.len() - tail, head..new.len() - tail);
        let text = new.get(come)?.concat();
        (!gone.is_empty() || !text.is_empty()).then_some(Edit { index, gone, text })
    }
}

/// Cuts a text behind its bare `---` lines, of which each ends a document; two in a row are left together, as the second
/// one is a document of its own.
fn cut(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, line) in text.match_indices("\n---\n") {
        let end = at + line.len();
        let is_doubled = text.get(..at).is_some_and(|before| before.ends_with("---"));
        let rest = text.get(end..).unwrap_or("");
        if at >= start && !is_doubled && !rest.starts_with("---") && !rest.is_empty() {
            pieces.extend(text.get(start..end));
            start = end;
        }
    }
    pieces.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    pieces
}

/// What several pieces add up to.
#[derive(Default)]
struct Sum {
    units: u32,
    lines: u32,
    resources: u32,
    results: u32,
    counts: Counts,
}

impl Sum {
    fn of(pieces: &[Piece]) -> Self {
        let mut sum = Sum::default();
        for piece in pieces {
            sum.add(piece);
        }
        sum
    }

    fn add(&mut self, piece: &Piece) {
        self.units = self.units.saturating_add(piece.units);
        self.lines = self.lines.saturating_add(piece.lines);
        self.resources = self.resources.saturating_add(piece.resources);
        self.results = self.results.saturating_add(piece.results);
        self.counts = self.counts.plus(piece.counts);
    }

    /// Moves a place behind these pieces, in the text of this number.
    fn shift(&self, index: u32, range: &mut Range) {
        if range.input == crate::wire::EVALUATED {
            range.index = index;
            range.from = range.from.saturating_add(self.units);
            range.to = range.to.saturating_add(self.units);
            range.line = range.line.saturating_add(self.lines);
            range.end_line = range.end_line.saturating_add(self.lines);
        }
    }
}

/// Gives each piece what it adds to an answer, in the order of the texts.
struct Filling<'a> {
    output: &'a Output,
    facts: &'a Facts,
    /// What is said of the texts that are evaluated.
    about: &'a [Diagnostic],
    /// How many results, resources, mistakes and diagnostics have been given.
    results: usize,
    resources: usize,
    wrong: usize,
    said: usize,
}

impl Filling<'_> {
    fn pieces(&mut self, index: usize, text: &str) -> Option<Vec<Piece>> {
        let (mut units, mut lines, mut bytes) = (0_u32, 0_u32, 0_usize);
        let mut pieces = Vec::new();
        for text in cut(text) {
            let mut piece = Piece {
                text: text.to_owned(),
                units: u32::try_from(text.encode_utf16().count()).ok()?,
                lines: u32::try_from(breaks(text)).ok()?,
                ..Piece::default()
            };
            let end = units.checked_add(piece.units)?;
            bytes += text.len();
            self.fill(&mut piece, index, end, bytes, (units, lines));
            (units, lines) = (end, lines.saturating_add(piece.lines));
            pieces.push(piece);
        }
        Some(pieces)
    }

    /// Gives a piece what lies before its end in the text of this number.
    fn fill(&mut self, piece: &mut Piece, index: usize, end: u32, end_byte: usize, start: (u32, u32)) {
        let is_within = |range: Option<&Range>| {
            range.is_some_and(|range| range.index as usize == index && range.from < end)
        };
        while let Some(result) = self.output.results.get(self.results) {
            if !is_within(result.resource.range.as_ref()) {
                break;
            }
            result.rules.iter().for_each(|rule| piece.counts.count(&rule.status));
            (piece.results, self.results) = (piece.results + 1, self.results + 1);
        }
        let before = |(text, byte): &&(usize, usize)| *text == index && *byte < end_byte;
        let resources = self.facts.resources.get(self.resources..).unwrap_or_default();
        let resources = resources.iter().take_while(before).count();
        let wrong = self.facts.wrong.get(self.wrong..).unwrap_or_default().iter().take_while(before).count();
        (self.resources, self.wrong) = (self.resources + resources, self.wrong + wrong);
        piece.resources = u32::try_from(resources).unwrap_or(u32::MAX);
        piece.counts.undecided = u32::try_from(wrong).unwrap_or(u32::MAX);
        while let Some(said) = self.about.get(self.said).filter(|said| is_within(said.range.as_ref())) {
            let mut said = said.clone();
            if let Some(range) = &mut said.range {
                range.from = range.from.saturating_sub(start.0);
                range.to = range.to.saturating_sub(start.0);
                range.line = range.line.saturating_sub(start.1);
                range.end_line = range.end_line.saturating_sub(start.1);
            }
            piece.diagnostics.push(said);
            self.said += 1;
        }
    }

    /// Whether all of it was given to some piece.
    fn is_done(&self) -> bool {
        self.results == self.output.results.len()
            && self.resources == self.facts.resources.len()
            && self.wrong == self.facts.wrong.len()
            && self.said == self.about.len()
    }
}

/// How many lines end in a text, as `LineIndex` counts.
fn breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |(at, byte): (usize, &u8)| {
        *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1).is_none_or(|next| *next != b'\n'))
    };
    bytes.iter().enumerate().filter(|found| ends(*found)).count()
}
