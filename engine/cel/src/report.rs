//! The text that cel-go prints of problems: each with its place and a picture of the source line.
//!
//! In: the source text and what the parser or the checker found, in the order in which it was found. Out: the text
//! (`common/errors.go`, `common/error.go`).

use crate::issue::Issue;
use engine_json::arrange::Arrange as _;
use std::fmt::Write as _;

/// cel-go prints this many problems, and says how many more there were (`NewErrors`).
pub const MAX_SHOWN: usize = 100;

/// A source line longer than this is not shown (`maxSnippetLength`), in bytes.
const MAX_SNIPPET: usize = 16_384;

/// How cel-go calls the text of an expression that came from no file.
const INPUT: &str = "<input>";

/// The place of a part of the tree that a syntax error left out: before the first character, printed as `1:0`.
pub(crate) const BEFORE: u32 = u32::MAX;

/// A place as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: i64,
    /// The column in code points, from 1.
    pub column: i64,
}

/// What cel-go prints of these problems, given in the order in which they were found: one picture for each, by line and
/// column, joined by line feeds (`Errors.ToDisplayString`). Beyond [`MAX_SHOWN`] they are only counted.
pub fn render(source: &str, issues: &[Issue]) -> String {
    let mut text = String::new();
    for (index, (position, issue)) in sorted(source, issues).into_iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        picture(&mut text, source, position, issue);
    }
    if issues.len() > MAX_SHOWN {
        let _ = write!(text, "\n{} more errors were truncated", issues.len() - MAX_SHOWN);
    }
    text
}

/// The problems that are shown, by line and column; those at one place stay in the order in which they were found.
pub fn sorted<'i>(source: &str, issues: &'i [Issue]) -> Vec<(Position, &'i Issue)> {
    let shown = issues.iter().take(MAX_SHOWN);
    let mut sorted: Vec<_> = shown.map(|issue| (position(source, issue.at), issue)).collect();
    sorted.arrange_by_key(|(position, _)| *position);
    sorted
}

/// Where a place of the source is, as cel-go counts lines and code points.
pub fn position(source: &str, at: Option<u32>) -> Position {
    let Some(byte) = at else { return Position { line: -1, column: 0 } };
    // Go: an empty source has one line offset that is not behind its only place, so everything stands before it.
    if byte == BEFORE || source.is_empty() {
        return Position { line: 1, column: 0 };
    }
    let before = source.get(..byte as usize).unwrap_or(source);
    let line = before.bytes().filter(|&byte| byte == b'\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before.get(start..).map_or(0, |text| text.chars().count());
    Position { line: signed(line) + 1, column: signed(column) + 1 }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Prints one error with its source line and a caret below the place (`Error.ToDisplayString`).
fn picture(text: &mut String, source: &str, position: Position, issue: &Issue) {
    let Position { line, column } = position;
    let _ = write!(text, "ERROR: {INPUT}:{line}:{column}: {}", issue.message);
    let Ok(line) = usize::try_from(line) else { return };
    if source.is_empty() || line == 0 {
        return;
    }
    let Some(shown) = source.split('\n').nth(line - 1) else { return };
    if shown.len() > MAX_SNIPPET {
        return;
    }
    text.push_str("\n | ");
    text.extend(shown.chars().map(|c| if c == '\t' { ' ' } else { c }));
    text.push_str("\n | ");
    let mut rest = shown.chars();
    for before in rest.by_ref().take(usize::try_from(column - 1).unwrap_or(0)) {
        text.push(if before.len_utf8() > 1 { '\u{ff0e}' } else { '.' });
    }
    let wide = rest.next().is_some_and(|under| under.len_utf8() > 1);
    text.push(if wide { '\u{ff3e}' } else { '^' });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(source: &str, at: u32) -> String {
        render(source, &[Issue::at(at, "wrong")])
    }

    #[test]
    fn the_caret_stands_below_the_code_point() {
        assert_eq!(one("a + b", 2), "ERROR: <input>:1:3: wrong\n | a + b\n | ..^");
        assert_eq!(one("'日' + é", 8), "ERROR: <input>:1:7: wrong\n | '日' + é\n | .．....＾");
    }

    #[test]
    fn tabs_and_lines_are_shown_as_the_original_does() {
        assert_eq!(one("\ta\r\n\tb", 5), "ERROR: <input>:2:2: wrong\n |  b\n | .^");
        assert_eq!(one("a", 1), "ERROR: <input>:1:2: wrong\n | a\n | .^");
        assert_eq!(one("", 0), "ERROR: <input>:1:0: wrong");
    }

    #[test]
    fn places_outside_the_text_come_first() {
        assert_eq!(render("a", &[Issue::nowhere("wrong")]), "ERROR: <input>:-1:0: wrong");
        assert_eq!(one("a", BEFORE), "ERROR: <input>:1:0: wrong\n | a\n | ^");
    }

    #[test]
    fn errors_are_sorted_and_the_rest_is_counted() {
        let issues: Vec<_> =
            (0..103_u32).map(|index| Issue::at(103 - index, format!("number {index}"))).collect();
        let text = render(&"x".repeat(200), &issues);
        assert!(text.starts_with("ERROR: <input>:1:5: number 99\n"), "{text}");
        assert!(text.ends_with("\n3 more errors were truncated"), "{text}");
    }

    #[test]
    fn a_long_line_is_not_shown() {
        assert_eq!(one(&"x".repeat(16_385), 0), "ERROR: <input>:1:1: wrong");
        assert!(one(&"x".repeat(16_384), 0).ends_with('^'));
    }
}
