//! The world of a machine with a clock.
//!
//! In: nothing. Out: the time for expressions that ask for it, and what evaluates policies in CEL; no cluster, no registry.

use engine::world::StaticWorld;
use std::time::{SystemTime, UNIX_EPOCH};

/// The world at this moment, by the clock of the machine.
pub fn world() -> StaticWorld {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    world_at(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// The world at a time, in nanoseconds since 1970 (UTC): for hosts whose clock `std` cannot read.
pub fn world_at(now: i64) -> StaticWorld {
    StaticWorld { extension: Some(engine_celpolicy::AS_WRITTEN), ..StaticWorld::at(now) }
}
