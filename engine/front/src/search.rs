//! How long a search goes on, and who hears how far it has come.
//!
//! In: how many requests were tried. Out: whether to go on.

use std::time::{Duration, Instant};

/// Somebody who waits for one search after the other.
pub trait Search {
    /// A search begins that may take so many seconds.
    fn begin(&mut self, seconds: f64);
    /// Whether to go on after so many requests of this search.
    fn goes_on(&mut self, tried: usize) -> bool;
    /// Whether the search ended before it was through.
    fn was_stopped(&self) -> bool;
}

/// The limit of the question alone, by the clock of the machine.
#[derive(Debug, Default)]
pub struct Within {
    end: Option<Instant>,
    is_late: bool,
}

impl Search for Within {
    fn begin(&mut self, seconds: f64) {
        // What is no number of seconds is no limit, and then `maxRequests` alone ends the search.
        self.end =
            Duration::try_from_secs_f64(seconds).ok().and_then(|limit| Instant::now().checked_add(limit));
        self.is_late = false;
    }

    fn goes_on(&mut self, _: usize) -> bool {
        self.is_late |= self.end.is_some_and(|end| Instant::now() >= end);
        !self.is_late
    }

    fn was_stopped(&self) -> bool {
        self.is_late
    }
}
