//! The time, for expressions that ask for it: the engine reads no clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Nanoseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
