//! How long something took: by the clock on the wall, and by what all processors did for it.
//!
//! In: nothing. Out: two times, printed as `  12.3 s wall,   20.1 s CPU`. The second is that of this program and of all programs that it started
//! and that have ended, as Linux counts it; elsewhere there is none.

use std::time::Instant;

/// What Linux counts in `/proc/self/stat`, by the place behind the name of the program: own time in programs and in the system, and that
/// of programs that have ended.
const CPU_FIELDS: std::ops::Range<usize> = 11..15;
/// How many of its units are a second, for every program.
const TICKS: f64 = 100.0;

/// A moment from which time is measured.
pub(crate) struct Clock {
    begun: Instant,
    cpu: Option<f64>,
}

impl Clock {
    /// Now.
    pub(crate) fn start() -> Self {
        Self { begun: Instant::now(), cpu: cpu() }
    }

    /// The times since then.
    pub(crate) fn shown(&self) -> String {
        let wall = format!("{:>7.1} s wall", self.begun.elapsed().as_secs_f64());
        let used = self.cpu.zip(cpu()).map(|(before, now)| format!(", {:>7.1} s CPU", now - before));
        wall + &used.unwrap_or_default()
    }
}

/// Seconds of all processors.
fn cpu() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    seconds(&stat)
}

fn seconds(stat: &str) -> Option<f64> {
    // The name of the program is in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(CPU_FIELDS.start).take(CPU_FIELDS.len());
    let ticks: Vec<f64> = ticks.map_while(|ticks| ticks.parse().ok()).collect();
    (ticks.len() == CPU_FIELDS.len()).then(|| ticks.iter().sum::<f64>() / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_time_and_that_of_ended_programs_are_added() {
        let stat = "7 (a) b)) S 1 7 7 0 -1 4194304 900 80000 0 3 150 50 2000 300 20 0 1 0 100 1 1";
        assert_eq!(seconds(stat), Some(25.0));
        assert_eq!(seconds("7 (a) S 1 7"), None);
        assert!(Clock::start().shown().contains("s wall"));
    }
}
