//! What kind of terminal there is: colours and progress only where a person looks at them, and nothing that a text of
//! somebody else's could do to the terminal.
//!
//! In: the two standard streams and the environment; all that is printed. Out: yes or no; `NO_COLOR=1` switches every
//! colour off. What is printed for people is shown in a pipe too, where a log will end on a terminal or be read by a CI
//! system; a [`document`] for programs goes into a pipe byte for byte.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether standard output may carry colours.
pub(crate) fn colours_out() -> bool {
    std::io::stdout().is_terminal() && !no_colour()
}

/// Whether standard error may carry colours.
pub(crate) fn colours_err() -> bool {
    std::io::stderr().is_terminal() && !no_colour()
}

// https://no-color.org: set and not empty.
fn no_colour() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Writes to standard error what is not meant for standard output; a closed stream is not an error. Control characters are
/// shown, see [`shown`].
pub(crate) fn say(text: &str) {
    say_raw(&shown(text, colours_err()));
}

fn say_raw(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The text as people get it: control characters other than line breaks and tabs as `\u{1b}`, and so what turns the
/// direction of writing round, and the `::` that begins a command to a CI system at the beginning of a line.
///
/// Links, policies and resources are texts of strangers, and all commands print parts of them: a terminal would obey what
/// stands in them, rename its window, wipe a verdict, write another over it. Everything printed passes here, so that no
/// command can forget it. Our own colours have to pass too: where there are colours, [`COLOURS`] are let through, whoever
/// wrote them, as they change nothing but how the text behind them looks.
fn shown(text: &str, has_colours: bool) -> Cow<'_, str> {
    let text = without_commands(text);
    if is_plain(&text) || !text.contains(is_control) {
        return text;
    }
    let text: &str = &text;
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find(is_control) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let kept = if here.starts_with("\r\n") {
            2
        } else if has_colours {
            colour(here)
        } else {
            0
        };
        let (kept, behind) = here.split_at(kept);
        out.push_str(kept);
        rest = behind;
        if kept.is_empty() {
            let mut signs = behind.chars();
            let _ = signs.next().map(|c| write!(out, "{}", c.escape_unicode()));
            rest = signs.as_str();
        }
    }
    out.push_str(rest);
    out.into()
}

/// Whether the text certainly holds no control character: nearly all do not, and a block of bytes is looked at at once.
// UTF-8: those above U+007F begin with one of two bytes, as some others do.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |byte: &u8| matches!(byte, b'\n' | b'\t') | (*byte >= 0x20 && !matches!(byte, 0x7f | 0xc2 | 0xe2));
    text.as_bytes().chunks(64).all(|block| block.iter().fold(true, |all, byte| all & is_plain(byte)))
}

/// What a terminal or a reader of logs would obey.
// Unicode: UAX #9; the marks U+200E and U+200F turn nothing round that stands beside them.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// The text with no line that a CI system would take for a command, such as `::warning::` or `##[error]`.
fn without_commands(text: &str) -> Cow<'_, str> {
    let is_command =
        |line: &str| ["::", "##[", "##vso["].iter().any(|start| line.trim_start().starts_with(start));
    if !text.lines().any(is_command) {
        return text.into();
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let start = line.len() - line.trim_start().len();
        match line.split_at_checked(start).filter(|_| is_command(line)) {
            Some((blanks, command)) => {
                let mut signs = command.chars();
                let first = signs.next().map(|c| c.escape_unicode().to_string()).unwrap_or_default();
                Cow::Owned(format!("{blanks}{first}{}", signs.as_str()))
            }
            None => Cow::Borrowed(line),
        }
    });
    Cow::Owned(lines.collect())
}

/// A name on one line: a line break in it would begin a line that nobody has printed.
pub(crate) fn one_line(name: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', name.as_bytes()).is_some() {
        name.replace('\n', "\\n").replace('\r', "\\r").into()
    } else {
        name.into()
    }
}

/// What the colours of `print::paint`, of the tables and of diagnostics are made of: reset, bold, faint, underlined, the
/// colours from red to cyan and their bright ones. Neither black nor white nor hidden: a text cannot be made invisible.
const COLOURS: [&str; 16] =
    ["0", "1", "2", "4", "31", "32", "33", "34", "35", "36", "91", "92", "93", "94", "95", "96"];

/// How many bytes the colour has that a text begins with; 0 where it begins with none.
fn colour(text: &str) -> usize {
    let codes = text.strip_prefix("\u{1b}[").and_then(|rest| rest.split_once('m'));
    let codes = codes.map(|(codes, _)| codes);
    let is_known = |codes: &&str| codes.split(';').all(|code| COLOURS.contains(&code));
    codes.filter(is_known).map_or(0, |codes| codes.len() + "\u{1b}[m".len())
}

