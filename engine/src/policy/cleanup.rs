//! What a cleanup policy deletes, and when.

use engine_json::Str;

/// The rest of a `CleanupPolicy` or `ClusterCleanupPolicy`; what it is for and its conditions stand in its rule.
#[derive(Clone, Debug)]
pub struct Cleanup {
    /// `schedule`, as written.
    pub schedule: Str,
    /// `deletionPropagationPolicy`; empty where it says nothing.
    pub propagation: Str,
}
