//! A few lines of a file with the place of interest underlined.
//!
//! In: a range of a text. Out: lines with their numbers, cut to the width of a terminal. Where the lines of a text begin
//! is looked up once, however many frames are drawn of it.

use super::text::WIDTH;
use crate::print::paint::Paint;
use engine::Bundle;
use engine_lenses::wire::Range;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::fmt::Write;

/// So many lines of a longer range are shown.
const MOST_LINES: u32 = 4;
/// A line keeps so many characters before the place when it is cut.
const BEFORE: usize = 20;

/// The texts that frames are drawn of, by the input that they belong to.
pub(super) struct Texts<'b> {
    of_input: BTreeMap<&'static str, Vec<Lines<'b>>>,
}

impl<'b> Texts<'b> {
    /// The texts of these sources; nothing is looked up yet.
    pub(super) fn new(bundle: &'b Bundle) -> Self {
        let mut of_input: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (role, source) in &bundle.sources {
            of_input.entry(role.as_str()).or_default().push(Lines::new(&source.text));
        }
        Texts { of_input }
    }

    /// The text that a range is of.
    fn of(&self, range: &Range) -> Option<&Lines<'b>> {
        self.of_input.get(range.input.as_str())?.get(range.index as usize)
    }
}

/// A text and where its lines begin.
struct Lines<'b> {
    text: &'b str,
    /// The bytes at which lines begin, once they are asked for.
    starts: OnceCell<Vec<usize>>,
}

impl<'b> Lines<'b> {
    fn new(text: &'b str) -> Self {
        Lines { text, starts: OnceCell::new() }
    }

    /// The lines from one on, which is counted from 1 as ranges count: `\n`, `\r` and `\r\n` end a line.
    fn from(&self, line: u32) -> impl Iterator<Item = &'b str> {
        let starts = self.starts.get_or_init(|| starts(self.text));
        let from = starts.get((line as usize).saturating_sub(1)..).unwrap_or_default();
        let ends = from.iter().skip(1).copied().chain([self.text.len()]);
        let whole = from.iter().zip(ends).filter_map(|(start, end)| self.text.get(*start..end));
        // Behind the last line break there is nothing to draw.
        whole.filter(|line| !line.is_empty()).map(|line| line.trim_end_matches(['\r', '\n']))
    }
}

fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |at: &usize| match bytes.get(*at) {
        Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
        byte => byte == Some(&b'\n'),
    };
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect()
}

/// Draws the lines of a range.
pub(super) fn draw(out: &mut String, texts: &Texts, range: &Range, paint: Paint) {
    let Some(text) = texts.of(range) else { return };
    let last = range.end_line.min(range.line + MOST_LINES - 1).max(range.line);
    let digits = last.to_string().len();
    let _ = writeln!(out, "  {}", paint.faint(&format!("{}:{}", range.name, range.line)));
    for (line, number) in text.from(range.line).zip(range.line..=last) {
        let margin = digits + 5;
        let column = if number == range.line { range.column.saturating_sub(1) as usize } else { 0 };
        let (shown, begin) = cut(line, column, WIDTH.saturating_sub(margin));
        let _ = writeln!(out, "  {} {shown}", paint.faint(&format!("{number:>digits$} |")));
        if number == range.line {
            let length = if range.line == range.end_line {
                (range.to.saturating_sub(range.from) as usize).max(1)
            } else {
                line.trim_end().chars().count().saturating_sub(column).max(1)
            };
            let room = shown.chars().count().saturating_sub(begin).max(1);
            let carets = paint.bad(&"^".repeat(length.min(room)));
            let empty = paint.faint(&format!("{:>digits$} |", ""));
            let _ = writeln!(out, "  {empty} {}{carets}", " ".repeat(begin));
        }
    }
    if last < range.end_line {
        let _ =
            writeln!(out, "  {}", paint.faint(&format!("{:>digits$} | … to line {}", "", range.end_line)));
    }
}

/// The line cut to a width so that the place can be seen, and where the place then is.
fn cut(line: &str, column: usize, width: usize) -> (String, usize) {
    let characters: Vec<char> = line.chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
    if characters.len() <= width {
        return (characters.into_iter().collect(), column);
    }
    let begin = if column + BEFORE < width { 0 } else { column.saturating_sub(BEFORE) };
    let more = usize::from(begin > 0);
    let mut shown: String = if begin > 0 { "…".to_owned() } else { String::new() };
    shown.extend(characters.iter().skip(begin + more).take(width.saturating_sub(1 + more)));
    if begin + width < characters.len() {
        shown.push('…');
    }
    (shown, column.saturating_sub(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_ranges_count_them() {
        let text = "a\nü\r\n\rb\n\n";
        let lines = Lines::new(text);
        let index = engine::yaml::LineIndex::new(text);
        let from = |line: u32| lines.from(line).collect::<Vec<_>>();
        assert_eq!(from(1), ["a", "ü", "", "b", ""]);
        assert_eq!(from(4), ["b", ""]);
        assert_eq!((from(6).len(), from(7).len(), index.line_count()), (0, 0, 6));
        for (line, start) in starts(text).into_iter().zip(1_u32..).map(|(start, line)| (line, start)) {
            assert_eq!(index.position(u32::try_from(start).unwrap()), (line, 1), "{start}");
        }
        assert!(Lines::new("").from(1).next().is_none());
    }
}
