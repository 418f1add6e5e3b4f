//! In which styles a text may be written as a scalar.
//!
//! In: a text. Out: whether it may stand plain, in single quotes, as a block; whether it has several lines.
//! `a: b` may not stand plain; `a\tb` only in double quotes.
//!
//! Mirrors: go-yaml v2 and v3, emitterc.go, `yaml_emitter_analyze_scalar`.

use super::Style;
use crate::resolve::{Resolved, plain};

/// The styles that a text may have outside of flow collections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one answer, and they do not depend on each other")]
pub(super) struct Analysis {
    pub(super) is_multiline: bool,
    pub(super) plain_allowed: bool,
    pub(super) single_quoted_allowed: bool,
    pub(super) block_allowed: bool,
}

/// What goes wrong with a text in the simple styles.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one question about the text")]
struct Trouble {
    indicator: bool,
    line_break: bool,
    special: bool,
    tab: bool,
    /// A blank or a break at either end.
    edge: bool,
    trailing_space: bool,
    break_then_space: bool,
    space_then_break: bool,
}

/// The styles of the text.
pub(super) fn analyze(style: Style, text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis {
            is_multiline: false,
            plain_allowed: true,
            single_quoted_allowed: true,
            block_allowed: false,
        };
    }
    let trouble = find_trouble(style, text);
    let is_wild = trouble.space_then_break || trouble.special;
    Analysis {
        is_multiline: trouble.line_break,
        plain_allowed: !(trouble.edge
            || trouble.break_then_space
            || is_wild
            || trouble.tab
            || trouble.line_break
            || trouble.indicator),
        single_quoted_allowed: !(trouble.break_then_space || is_wild || trouble.tab),
        block_allowed: !(trouble.trailing_space || is_wild),
    }
}

fn find_trouble(style: Style, text: &str) -> Trouble {
    let mut trouble =
        Trouble { indicator: text.starts_with("---") || text.starts_with("..."), ..Trouble::default() };
    let mut previous: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let is_edge = previous.is_none() || next.is_none();
        let blank_follows = next.is_none_or(is_blank);
        trouble.indicator |= match previous {
            None => match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                | '`' => true,
                '?' | ':' | '-' => blank_follows,
                _ => false,
            },
            Some(before) => match c {
                ':' => blank_follows,
                '#' => is_blank(before) || is_break(before) || before == '\0',
                _ => false,
            },
        };
        // Go: v3 knows tabs apart, v2 takes them for special characters.
        if style == Style::V3 && c == '\t' {
            trouble.tab = true;
        } else {
            trouble.special |= !is_printable(c);
        }
        if c == ' ' {
            trouble.edge |= is_edge;
            trouble.trailing_space |= next.is_none();
            trouble.break_then_space |= previous.is_some_and(is_break);
        } else if is_break(c) {
            trouble.line_break = true;
            trouble.edge |= is_edge;
            trouble.space_then_break |= previous == Some(' ');
        }
        previous = Some(c);
    }
    trouble
}

/// Whether a text, written plain, would be read as itself.
// Go: encode.go, `stringv`.
pub(super) fn is_plain_string(style: Style, text: &str) -> bool {
    let is_octal = style == Style::V3 && is_signed_octal(text);
    plain(text) == Resolved::Str && !is_base60(text) && !is_octal
}

/// `0o-17`, which v3 reads as a number.
fn is_signed_octal(text: &str) -> bool {
    text.starts_with("0o") && i64::from_str_radix(text.replace('_', "").get(2..).unwrap_or(""), 8).is_ok()
}

/// Numbers to base 60 such as `1:30`, which other readers of YAML 1.1 know.
// Go: `base60float`.
fn is_base60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or("");
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let is_sixtieth = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [ten, digit] => matches!(ten, b'0'..=b'5') && digit.is_ascii_digit(),
        _ => false,
    };
    first.starts_with(|c: char| c.is_ascii_digit())
        && is_digits(first)
        && is_digits(fraction)
        && whole.contains(':')
        && parts.all(is_sixtieth)
}

/// Whether the writers put the character down as it is.
// Go: yamlprivateh.go, `is_printable`; it takes no character beyond the first plane.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}') && c != '\u{feff}'
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}