/// Why standard output lacks a part of what was written to it.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// A count of things: `1 file`, `2 files`, `2 policies`.
pub(crate) fn plural(n: usize, word: &str) -> String {
    match (n, word.strip_suffix('y')) {
        (1, _) => format!("1 {word}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) if word.ends_with('s') => format!("{n} {word}es"),
        (_, None) => format!("{n} {word}s"),
    }
}

/// Writes to standard output for people; a reader that went away, such as `head`, is not an error. Any other is kept for the
/// end. Control characters are shown, see [`shown`].
pub(crate) fn print(text: &str) {
    write_out(&shown(text, colours_out()));
}

/// Writes a document for programs to standard output: byte for byte into a pipe, shown on a terminal.
pub(crate) fn document(text: &str) {
    if std::io::stdout().is_terminal() { print(text) } else { write_out(text) }
}

fn write_out(text: &str) {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let _ = UNWRITTEN.set(error.to_string());
        }
        Ok(()) | Err(_) => {}
    }
}

/// Why a part of what was printed is lost; `None` where nothing is.
pub(crate) fn unwritten() -> Option<&'static str> {
    UNWRITTEN.get().map(String::as_str)
}

/// Runs over less than this show no progress.
const SHOW_FROM: usize = 2_000;
/// How many cells the bar has.
const CELLS: usize = 30;

/// A bar on standard error, only on a terminal and only for long runs.
pub(crate) struct Progress {
    total: usize,
    unit: &'static str,
    done: AtomicUsize,
    is_shown: bool,
}

impl Progress {
    /// A bar for so much of something, such as 6,000 kB.
    pub(crate) fn new(total: usize, unit: &'static str) -> Self {
        let shown = Progress::shown(total, unit);
        Progress { is_shown: shown.is_shown && total >= SHOW_FROM, ..shown }
    }

    /// A bar for few things that take long each.
    pub(crate) fn shown(total: usize, unit: &'static str) -> Self {
        Progress { total, unit, done: AtomicUsize::new(0), is_shown: std::io::stderr().is_terminal() }
    }

    /// So many more are done.
    pub(crate) fn advance(&self, by: usize) {
        let done = self.done.fetch_add(by, Ordering::Relaxed) + by;
        if self.is_shown {
            let filled = (CELLS * done).checked_div(self.total).unwrap_or(CELLS).min(CELLS);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(CELLS - filled));
            say_raw(&format!("\r{bar} {done} of {} {}", self.total, self.unit));
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if self.is_shown {
            say_raw("\r\u{1b}[2K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, wanted) in [
            ("a: ü\n\tb: 1\r\n", "a: ü\n\tb: 1\r\n"),
            ("\u{1b}[2J\u{1b}]0;mine\u{7}", "\\u{1b}[2J\\u{1b}]0;mine\\u{7}"),
            ("fail\rpass\u{8}\u{7f}", "fail\\u{d}pass\\u{8}\\u{7f}"),
            // C1, which some terminals take for ESC and a letter.
            ("\u{9b}2J", "\\u{9b}2J"),
            // Hidden, black, white on white, what is not a colour, and what ends too early.
            ("\u{1b}[8m\u{1b}[30m\u{1b}[37;47m", "\\u{1b}[8m\\u{1b}[30m\\u{1b}[37;47m"),
            ("\u{1b}[31;8m\u{1b}[31\u{1b}[31", "\\u{1b}[31;8m\\u{1b}[31\\u{1b}[31"),
            ("\u{1b}[?25lm \u{1b}", "\\u{1b}[?25lm \\u{1b}"),
        ] {
            assert_eq!(shown(text, true), wanted);
        }
    }

    #[test]
    fn a_plain_text_holds_nothing_that_a_terminal_would_obey() {
        for c in ('\0'..=char::MAX).filter(|c| is_control(*c)) {
            assert!(!is_plain(&format!("{}{c}", "a".repeat(70))), "{}", c.escape_unicode());
        }
        assert!(is_plain("a: ü\n\tb: 1\n"));
    }

    #[test]
    fn a_line_is_not_a_command_to_a_ci_system() {
        assert_eq!(shown("1. x\n::warning::y\n", false), "1. x\n\\u{3a}:warning::y\n");
        assert_eq!(shown("  ##[error]z", false), "  \\u{23}#[error]z");
        assert_eq!(shown("a::b ##[c]\n", false), "a::b ##[c]\n");
        assert_eq!(shown("a\u{202e}b\u{2066}", true), "a\\u{202e}b\\u{2066}");
        assert_eq!(one_line("web\npass: 9, fail: 0"), "web\\npass: 9, fail: 0");
    }

    #[test]
    fn our_own_colours_pass_where_there_are_colours() {
        let painted = "\u{1b}[31mfail\u{1b}[0m \u{1b}[1;91mx\u{1b}[0m\n";
        assert_eq!(shown(painted, true), painted);
        assert_eq!(
            shown(painted, false),
            "\\u{1b}[31mfail\\u{1b}[0m \\u{1b}[1;91mx\\u{1b}[0m\n",
            "without colours of ours all are a stranger's"
        );
        for level in [Level::ERROR, Level::WARNING, Level::INFO, Level::NOTE, Level::HELP] {
            let snippet = Snippet::source("kind: Pod\n").path("a.yaml");
            let snippet = snippet.annotation(AnnotationKind::Primary.span(0..4).label("here"));
            let group = level
                .clone()
                .primary_title("words")
                .id("code")
                .element(snippet)
                .element(level.message("more"));
            let drawn = Renderer::styled().render(&[group]);
            assert!(drawn.contains("\u{1b}["), "{drawn:?}");
            assert_eq!(shown(&drawn, true), drawn);
        }
    }
}
