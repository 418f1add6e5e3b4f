//! Where a character of a scalar's value stands in the YAML text.
//!
//! In: a scalar as it is written, its value, and a place in the value in bytes. Out: the place in the text. Quoted, plain,
//! literal and folded scalars are walked along with their values: white space that was folded is passed over.

use crate::Span;

/// The place in the text; at its end where the value cannot be found in it.
pub fn in_scalar(written: &str, value: &str, at: usize) -> usize {
    let before = value.get(..at).unwrap_or(value);
    let mut walk = Walk::new(written, value);
    for c in before.chars() {
        walk.pass(c);
    }
    if let Some(next) = value.get(at..).and_then(|rest| rest.chars().next()) {
        walk.reach(next);
    }
    walk.at.min(written.len())
}

/// The span of the character at a place of the value, within that of the scalar.
pub fn character(scalar: Span, written: &str, value: &str, at: usize) -> Span {
    let at = in_scalar(written, value, at);
    let length = written.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    let of_text = |at: usize| u32::try_from(at).unwrap_or(0);
    let start = scalar.start.saturating_add(of_text(at)).min(scalar.end);
    Span { start, end: start.saturating_add(of_text(length)).min(scalar.end.max(start)), ..scalar }
}

/// The place in the text of each byte of the value, and of its end: those within a character are of its beginning.
pub fn in_text(written: &str, value: &str) -> Vec<usize> {
    let mut walk = Walk::new(written, value);
    let mut places = Vec::with_capacity(value.len() + 1);
    for c in value.chars() {
        walk.reach(c);
        places.extend(std::iter::repeat_n(walk.at.min(written.len()), c.len_utf8()));
        walk.pass(c);
    }
    places.push(walk.at.min(written.len()));
    places
}

/// How long the tag and the anchor before a scalar are, with the white space behind them.
fn properties(written: &str) -> usize {
    let mut rest = written;
    while rest.starts_with(['!', '&']) {
        rest = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
    }
    written.len() - rest.len()
}

/// How many blanks before each line are not part of the value: those of the first line in a block scalar that are not in
/// the value too; all of them elsewhere.
fn indent(style: char, written: &str, value: &str) -> usize {
    if !matches!(style, '|' | '>') {
        return usize::MAX;
    }
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let first = |mut lines: std::str::Lines| lines.find(|line| !line.trim().is_empty()).map_or(0, blanks);
    let body = written.split_once('\n').map_or("", |(_, body)| body);
    first(body.lines()).saturating_sub(first(value.lines()))
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    /// `'`, `"`, `|` or `>`; anything else begins a plain scalar.
    style: char,
    /// How many blanks before each line are not part of the value.
    indent: usize,
}

impl<'t> Walk<'t> {
    /// At the first character of the value.
    fn new(written: &'t str, value: &str) -> Self {
        let start = properties(written);
        let scalar = written.get(start..).unwrap_or("");
        let style = scalar.chars().next().unwrap_or(' ');
        let mut walk = Walk { text: written, at: start, style, indent: indent(style, scalar, value) };
        walk.begin();
        walk
    }

    /// Passes over what opens the scalar.
    fn begin(&mut self) {
        match self.style {
            '\'' | '"' => self.at += 1,
            '|' | '>' => {
                let rest = self.text.get(self.at..).unwrap_or("");
                self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
                self.pass_indentation();
            }
            _ => {}
        }
    }

    /// The character that stands next, and how long it is written; no character where an escaped line break stands, which
    /// is nothing in the value, and neither are the blanks behind it.
    fn read(&self) -> Option<(Option<char>, usize)> {
        let rest = self.text.get(self.at..)?;
        let c = rest.chars().next()?;
        match (self.style, c) {
            ('\'', '\'') if rest.starts_with("''") => Some((Some('\''), 2)),
            ('"', '\\') => Self::read_escaped(rest),
            _ => Some((Some(c), c.len_utf8())),
        }
    }

