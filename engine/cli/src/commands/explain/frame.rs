//! A few lines of a file with the place of interest underlined.
//!
//! In: a range of a text. Out: lines with their numbers, cut to the width of a terminal.

use super::text::WIDTH;
use crate::print::paint::Paint;
use engine::Bundle;
use engine::wire::Range;
use std::fmt::Write;

/// So many lines of a longer range are shown.
const MOST_LINES: u32 = 4;
/// A line keeps so many characters before the place when it is cut.
const BEFORE: usize = 20;

/// Draws the lines of a range.
pub(super) fn draw(out: &mut String, bundle: &Bundle, range: &Range, paint: Paint) {
    let Some(text) = text_of(bundle, range) else { return };
    let last = range.end_line.min(range.line + MOST_LINES - 1).max(range.line);
    let digits = last.to_string().len();
    let _ = writeln!(out, "  {}", paint.faint(&format!("{}:{}", range.name, range.line)));
    for (line, number) in text.lines().skip(range.line as usize - 1).zip(range.line..=last) {
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

/// The text that a range is of.
fn text_of<'b>(bundle: &'b Bundle, range: &Range) -> Option<&'b str> {
    let mut of_input = bundle.sources.iter().filter(|(role, _)| role.as_str() == range.input);
    let (_, source) = of_input.nth(range.index as usize)?;
    Some(&source.text)
}
