//! `--timeout`: a run that takes longer ends.
//!
//! In: a duration as Go writes it, such as `30s` or `5m`. Out: nothing; once it is over, a line on standard error and the
//! exit code of a run without an answer, whatever the run is at.

use crate::exit::Failure;
use crate::terminal;
use engine::json::quote;
use engine::value::Duration;

/// Begins to count, where a limit is given.
pub(crate) fn begin(limit: Option<&str>, is_compare: bool) -> Result<(), Failure> {
    let Some(limit) = limit else { return Ok(()) };
    let invalid =
        |why: &str| Failure(format!("invalid argument {} for \"--timeout\" flag: {why}", quote(limit)));
    let seconds = Duration::parse(limit).map_err(|error| invalid(&error.to_string()))?.seconds();
    let time = std::time::Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    let time = time.ok_or_else(|| invalid("give a time that is longer than none"))?;
    let words = format!("Error: the run took longer than --timeout {limit} and is not complete\n");
    std::thread::spawn(move || {
        std::thread::sleep(time);
        terminal::say(&words);
        std::process::exit(crate::exit::without_answer(is_compare).into());
    });
    Ok(())
}
