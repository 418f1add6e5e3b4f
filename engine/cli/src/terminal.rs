//! What kind of terminal there is: colours and progress only where a person looks at them.
//!
//! In: the two standard streams and the environment. Out: yes or no; `NO_COLOR=1` switches every colour off.

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

/// Writes to standard error what is not meant for standard output; a closed stream is no error.
pub(crate) fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Why standard output lacks a part of what was written to it.
static UNWRITTEN: OnceLock<String> = OnceLock::new();

/// Writes to standard output; a reader that went away, such as `head`, is no error. Any other is kept for the end.
pub(crate) fn print(text: &str) {
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
        let is_shown = total >= SHOW_FROM && std::io::stderr().is_terminal();
        Progress { total, unit, done: AtomicUsize::new(0), is_shown }
    }

    /// So many more are done.
    pub(crate) fn advance(&self, by: usize) {
        let done = self.done.fetch_add(by, Ordering::Relaxed) + by;
        if self.is_shown {
            let filled = (CELLS * done).checked_div(self.total).unwrap_or(CELLS).min(CELLS);
            let bar = format!("{}{}", "█".repeat(filled), "░".repeat(CELLS - filled));
            say(&format!("\r{bar} {done} of {} {}", self.total, self.unit));
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if self.is_shown {
            say("\r\u{1b}[2K");
        }
    }
}
