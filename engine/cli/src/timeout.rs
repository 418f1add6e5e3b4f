//! `--timeout`: a run that takes longer ends.
//!
//! In: a duration as Go writes it, such as `30s` or `5m`. Out: nothing; once it is over, a line on standard error and the
//! exit code of a run without an answer, whatever the run is at.

use crate::exit::Failure;
use crate::terminal;
use engine::json::quote;
use engine::value::Duration;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The limit of this run.
struct Limit {
    until: Instant,
    words: String,
    code: u8,
    is_said: AtomicBool,
}

static LIMIT: OnceLock<Limit> = OnceLock::new();

impl Limit {
    /// The exit code, after saying once that the time is over.
    fn end(&self) -> u8 {
        if !self.is_said.swap(true, Ordering::SeqCst) {
            terminal::say(&self.words);
        }
        self.code
    }
}

/// The exit code of a run whose time is over: one that ends before the thread that counts wakes up has no answer either.
pub(crate) fn over() -> Option<u8> {
    LIMIT.get().filter(|limit| Instant::now() >= limit.until).map(Limit::end)
}

/// Begins to count, where a limit is given.
pub(crate) fn begin(limit: Option<&str>, is_compare: bool) -> Result<(), Failure> {
    let Some(limit) = limit else { return Ok(()) };
    let invalid =
        |why: &str| Failure(format!("invalid argument {} for \"--timeout\" flag: {why}", quote(limit)));
    let seconds = Duration::parse(limit).map_err(|error| invalid(&error.to_string()))?.seconds();
    let time = std::time::Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    let time = time.ok_or_else(|| invalid("give a time that is longer than none"))?;
    let words = format!("Error: the run took longer than --timeout {limit} and is not complete\n");
    let until = Instant::now().checked_add(time).ok_or_else(|| invalid("give a time that ends"))?;
    let code = crate::exit::without_answer(is_compare);
    let limit = LIMIT.get_or_init(|| Limit { until, words, code, is_said: AtomicBool::new(false) });
    count(time, limit);
    Ok(())
}

/// Ends the run when the time is over.
#[cfg(not(target_os = "wasi"))]
fn count(time: std::time::Duration, limit: &'static Limit) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        std::process::exit(limit.end().into());
    });
}

/// Without threads the host counts (`engine/wasm/npm/cli.mjs`): it ends the run, and asks once more for what is said then.
#[cfg(target_os = "wasi")]
fn count(_: std::time::Duration, limit: &'static Limit) {
    if std::env::var_os("PODSIEVE_TIME").is_some_and(|time| time == "over") {
        std::process::exit(limit.end().into());
    }
}