    fn read_escaped(rest: &str) -> Option<(Option<char>, usize)> {
        let escaped = rest.chars().nth(1)?;
        let hex = |digits: usize| {
            let code = rest.get(2..2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            code.and_then(char::from_u32).map(|c| (Some(c), 2 + digits))
        };
        let behind = rest.get(1..)?;
        if let Some(behind) = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix(['\r', '\n'])) {
            return Some((None, rest.len() - behind.trim_start_matches([' ', '\t']).len()));
        }
        match escaped {
            'n' => Some((Some('\n'), 2)),
            't' => Some((Some('\t'), 2)),
            'r' => Some((Some('\r'), 2)),
            '0' => Some((Some('\0'), 2)),
            'x' => hex(2),
            'u' => hex(4),
            'U' => hex(8),
            other => Some((Some(other), 1 + other.len_utf8())),
        }
    }

    /// Goes to where a character stands, over white space that is not part of the value.
    fn reach(&mut self, wanted: char) {
        while let Some((found, length)) = self.read() {
            if let Some(found) = found {
                // What is escaped is part of the value; a line break stands for a blank where lines are folded.
                let is_written = length > 1 || !found.is_whitespace();
                if found == wanted || is_written || found == '\n' && wanted == ' ' {
                    return;
                }
            }
            self.at += length;
        }
    }

    /// Passes over a character of the value.
    fn pass(&mut self, c: char) {
        self.reach(c);
        let Some((found, length)) = self.read() else { return };
        self.at += length;
        if found == Some('\n') && length == 1 {
            self.pass_indentation();
        }
    }

    /// Passes over the blanks of a line that are not part of the value.
    fn pass_indentation(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or("");
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        self.at += blanks.min(self.indent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(written: &'t str, value: &str, wanted: &str) -> &'t str {
        let at = value.find(wanted).unwrap();
        written.get(in_scalar(written, value, at)..).unwrap()
    }

    #[test]
    fn every_style_of_scalar_is_followed() {
        assert!(found("object.a + b", "object.a + b", "b").starts_with('b'));
        assert!(found("'a == ''x'' + b'", "a == 'x' + b", "+ b").starts_with("+ b"));
        assert!(found(r#""a == \"x\" + \u00e9b""#, "a == \"x\" + éb", "b").starts_with('b'));
        assert!(found("|\n    a &&\n    wrong\n", "a &&\nwrong\n", "wrong").starts_with("wrong"));
        assert!(found("|-\n    a &&\n      wrong", "a &&\n  wrong", "wrong").starts_with("wrong"));
        assert!(
            found("|\n    a &&\n\n        wrong", "a &&\n\n    wrong", "    wrong").starts_with("    wrong")
        );
        assert!(
            found("|2\n      a &&\n      wrong", "    a &&\n    wrong", "  wrong").starts_with("  wrong")
        );
        assert!(found(">-\n    a &&\n    wrong(1)", "a && wrong(1)", "wrong").starts_with("wrong"));
        assert!(found("a &&\n    wrong", "a && wrong", "wrong").starts_with("wrong"));
        assert!(found("'a &&\n    wrong'", "a && wrong", "wrong").starts_with("wrong"));
    }

    #[test]
    fn the_places_of_all_characters_are_those_of_each() {
        for (written, value) in [
            ("'a == ''x'' + b'", "a == 'x' + b"),
            (r#""a == \"x\" + \u00e9b""#, "a == \"x\" + éb"),
            ("|\n    a &&\n      wrong\n", "a &&\n  wrong\n"),
            (">-\n    a &&\n    wrong(1)", "a && wrong(1)"),
            ("a &&\n    wrong", "a && wrong"),
        ] {
            let places = in_text(written, value);
            let each = value.char_indices().map(|(at, _)| at).chain([value.len()]);
            for at in each {
                assert_eq!(places[at], in_scalar(written, value, at), "{written} {at}");
            }
        }
    }

    #[test]
    fn a_place_behind_the_value_is_the_end() {
        assert_eq!(in_scalar("ab", "ab", 2), 2);
        assert_eq!(in_scalar("'ab'", "ab", 9), 3);
    }
}
