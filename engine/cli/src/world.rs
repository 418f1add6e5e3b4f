//! What this host answers: the time, and signatures of manifests.
//!
//! In: the time. Out: the world that the engine asks.

use engine::world::StaticWorld;

/// The world at this time, in nanoseconds since 1970 (UTC).
pub(crate) fn at(now: i64) -> StaticWorld {
    StaticWorld { signatures: Some(engine_signature::check), ..StaticWorld::at(now) }
}
