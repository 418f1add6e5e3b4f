//! What this host answers: the time, and signatures of manifests.
//!
//! In: the time. Out: the world that the engine asks.

use crate::clock;
use engine::world::StaticWorld;
use engine_celpolicy::AS_WRITTEN;

/// The world at this time, in nanoseconds since 1970 (UTC).
pub(crate) fn at(now: i64) -> StaticWorld {
    StaticWorld { signatures: Some(engine_signature::check), ..StaticWorld::at(now) }
}

/// The world of this moment, with policies in CEL over objects as they are written.
pub(crate) fn as_written() -> StaticWorld {
    StaticWorld { extension: Some(AS_WRITTEN), ..at(clock::now()) }
}
